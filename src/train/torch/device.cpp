#include "train/torch/device.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string>
#include <torch/cuda.h>
#include <torch/headeronly/version.h>
#include <utility>

#include "stoker/error.hpp"

// dlerror() belongs to the whole process: see README.md on who calls train() when.
// NOLINTBEGIN(concurrency-mt-unsafe)

namespace stoker::training {

namespace {

constexpr const char* kCudaPart = "libtorch_cuda.so";

Error unusable(int gpu, std::string found, std::string next_step) {
  return Error(ErrorCode::unsupported, {.object = "--gpus " + std::to_string(gpu),
                                        .found = std::move(found),
                                        .next_step = std::move(next_step)});
}

// Where the PyTorch of this process lies; empty if that cannot be told.
std::filesystem::path torch_folder() {
  void* handle = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return {};
  link_map* map = nullptr;
  const bool known = ::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
  std::filesystem::path path = known ? map->l_name : "";
  ::dlclose(handle);
  return path.parent_path();
}

// Its static objects tell the rest of PyTorch that CUDA is there. Never closed.
void open_cuda_part(int gpu) {
  const std::filesystem::path path = torch_folder() / kCudaPart;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw unusable(
        gpu, "PyTorch " TORCH_VERSION " in " + path.parent_path().string() + " is a build for CPUs",
        "install a CUDA build of it (`pip install torch` where pip serves one), set STOKER_TORCH_DIR to the "
        "folder of its torch package and build again; or train with --gpus none");
  if (::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr) return;
  const char* reason = ::dlerror();
  throw unusable(gpu,
                 "the CUDA part of PyTorch does not load: " + std::string(reason ? reason : path.c_str()),
                 "install the nvidia packages that torch asks for (`pip install torch==" TORCH_VERSION
                 "` without --no-deps), or train with --gpus none");
}

}  // namespace

c10::Device open_device(std::optional<int> gpu) {
  if (!gpu) return c10::Device(c10::kCPU);
  open_cuda_part(*gpu);
  try {
    at::globalContext().lazyInitDevice(c10::kCUDA);
  } catch (const c10::Error& error) {
    std::string found = error.what_without_backtrace();
    found.resize(found.find_last_not_of(" .\n") + 1);
    throw unusable(*gpu, found, "see that nvidia-smi lists the GPU, or train with --gpus none");
  }
  const int count = torch::cuda::device_count();
  if (*gpu >= count)
    throw Error(ErrorCode::invalid_argument,
                {.object = "--gpus " + std::to_string(*gpu),
                 .found = count == 1 ? "1 CUDA device" : std::to_string(count) + " CUDA devices",
                 .allowed = count == 1 ? "0" : "0.." + std::to_string(count - 1)});
  // The sizes of a training's batches are few: what is fastest for each is worth to be tried out once.
  at::globalContext().setBenchmarkCuDNN(true);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(*gpu)};
}

}  // namespace stoker::training

// NOLINTEND(concurrency-mt-unsafe)
