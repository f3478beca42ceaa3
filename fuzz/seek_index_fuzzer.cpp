// A seek index of any bytes: refused, or entries that lie in it and say what they say.
//
// The first byte of an input chooses which checksums are made right before it is read (so that what lies
// behind them is reached), and whether the file is cut while it is open; the rest is the file.
#include <memory>
#include <vector>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "fuzzer.hpp"
#include "memory_file.hpp"
#include "record/seek_index.hpp"

namespace stoker::fuzz {
namespace {

constexpr unsigned kSealEntries = 1, kSealDirectory = 2, kCut = 4;
// Source: docs/formats/seek-index.md.
constexpr std::size_t kRecordsAt = 16, kHeaderBytes = 64, kTrailerBytes = 8;
constexpr std::size_t kMostRecords = 200;

// Makes checksums right, as far as the file has the places for them.
void seal(std::vector<std::byte>& file, unsigned chosen) {
  if (file.size() < kHeaderBytes + 8 + kTrailerBytes) return;
  const auto records = load_le<std::uint64_t>(file.data() + kRecordsAt);
  if (records > (file.size() - kHeaderBytes - 8 - kTrailerBytes) / 8) return;
  const std::size_t directory = file.size() - kTrailerBytes - 8 * (records + 1);
  const std::span<const std::byte> all(file);
  for (std::size_t i = 0; (chosen & kSealEntries) && i < records; ++i) {
    const auto begin = load_le<std::uint64_t>(file.data() + directory + 8 * i);
    const auto end = load_le<std::uint64_t>(file.data() + directory + 8 * i + 8);
    if (begin < kHeaderBytes || end > directory || end < begin || end - begin < 4) continue;
    std::array<std::byte, 8> number;
    store_le(number.data(), std::uint64_t{i});
    store_le(file.data() + end - 4, crc32c(all.subspan(begin, end - 4 - begin), crc32c(number)));
  }
  if (chosen & kSealDirectory)
    store_le(file.data() + file.size() - kTrailerBytes,
             crc32c(all.subspan(directory, 8 * (records + 1)), crc32c(all.first(kHeaderBytes))));
}

void expect_sound(std::uint64_t record, const record::ParsedEntry& parsed,
                  std::span<const std::byte> memory) {
  expect((parsed.entry.points > 0) == !parsed.packed.empty(), "an entry has points or has none");
  expect(
      parsed.packed.empty() || (parsed.packed.data() >= memory.data() &&
                                parsed.packed.data() + parsed.packed.size() <= memory.data() + memory.size()),
      "points lie in what was read");
  expect(parsed.packed.size() <= parsed.entry.bytes, "points take no more room than their image");
  std::vector<std::byte> again;
  record::append_entry(record, parsed.entry, parsed.packed, again);
  expect(std::ranges::equal(again, memory), "an entry is written as it was read");
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  if (bytes < 1) return -1;
  const unsigned chosen = data[0];
  const auto given = std::as_bytes(std::span(data + 1, bytes - 1));
  std::vector<std::byte> file(given.begin(), given.end());
  seal(file, chosen);
  auto opened = std::make_unique<MemoryFile>(file);
  MemoryFile& held = *opened;
  const auto index = record::SeekIndex::open(std::move(opened));
  if (!index) return 0;
  expect(index->records() <= file.size() / 8, "no more records than the directory holds");
  if (chosen & kCut) held.cut(file.size() / 2);
  std::vector<std::byte> memory;
  for (std::size_t i = 0; i < std::min(index->records(), kMostRecords); ++i) {
    const std::uint64_t most = (chosen & 8) ? 100 : record::kMostPackedBytes;
    expect(!index->has_points(i) || index->has_entry(i), "points are of an entry");
    const auto parsed = index->read(i, most, memory);
    if (parsed) expect_sound(i, *parsed, memory);
  }
  return 0;
}
