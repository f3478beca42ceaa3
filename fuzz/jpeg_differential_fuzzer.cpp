// Our own decoder against libjpeg-turbo: the same status, words and pixels, with and without seek points, on
// any bytes.
#include <string>
#include <vector>

#include "coded_picture.hpp"
#include "fuzzer.hpp"
#include "jpeg/jpeg_reader.hpp"
#include "jpeg/outcome_fixture.hpp"
#include "jpeg_choices.hpp"

namespace stoker::fuzz {
namespace {

constexpr std::uint64_t kMostPixels = 1 << 14;  // so that a run is a fraction of a millisecond

using jpeg::fixtures::crop;
using jpeg::fixtures::Outcome;

template <class Reader, class Prepare>
Outcome decode(Reader& reader, std::span<const std::byte> file, std::optional<Rect> wanted,
               const Prepare& prepare) {
  return jpeg::fixtures::decode(reader, file, kMostPixels, wanted, prepare);
}

template <class Reader>
Outcome decode(Reader& reader, std::span<const std::byte> file, std::optional<Rect> wanted = {}) {
  return decode(reader, file, wanted, [] {});
}

// How often each path was compared, told at the end: a fuzzer that compares nothing finds nothing.
struct Tally {
  std::uint64_t runs = 0, foreign = 0, own = 0, damaged = 0, with_points = 0, wrong_points_passed = 0,
                wrong_points_seen = 0, quiet_region = 0;
  ~Tally() {
    std::fprintf(
        stderr,
        "jpeg_differential: %llu runs; %llu not for the own decoder, %llu decoded by it, %llu damaged; "
        "%llu by true points; wrong points: %llu seen, %llu not; %llu quiet regions\n",
        ull(runs), ull(foreign), ull(own), ull(damaged), ull(with_points), ull(wrong_points_seen),
        ull(wrong_points_passed), ull(quiet_region));
  }
  static unsigned long long ull(std::uint64_t n) { return n; }
};
Tally tally;

struct Readers {
  jpeg::JpegReader own;
  jpeg::TurboDecoder turbo;
  jpeg::BaselineDecoder walker;
};

struct Case {
  Readers& readers;
  std::span<const std::byte> file;
  SampleRng& choices;
  const Outcome& whole;  // as libjpeg-turbo has it
  bool is_own = false;   // the own decoder has all of it
  int width = 0, height = 0;
};

// A region of our own decoding is the same part of libjpeg-turbo's picture.
void expect_part_of_whole(const Case& at, const Rect& region, const Outcome& part) {
  expect(part.decoded, "the own decoder gives pixels or leaves the file to libjpeg-turbo");
  if (at.whole.decoded)
    expect(part.rgb == crop(at.whole.rgb, at.width, region), "a region is a part of the whole");
}

void compare_region(const Case& at) {
  const Rect region = random_region(at.width, at.height, at.choices);
  const Outcome own = decode(at.readers.own, at.file, region);
  const bool left = at.readers.own.reason().has_value();
  const Outcome turbo = decode(at.readers.turbo, at.file, region);
  if (left) {
    expect(own == turbo, "what is left to libjpeg-turbo comes out as it has it");
  } else {
    expect_part_of_whole(at, region, own);
    if (turbo.decoded) expect(own.rgb == turbo.rgb, "a region equals libjpeg-turbo's");
    if (!turbo.decoded || !turbo.complaint.empty()) ++tally.quiet_region;
  }
  // Smaller transforms tell of the same damage.
  const auto sizes = random_block_sizes(at.choices);
  expect(at.readers.own.open(at.file, kMostPixels).has_value(), "it opens again");
  const auto planes = at.readers.own.begin_planes(region, sizes);
  if (planes) expect(*planes || left || !at.whole.complaint.empty(), "a sound file gives planes of any size");
}

// Points of a walk over the file, whole or the first of them.
void compare_by_true_points(const Case& at, const jpeg::SeekPoints& points) {
  ++tally.with_points;
  expect(at.whole.decoded && at.whole.complaint.empty(), "a file that is walked to its end is sound");
  std::vector<std::byte> packed;
  pack_seek_points(points, packed);
  jpeg::SeekPoints given;
  expect(points.empty() || (unpack_seek_points(packed, given) && given.points == points.points &&
                            given.interval == points.interval && given.complete == points.complete),
         "packed points are these points");
  if (at.choices.below(2) == 0) {
    given.complete = false;
    given.points.resize(at.choices.below(given.points.size() + 1));
  }
  const Rect region = random_region(at.width, at.height, at.choices);
  jpeg::SeekPoints learned;
  const bool to_end = at.choices.below(2) == 0;
  const Outcome part = decode(at.readers.own, at.file, region, [&] {
    at.readers.own.enter_by(&given);
    at.readers.own.learn(&learned, to_end);
  });
  if (!at.is_own) return;  // coefficients that no picture has, though libjpeg-turbo takes them
  expect(!at.readers.own.reason() && !at.readers.own.points_failed(), "true points fit");
  expect_part_of_whole(at, region, part);
  if (learned.interval != points.interval) return;
  expect(learned.points.size() <= points.points.size() &&
             std::equal(learned.points.begin(), learned.points.end(), points.points.begin()),
         "what is learned is true");
  expect(!to_end || learned.complete, "a whole file is learned to its end");
}

// Wrong points may give wrong pixels of a region. But a chain that begins where the scan begins, and whose
// segments each end at the next point, proves itself: then nothing else than the picture can come out.
void try_wrong_points(const Case& at, const jpeg::SeekPoints& wrong, std::size_t scan_begin) {
  const Outcome whole = decode(at.readers.own, at.file, {}, [&] { at.readers.own.enter_by(&wrong); });
  const bool seen = at.readers.own.points_failed() || at.readers.own.reason();
  ++(seen ? tally.wrong_points_seen : tally.wrong_points_passed);
  if (seen) {
    expect(whole == at.whole, "points that do not fit change nothing");
  } else if (!wrong.empty()) {
    const jpeg::SeekPoint begin{static_cast<std::uint32_t>(scan_begin), 0, {}};
    if (wrong.points.front() == begin && at.whole.decoded)
      expect(whole.decoded && whole.rgb == at.whole.rgb, "a chain from the scan's beginning proves itself");
  }
  const Rect region = random_region(at.width, at.height, at.choices);
  const Outcome part = decode(at.readers.own, at.file, region, [&] { at.readers.own.enter_by(&wrong); });
  if (!at.readers.own.reason()) expect(part.decoded, "the own decoder gives pixels");
  if (!at.readers.own.reason() && at.readers.own.points_failed()) expect_part_of_whole(at, region, part);
}

void compare(Readers& readers, std::span<const std::byte> file, SampleRng& choices) {
  const Outcome whole = decode(readers.turbo, file);
  expect(decode(readers.own, file) == whole, "the whole picture, its status and its words are equal");
  const bool is_own = !readers.own.reason();
  ++(is_own ? tally.own : tally.damaged);
  const jpeg::BaselineFrame frame = readers.walker.frame();
  const Case at{readers, file, choices, whole, is_own, frame.width, frame.height};
  const auto test = choices.below(3);
  if (test == 0 || readers.walker.has_own_entrances()) return compare_region(at);
  jpeg::SeekPoints points;
  const bool walked =
      !readers.walker.find_seek_points(choices.below(3) == 0 ? 0 : 1 + below(choices, 20), points);
  if (walked && test == 1) return compare_by_true_points(at, points);
  if (walked) {
    damage_points(points, choices);
  } else {
    points = invented_points(frame, file.size(), choices);
  }
  try_wrong_points(at, points, frame.scan_begin);
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  auto input = image_input(data, bytes);
  if (!input) return -1;
  ++tally.runs;
  choose_instruction_set(input->choices);
  // Used readers show what one picture leaves to the next, new ones what is read beyond their memory.
  static Readers used;
  std::optional<Readers> made;
  Readers& readers = input->choices.below(16) == 0 ? made.emplace() : used;
  // What the own decoder leaves from the start is libjpeg-turbo on both sides.
  const jpeg::BaselineFrame* frame = readers.walker.open(input->file) ? nullptr : &readers.walker.frame();
  if (frame == nullptr || std::uint64_t(frame->width) * std::uint64_t(frame->height) > kMostPixels) {
    ++tally.foreign;
    return -1;
  }
  std::vector<std::byte> coded;
  if (input->choices.below(2) == 0) {
    coded = PictureCoder(*frame, input->choices).replace_scan(input->file);
    input->file = coded;
    expect(!readers.walker.open(input->file), "the header is as it was");
  }
  compare(readers, input->file, input->choices);
  return 0;
}
