// What the mutation tests of all record formats share: files in memory, damage, and what must hold of what
// is read from them.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "base/philox.hpp"

namespace stoker::test {

using Files = std::map<std::string, std::string>;

// Files in memory, so that 20,000 rounds cost seconds.
class MemoryFile final : public ReadableFile {
 public:
  MemoryFile(std::string path, std::string bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
  }
  std::uint64_t bytes() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::string bytes_;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(Files files) : files_(std::move(files)) {}
  std::unique_ptr<ReadableFile> open_read(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) throw Error(ErrorCode::not_found, {.object = path});
    return std::make_unique<MemoryFile>(path, found->second);
  }
  std::optional<ObjectInfo> info(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return std::nullopt;
    return ObjectInfo{.path = path, .bytes = found->second.size()};
  }
  std::vector<ObjectInfo> list(const std::string& folder) override {
    throw Error(ErrorCode::not_found, {.object = folder});
  }
  std::unique_ptr<WritableFile> create(const std::string& path) override {
    throw Error(ErrorCode::io, {.object = path});
  }
  void remove(const std::string&) override {}

 private:
  const Files files_;
};

// A number that tends to break things, as 4 or 8 bytes.
inline std::string odd_number(SampleRng& rng) {
  static constexpr std::uint64_t kOdd[] = {0,
                                           1,
                                           3,
                                           4,
                                           7,
                                           8,
                                           0x1fffffff,
                                           0x20000000,
                                           0x3fffffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0xced7230a,
                                           0x0123456789abcdef,
                                           0x8000000000000000,
                                           ~std::uint64_t{0}};
  const std::uint64_t value = kOdd[rng.below(std::size(kOdd))] + rng.below(3) - 1;
  std::string bytes(rng.below(2) ? 4 : 8, '\0');
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

// Changes `text` at one random place, now and then by putting `marker` there.
inline void mutate(std::string& text, std::string_view marker, SampleRng& rng) {
  const auto place = [&] { return rng.below(text.size() + 1); };
  const std::size_t at = place();
  switch (rng.below(9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << rng.below(8));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(rng.next_u32());
      break;
    case 2:
      text.replace(at, std::min<std::size_t>(8, text.size() - at), odd_number(rng));
      break;
    case 3: {
      const std::string number = odd_number(rng);
      const std::size_t aligned = at & ~std::size_t{3};
      if (aligned + number.size() <= text.size()) text.replace(aligned, number.size(), number);
      break;
    }
    case 4:
      text.erase(at, rng.below(20));
      break;
    case 5:
      text.insert(at, std::string(rng.below(20), static_cast<char>(rng.next_u32())));
      break;
    case 6:
      text.resize(at);
      break;
    case 7:
      text.insert(at, text.substr(place(), rng.below(64)));
      break;
    default:
      text.insert(at & ~std::size_t{3}, marker);
      break;
  }
}

// Makes a record index's checksum right, so that what lies behind that check is reached.
inline void seal(std::string& index) {
  if (index.size() < 8) return;
  auto* bytes = reinterpret_cast<std::byte*>(index.data());
  store_le(bytes + index.size() - 8, crc32c(std::span(bytes, index.size() - 8)));
}

// Views must lie inside what was read.
inline void expect_sound(const Sample& sample) {
  ASSERT_LT(sample.main_field, sample.fields.size());
  const std::byte* begin = sample.buffer.data();
  for (const Field& field : sample.fields)
    EXPECT_TRUE(field.bytes.empty() ||
                (field.bytes.data() >= begin &&
                 field.bytes.data() + field.bytes.size() <= begin + sample.buffer.size()));
}

// Runs `step`; whatever is thrown but an Error fails the test.
template <class Step>
void only_errors(Step&& step) {
  try {
    step();
  } catch (const Error&) {
  }
}

struct Tally {
  std::uint64_t opened = 0, read = 0, refused = 0, scanned = 0, damages = 0;
};

inline void read_all(const std::string& source, const OpenOptions& options, Tally& tally) {
  only_errors([&] {
    ++tally.refused;
    const auto reader = open_records(source, options);
    --tally.refused;
    ++tally.opened;
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i)
      only_errors([&] {
        reader->info(i);
        reader->read(i, sample);
        expect_sound(sample);
        ++tally.read;
      });
  });
}

inline void scan_all(const std::string& source, const OpenOptions& options, std::size_t most_steps,
                     Tally& tally) {
  only_errors([&] {
    const auto scanner = scan_records(source, options);
    Sample sample;
    RecordInfo info;
    BadRecord bad;
    for (std::size_t steps = 0;; ++steps) {
      ASSERT_LE(steps, most_steps) << "the scan does not come to an end";
      const auto step = scanner->next(sample, info, bad);
      if (step == RecordScanner::Step::end) break;
      if (step == RecordScanner::Step::record) {
        expect_sound(sample);
        ++tally.scanned;
      } else {
        EXPECT_FALSE(bad.reason.empty());
        ++tally.damages;
      }
    }
  });
}

}  // namespace stoker::test
