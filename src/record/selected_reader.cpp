#include "record/selected_reader.hpp"

#include <fmt/format.h>
#include <utility>

#include "stoker/error.hpp"

namespace stoker::record {

SelectedReader::SelectedReader(std::shared_ptr<const RecordReader> below, std::vector<std::uint64_t> indices)
    : below_(std::move(below)), indices_(std::move(indices)) {
  const std::span<const float> known = below_->known_labels();
  labels_.reserve(known.empty() ? 0 : indices_.size());
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const std::uint64_t index = indices_[i];
    if (index >= below_->size())
      throw Error(ErrorCode::invalid_argument, {.operation = "select samples",
                                                .object = fmt::format("number {} of the selection", i),
                                                .found = fmt::format("sample {}", index),
                                                .allowed = fmt::format("0 to {}", below_->size() - 1)});
    if (!known.empty()) labels_.push_back(known[index]);
  }
}

}  // namespace stoker::record

namespace stoker {

std::unique_ptr<RecordReader> select_records(std::shared_ptr<const RecordReader> records,
                                             std::vector<std::uint64_t> indices) {
  return std::make_unique<record::SelectedReader>(std::move(records), std::move(indices));
}

}  // namespace stoker
