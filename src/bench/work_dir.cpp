#include "bench/work_dir.hpp"

#include <cerrno>
#include <filesystem>
#include <stdlib.h>
#include <system_error>

#include "stoker/error.hpp"

namespace stoker::bench {

WorkDir::WorkDir(const std::string& parent) {
  std::error_code failed;
  const std::filesystem::path base =
      parent.empty() ? std::filesystem::temp_directory_path(failed) : std::filesystem::path(parent);
  if (!failed) std::filesystem::create_directories(base, failed);
  root_ = (base / "stoker-bench-XXXXXX").string();
  if (!failed && !mkdtemp(root_.data())) failed = std::error_code(errno, std::generic_category());
  if (failed) {
    throw Error(ErrorCode::io, {.operation = "make a working folder",
                                .object = base.string(),
                                .found = failed.message(),
                                .next_step = "name a folder that can be written with --work-dir"});
  }
}

WorkDir::~WorkDir() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

}  // namespace stoker::bench
