// Event files that TensorBoard shows: scalars by tag and step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stoker/train.hpp"

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace stoker::training {

struct Scalar {
  std::string_view tag;
  double value = 0;
};

// Writes one file events.out.tfevents.SECONDS.HOST.PID into a folder. Sources: tensorflow's event.proto and
// summary.proto (field numbers), TFRecord's framing (lengths and masked CRC-32Cs). Threads: one at a time.
// What was added is there for readers at once; a killed run leaves at most one record cut short, which
// readers pass over.
class EventFile {
 public:
  // Makes the folder. `first_step`: events of earlier runs at or behind it are hidden by readers (a resumed
  // training writes them again). Errors: io, out_of_resources.
  static Result<EventFile> create(const std::string& folder, std::uint64_t first_step);
  // Errors: io, out_of_resources.
  Result<void> add(std::uint64_t step, std::span<const Scalar> scalars);
  const std::string& path() const { return path_; }

 private:
  EventFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<void> write_record(std::string_view event);

  std::string path_;
  Descriptor file_;
};

// The scalars of a line: train/loss, train/accuracy, train/lr, train/images_per_s, train/data_wait_share;
// eval/loss, eval/accuracy, eval/top_k_accuracy; cost where there is a price.
Result<void> add_line(EventFile& file, const TrainLine& line);

}  // namespace stoker::training
