// A list of steps, from the bytes of one .npy file to those of another.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "array/step.hpp"

namespace stoker::array {

// "spectrogram(window=256, hop=64) resize(length=100)". Between steps numbers are float32; the last step that
// says so decides how they are stored (Step::stored), float32 where none does.
// Threads: one at a time, with a chain for each.
class Chain {
 public:
  // Errors (thrown): invalid_argument, naming the step and option, what is allowed and the nearest name.
  explicit Chain(std::string_view text);

  // Every step with every option; Chain(to_string()) is the same.
  std::string to_string() const;
  StoredType stored() const;
  // Of what leaves. Errors: unsupported, out_of_resources (more than kMaxNumbers numbers behind a step).
  Result<Shape> output_shape(const Shape& input) const;

  // The new file's bytes, valid until the next call.
  // Errors: as of read_npy and output_shape; corrupt_data (a number that is not finite), unsupported (numbers
  // that float16 cannot hold).
  Result<std::span<const std::byte>> run(std::span<const std::byte> file);

 private:
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<float> numbers_, next_;
  std::vector<std::byte> file_;
};

}  // namespace stoker::array
