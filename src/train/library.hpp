// What the trainer's shared library, the only code that links PyTorch, shows to the program that opens it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "train/learner.hpp"

namespace stoker::training {

// Both sides must have been built from the same headers; raise it with every change of learner.hpp or of this
// file.
inline constexpr std::string_view kLibraryInterface = "stoker-learner-3";
inline constexpr const char* kLibraryFile = "libstoker_train_torch.so";
inline constexpr const char* kLibrarySymbol = "stoker_train_library";

struct TrainLibrary {
  std::string_view interface;
  std::size_t spec_bytes = sizeof(LearnerSpec);  // a second guard for the first
  std::string_view torch_version;
  // Opens the CUDA part of PyTorch and the device of that number. Errors: unsupported (a PyTorch for CPUs,
  // parts of CUDA that are not installed, no driver or no device), invalid_argument (there is no device of
  // that number); with what to do.
  void (*open_gpu)(int gpu) = nullptr;
  // Errors: as Learner's.
  std::unique_ptr<Learner> (*make_learner)(const LearnerSpec& spec) = nullptr;
  // A learner's state → a plain state_dict that Python's torch.load reads, weights_only too, and
  // torchvision's networks load with strict=True. `averaged`: the running mean of weights. Errors:
  // corrupt_data; invalid_argument (it holds no running mean).
  std::string (*export_weights)(std::string_view state, bool averaged) = nullptr;
};

// The type of the one exported symbol, a C function.
using TrainLibraryFunction = const TrainLibrary* (*)();

}  // namespace stoker::training
