#include "train/torch/staging.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <cstring>

namespace stoker::training {

namespace {

c10::Stream current_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

c10::Stream side_stream(at::Device device) {
  if (device.is_cpu()) return current_stream(device);
  return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, /*isHighPriority=*/false);
}

// Makes `buffer` one of `count` elements at least.
void grow(at::Tensor& buffer, std::int64_t count, const at::TensorOptions& options) {
  if (!buffer.defined() || buffer.numel() < count) buffer = at::empty({count}, options);
}

std::vector<std::int64_t> slots_that_count(const LearnerBatch& batch) {
  std::vector<std::int64_t> slots;
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    if (batch.labels[i] != kLeftOut) slots.push_back(static_cast<std::int64_t>(i));
  return slots;
}

}  // namespace

Fence::Fence(at::Device device) {
  if (!device.is_cpu()) event_.emplace(device.type());
}

void Fence::record(const c10::Stream& stream) {
  if (event_) event_->record(stream);
}

void Fence::hold_up(const c10::Stream& stream) const {
  if (event_) event_->block(stream);
}

void Fence::wait() const {
  if (event_) event_->synchronize();
}

class Staging::Staged final : public StagedBatch {
 public:
  Staged(Staging& owner, Buffer& buffer) : owner_(owner), buffer_(buffer) {}
  ~Staged() override { owner_.give_back(buffer_); }

  BatchTensors tensors;
  const Fence& copied() const { return buffer_.copied; }

 private:
  Staging& owner_;
  Buffer& buffer_;
};

Staging::Staging(at::Device device) : device_(device), side_(side_stream(device)) {}

std::unique_ptr<StagedBatch> Staging::stage(const LearnerBatch& batch) {
  const c10::DeviceGuard on_device(device_);  // page-locked memory belongs to one, too
  Buffer& buffer = free_buffer();
  auto staged = std::make_unique<Staged>(*this, buffer);
  std::vector<std::int64_t>& kept = staged->tensors.kept;
  kept = slots_that_count(batch);
  const auto count = static_cast<std::int64_t>(kept.size());
  const std::int64_t height = batch.image_size.height;
  const std::int64_t width = batch.image_size.width;
  const at::ScalarType type = batch.dtype == DType::u8 ? at::kByte : at::kFloat;
  const std::int64_t image_bytes = height * width * 3 * static_cast<std::int64_t>(c10::elementSize(type));
  const std::int64_t bytes = count * image_bytes;

  buffer.copied.wait();  // the copy before reads the host's memory
  const bool locked = !device_.is_cpu();
  grow(buffer.host_bytes, bytes, at::TensorOptions(at::kByte).pinned_memory(locked));
  grow(buffer.host_labels, count, at::TensorOptions(at::kLong).pinned_memory(locked));
  auto* to = reinterpret_cast<std::byte*>(buffer.host_bytes.mutable_data_ptr<std::uint8_t>());
  auto* to_labels = buffer.host_labels.mutable_data_ptr<std::int64_t>();
  for (const std::int64_t slot : kept) {
    std::memcpy(to, batch.images + slot * image_bytes, static_cast<std::size_t>(image_bytes));
    to += image_bytes;
    *to_labels++ = batch.labels[static_cast<std::size_t>(slot)];
  }

  const c10::StreamGuard on_side(side_);
  buffer.used.hold_up(side_);
  grow(buffer.bytes, bytes, at::TensorOptions(at::kByte).device(device_));
  grow(buffer.labels, count, at::TensorOptions(at::kLong).device(device_));
  BatchTensors& tensors = staged->tensors;
  tensors.labels = buffer.labels.narrow(0, 0, count);
  tensors.labels.copy_(buffer.host_labels.narrow(0, 0, count), /*non_blocking=*/true);
  const at::Tensor flat = buffer.bytes.narrow(0, 0, bytes);
  flat.copy_(buffer.host_bytes.narrow(0, 0, bytes), /*non_blocking=*/true);
  buffer.copied.record(side_);
  tensors.images = flat.view(type).view({count, height, width, 3}).permute({0, 3, 1, 2});
  return staged;
}

const BatchTensors& Staging::take(const StagedBatch& staged) const {
  const auto& own = static_cast<const Staged&>(staged);
  own.copied().hold_up(current_stream(device_));
  return own.tensors;
}

std::size_t Staging::buffers() const {
  const std::lock_guard lock(mutex_);
  return buffers_.size();
}

Staging::Buffer& Staging::free_buffer() {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(buffers_.begin(), buffers_.end(), [](const Buffer& one) { return one.free; });
  Buffer& buffer = found != buffers_.end() ? *found : buffers_.emplace_back(device_);
  buffer.free = false;
  return buffer;
}

// A device that failed has told that already, or will: its buffer is not used again.
void Staging::give_back(Buffer& buffer) noexcept {
  try {
    buffer.used.record(current_stream(device_));
  } catch (const std::exception&) {
    return;
  }
  const std::lock_guard lock(mutex_);
  buffer.free = true;
}

}  // namespace stoker::training
