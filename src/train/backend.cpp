#include "train/backend.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>
#include <system_error>

// The environment, the heap's settings and dlerror() belong to the whole process: train() is called before
// other threads look at them (README.md). NOLINTBEGIN(concurrency-mt-unsafe)

namespace stoker::training {

namespace {

constexpr const char* kChosen = "STOKER_TRAIN_LIBRARY";

Error unusable(const std::string& path, std::string found, std::string next_step) {
  return Error(ErrorCode::unsupported, {.operation = "open trainer",
                                        .object = path,
                                        .found = std::move(found),
                                        .next_step = std::move(next_step)});
}

// libgomp reads the environment once, when it is loaded.
void make_compute_threads_sleep() {
  if (std::getenv("GOMP_SPINCOUNT") == nullptr) ::setenv("OMP_WAIT_POLICY", "PASSIVE", /*overwrite=*/0);
}

// A step takes and frees the same dozens of large tensors as the step before. Mapped and given back each
// time, their page faults took 40 % of the CPU time; kept in the heap, none do. 32 MiB is the most that glibc
// allows.
void keep_freed_tensors() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

Result<const TrainLibrary*> open_at(const std::string& path) {
  make_compute_threads_sleep();
  keep_freed_tensors();
  // Never closed: the code behind thrown errors and learners stays where it is.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return tl::unexpected(
        unusable(path, reason ? reason : "it does not load",
                 "if PyTorch was moved or removed since the build, run `./dev build` again"));
  }
  const auto ask = reinterpret_cast<TrainLibraryFunction>(::dlsym(handle, kLibrarySymbol));
  if (ask == nullptr)
    return tl::unexpected(
        unusable(path, fmt::format("it has no symbol {}", kLibrarySymbol), "run `./dev build` again"));
  const TrainLibrary* library = ask();
  if (library->interface != kLibraryInterface || library->spec_bytes != sizeof(LearnerSpec))
    return tl::unexpected(unusable(path,
                                   fmt::format("it was built for interface {}, this program for {}",
                                               library->interface, kLibraryInterface),
                                   "build both together: `./dev build`"));
  return library;
}

}  // namespace

std::string find_library() {
  std::error_code ignored;
  if (const char* chosen = std::getenv(kChosen); chosen != nullptr && *chosen != '\0')
    return std::filesystem::exists(chosen, ignored) ? chosen : "";
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (program.empty()) return "";
  const std::filesystem::path folder = program.parent_path();
  for (const std::filesystem::path& candidate :
       {folder / kLibraryFile, folder.parent_path() / "lib" / "stoker" / kLibraryFile})
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  return "";
}

Error no_trainer() {
  return Error(ErrorCode::unsupported,
               {.operation = "train",
                .object = kLibraryFile,
                .found = "this build has no trainer: PyTorch's C++ libraries were not found when it was made",
                .next_step = "run `./dev build`, which installs PyTorch, or `pip install torch==2.13.0`, set "
                             "STOKER_TORCH_DIR to the folder of the torch package, and build again"});
}

Result<const TrainLibrary*> open_library() {
  const std::string path = find_library();
  if (const char* chosen = std::getenv(kChosen); path.empty() && chosen != nullptr && *chosen != '\0')
    return tl::unexpected(unusable(chosen, "there is no such file",
                                   fmt::format("unset {}, or set it to a {}", kChosen, kLibraryFile)));
  if (path.empty()) return tl::unexpected(no_trainer());
  return open_at(path);
}

}  // namespace stoker::training

// NOLINTEND(concurrency-mt-unsafe)
