#include "load/slot.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stoker {

namespace load {

BatchSlot::BatchSlot(const Recipe& recipe, int batch_size, int label_width_)
    : image_size(recipe.output_size()),
      shape(recipe.shape()),
      dtype(recipe.dtype()),
      layout(recipe.layout()),
      image_bytes(recipe.bytes_per_sample()),
      label_width(label_width_),
      images(static_cast<std::byte*>(
          ::operator new(image_bytes* static_cast<std::size_t>(batch_size), std::align_val_t{64}))),
      labels(static_cast<std::size_t>(batch_size) * static_cast<std::size_t>(label_width_)),
      indices(static_cast<std::size_t>(batch_size)),
      statuses(static_cast<std::size_t>(batch_size)),
      keys(static_cast<std::size_t>(batch_size)) {}

void BatchSlot::begin(const StepSlice& slice_, std::shared_ptr<const EpochOrder> order_) {
  slice = slice_;
  order = std::move(order_);
  size = slice.slots();
  unfinished = size;
  writers = 0;
  troubles.clear();
  for (int slot = 0; slot < size; ++slot) {
    const auto at = static_cast<std::size_t>(slot);
    indices[at] = slice.is_hollow(slot) ? kNoSample : order->at(position(slot));
    statuses[at] = slice.is_padding(slot) ? SampleStatus::padding : SampleStatus::ok;
  }
}

void BatchSlot::blank(int slot, SampleStatus status) {
  const auto at = static_cast<std::size_t>(slot), width = static_cast<std::size_t>(label_width);
  std::memset(image(slot), 0, image_bytes);
  std::fill_n(labels.begin() + static_cast<std::ptrdiff_t>(at * width), width, kNoLabel);
  statuses[at] = status;
}

}  // namespace load

int Batch::size() const { return slot_ ? slot_->size : 0; }
const std::byte* Batch::images() const { return slot_ ? slot_->images.get() : nullptr; }
std::size_t Batch::image_bytes() const { return slot_ ? slot_->image_bytes : 0; }
Size Batch::image_size() const { return slot_ ? slot_->image_size : Size{}; }
std::span<const std::size_t> Batch::shape() const {
  if (!slot_) return {};
  return slot_->shape;
}
DType Batch::dtype() const { return slot_ ? slot_->dtype : DType::u8; }
Layout Batch::layout() const { return slot_ ? slot_->layout : Layout::nchw; }
std::uint64_t Batch::epoch() const { return slot_ ? slot_->order->epoch() : 0; }
std::uint64_t Batch::step() const { return slot_ ? slot_->slice.step : 0; }

std::span<const float> Batch::labels() const {
  if (!slot_) return {};
  return {slot_->labels.data(),
          static_cast<std::size_t>(size()) * static_cast<std::size_t>(slot_->label_width)};
}

std::span<const std::uint64_t> Batch::indices() const {
  if (!slot_) return {};
  return {slot_->indices.data(), static_cast<std::size_t>(size())};
}

std::span<const SampleStatus> Batch::statuses() const {
  if (!slot_) return {};
  return {slot_->statuses.data(), static_cast<std::size_t>(size())};
}

std::span<const std::string> Batch::keys() const {
  if (!slot_) return {};
  return {slot_->keys.data(), static_cast<std::size_t>(size())};
}

}  // namespace stoker
