// The device that a network computes on: this CPU, or one CUDA device.
#pragma once

#include <c10/core/Device.h>
#include <optional>

namespace stoker::training {

// The CPU where `gpu` is empty; else the CUDA device of that number, ready for use. The CUDA part of PyTorch,
// more than a gigabyte of libraries, is opened here and not linked: a training on the CPU does without it,
// and so do machines where it is not installed. Threads: before the first other call of PyTorch, which looks
// for CUDA once. Errors: as TrainLibrary::open_gpu's.
c10::Device open_device(std::optional<int> gpu);

}  // namespace stoker::training
