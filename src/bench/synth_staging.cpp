#include "bench/synth_staging.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/os_error.hpp"
#include "store/leftovers.hpp"
#include "store/local_store.hpp"

namespace stoker::bench {

namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "synth";

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

SynthStaging::SynthStaging(const std::string& target)
    : target_(without_trailing_slashes(store::local_path(target))) {
  std::error_code failed;
  for (fs::path folder = target_; !folder.empty() && !fs::exists(folder, failed);
       folder = folder.parent_path())
    made_.push_back(folder.string());
  fs::create_directories(target_, failed);
  std::error_code look_failed;
  if (failed && !fs::is_directory(target_, look_failed)) {
    errno = failed.value();
    give_up("create folder");
  }
  store::remove_left_folders(target_, kName);
  // A name that a killed process of the same number left costs another try.
  while (true) {
    path_ = target_ + "/" + store::temporary_name(kName);
    if (::mkdir(path_.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      give_up("create folder in");
    }
    lock_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_) give_up("open folder in");
    if (store::claim_temporary(lock_.get())) return;
    ::rmdir(path_.c_str());
  }
}

void SynthStaging::give_up(const char* operation) {
  const int error_number = errno;
  remove();
  throw os_error(operation, target_, error_number);
}

SynthStaging::~SynthStaging() {
  if (!published_) remove();
}

void SynthStaging::remove() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  // Only while they are empty: somebody else may have begun to use them.
  for (const std::string& folder : made_)
    if (!fs::remove(folder, ignored)) break;
}

void SynthStaging::publish(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::rename((path_ + "/" + names[i]).c_str(), (target_ + "/" + names[i]).c_str()) == 0) continue;
    const int error_number = errno;
    for (std::size_t moved = 0; moved < i; ++moved)
      std::rename((target_ + "/" + names[moved]).c_str(), (path_ + "/" + names[moved]).c_str());
    throw os_error("move into place", target_ + "/" + names[i], error_number);
  }
  published_ = true;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace stoker::bench
