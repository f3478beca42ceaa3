// JPEGs of any process made baseline, or turned, on any bytes: kept, or as libjpeg-turbo has the old file.
#include <string>

#include "fuzzer.hpp"
#include "jpeg/header.hpp"
#include "jpeg/outcome_fixture.hpp"
#include "jpeg/transcode.hpp"
#include "jpeg/turbo_decoder.hpp"

namespace stoker::fuzz {
namespace {

constexpr std::uint64_t kMostPixels = 1 << 14;  // so that a run is a fraction of a millisecond

// What became of the inputs, told at the end: a fuzzer that compares nothing finds nothing.
struct Tally {
  unsigned long long kept = 0, equal = 0, turned = 0;
  ~Tally() {
    std::fprintf(stderr, "transcode: %llu kept, %llu equal to the old file, %llu turned\n", kept, equal,
                 turned);
  }
};
Tally tally;

jpeg::fixtures::Outcome decode(std::span<const std::byte> file) {
  static jpeg::TurboDecoder decoder;
  return jpeg::fixtures::decode(decoder, file, kMostPixels, std::nullopt, [] {});
}

void expect_turned(const jpeg::Header& before, const jpeg::Header& after, const jpeg::Turn& turn) {
  expect(after.width == (turn.transposed ? before.height : before.width), "the width is that of the turn");
  expect(after.height == (turn.transposed ? before.width : before.height), "the height is that of the turn");
  expect(after.orientation == 1, "what was turned is upright");
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  auto input = image_input(data, bytes);
  if (!input) return -1;
  static jpeg::Transcoder transcoder;
  const int orientation = 1 + static_cast<int>(input->choices.below(16));  // half of them turn nothing
  const jpeg::Turn turn = jpeg::turn_of(orientation);
  const auto written = transcoder.run(input->file, kMostPixels, turn);
  if (!written) {
    ++tally.kept;
    return 0;
  }
  const auto before = jpeg::read_header(input->file), after = jpeg::read_header(*written);
  expect(after.has_value() && after->process == jpeg::Process::baseline, "what is written is baseline");
  const jpeg::fixtures::Outcome made = decode(*written);
  expect(made.decoded && made.complaint.empty(), "what is written decodes without complaint");
  if (turn.any()) {
    ++tally.turned;
    if (before) expect_turned(*before, *after, turn);
  } else {
    ++tally.equal;
    expect(decode(input->file) == made, "the pixels are those of the old file");
  }
  return 0;
}
