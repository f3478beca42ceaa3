// A container of any bytes: walked, read and scanned to its end, with damage named and samples that lie in
// what was read.
//
// The first byte of an input chooses the format, and whether checksums are made right before it is read (so
// that what lies behind them is reached); the rest is the file.
#include <array>
#include <memory>
#include <vector>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "fuzzer.hpp"
#include "memory_file.hpp"
#include "record/container_reader.hpp"
#include "record/container_scanner.hpp"
#include "record/tar_format.hpp"
#include "record/tfrecord_format.hpp"

namespace stoker::fuzz {
namespace {

constexpr std::array kFormats = {RecordFormat::recordio, RecordFormat::tar, RecordFormat::tfrecord};
constexpr unsigned kSeal = 0x10;

void seal_tar(std::vector<std::byte>& file) {
  for (std::size_t at = 0; at + record::kTarBlock <= file.size(); at += record::kTarBlock) {
    const std::span<std::byte, record::kTarBlock> block(file.data() + at, record::kTarBlock);
    if (std::memcmp(block.data() + record::kTarMagic.begin, "ustar", 5) != 0) continue;
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), "%06o", static_cast<unsigned>(record::tar_sum(block)));
    std::memcpy(block.data() + record::kTarSum.begin, digits.data(), digits.size());
  }
}

void seal_tfrecord(std::vector<std::byte>& file) {
  constexpr std::size_t kHead = 12, kFraming = kHead + 4;
  for (std::size_t at = 0; at + kFraming <= file.size();) {
    const std::span<const std::byte> rest = std::span<const std::byte>(file).subspan(at);
    const auto length = load_le<std::uint64_t>(rest.data());
    store_le(file.data() + at + 8, record::masked(crc32c(rest.first(8))));
    if (length > rest.size() - kFraming) return;
    store_le(file.data() + at + kHead + length, record::masked(crc32c(rest.subspan(kHead, length))));
    at += kFraming + length;
  }
}

void expect_sound(const Sample& sample) {
  expect(sample.main_field < sample.fields.size(), "the main field is one of the fields");
  const std::byte* const begin = sample.buffer.data();
  for (const Field& field : sample.fields)
    expect(field.bytes.empty() || (field.bytes.data() >= begin &&
                                   field.bytes.data() + field.bytes.size() <= begin + sample.buffer.size()),
           "fields lie in what was read");
}

// How many records a reader finds that is given the offsets of a walk.
std::size_t read_all(const record::ContainerFormat& format, std::span<const std::byte> file,
                     const record::RecordOffsets& walked) {
  for (std::size_t i = 0; i < walked.offsets.size(); ++i) {
    expect(i + 1 == walked.offsets.size() || walked.offsets[i] % format.alignment() == 0,
           "records are aligned");
    expect(i == 0 || walked.offsets[i] >= walked.offsets[i - 1] + format.smallest_record(),
           "records take room");
  }
  expect(walked.offsets.back() == file.size(), "records reach to the end");
  const record::ContainerReader reader(format, std::make_unique<MemoryFile>(file), walked.offsets, {});
  Sample sample;
  std::size_t read = 0;
  for (std::size_t i = reader.size(); i-- > 0;) {
    try {
      reader.read(i, sample);
      expect_sound(sample);
      ++read;
    } catch (const Error& error) {
      expect(error.code() == ErrorCode::corrupt_data, "damage is what keeps a record from being read");
    }
  }
  return read;
}

// How many records a scan finds.
std::size_t scan_all(const record::ContainerFormat& format, std::span<const std::byte> file) {
  record::ContainerScanner scanner(format, std::make_unique<MemoryFile>(file));
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  std::uint64_t before = 0;
  std::size_t records = 0;
  for (std::size_t steps = 0;; ++steps) {
    expect(steps <= file.size() / format.smallest_record() + 2, "a scan comes to an end");
    const auto step = scanner.next(sample, info, bad);
    if (step == RecordScanner::Step::end) return records;
    const std::uint64_t offset = step == RecordScanner::Step::record ? info.offset : bad.offset;
    expect(offset >= before && offset <= file.size(), "a scan goes forward");
    before = offset;
    if (step == RecordScanner::Step::record) {
      expect_sound(sample);
      expect(info.offset + info.bytes <= file.size(), "a record lies in its file");
      ++records;
    } else {
      expect(!bad.reason.empty(), "damage has a reason");
    }
  }
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  if (bytes < 1) return -1;
  const RecordFormat chosen = kFormats[(data[0] & 0xf) % kFormats.size()];
  const record::ContainerFormat& format = record::container_format(chosen);
  const auto given = std::as_bytes(std::span(data + 1, bytes - 1));
  std::vector<std::byte> file(given.begin(), given.end());
  if (data[0] & kSeal) {
    if (chosen == RecordFormat::tar) seal_tar(file);
    if (chosen == RecordFormat::tfrecord) seal_tfrecord(file);
  }
  const MemoryFile opened(file);
  const record::RecordOffsets walked = record::walk_container(format, opened);
  const std::size_t scanned = scan_all(format, file);
  if (!walked.damage) expect(read_all(format, file, walked) >= scanned, "what a scan finds, a reader reads");
  return 0;
}
