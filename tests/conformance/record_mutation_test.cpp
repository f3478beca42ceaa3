// Damaged containers, indexes, lists and descriptions: whatever their bytes, only stoker::Error comes out,
// soon, and no memory is taken that the files do not hold. Deterministic: a failing round is named by its
// number.
#include <cstring>
#include <gmock/gmock.h>
#include <map>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "base/philox.hpp"
#include "record_allocation_watch.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

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

const std::string kMagic = "\x0a\x23\xd7\xce";

// A container with whole, multi-part, empty, labelled and raw records, its indexes, a description and a list.
Files sound_files() {
  const test::TempDir folder;
  const auto writer = open_record_writer(folder.path("x.rec"));
  const std::vector<float> labels = {1, 2, 3};
  const std::string data = "some bytes of an image";
  for (int i = 0; i < 12; ++i) {
    const std::string bytes =
        i % 4 == 0 ? data.substr(0, 4) + kMagic + kMagic + data : data.substr(0, static_cast<std::size_t>(i));
    const std::size_t label_count = static_cast<std::size_t>(i) % 4;
    writer->append("k", std::span(labels).first(label_count), {"image", std::as_bytes(std::span(bytes))});
  }
  writer->finish();
  Files files;
  for (const char* name : {"x.rec", "x.idx", "x.rec.index"}) files[name] = test::read_file(folder.path(name));
  files["x.dataset.json"] =
      R"({"schema": "stoker.dataset/1", "classes": ["a", "b"], "records": 12, "bytes": 500, "skipped": 0,)"
      R"( "shards": [{"path": "x.rec", "records": 12, "bytes": 500, "crc32c": 1}], "options": {"quality": 90},)"
      R"( "source": {"samples": 12, "bytes": 3, "crc32c": 2}})";
  files["x.lst"] = "0\t1\ta.jpg\n1\t2\t3.5\ta.jpg\n7 1 b c.jpg\n";
  files["a.jpg"] = "bytes";
  files["b c.jpg"] = "";
  return files;
}

// A number that tends to break things, as 4 or 8 bytes.
std::string odd_number(SampleRng& rng) {
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

void mutate(std::string& text, SampleRng& rng) {
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
      text.insert(at & ~std::size_t{3}, kMagic);
      break;
  }
}

// Makes a record index's checksum right, so that what lies behind that check is reached.
void seal(std::string& index) {
  if (index.size() < 8) return;
  auto* bytes = reinterpret_cast<std::byte*>(index.data());
  store_le(bytes + index.size() - 8, crc32c(std::span(bytes, index.size() - 8)));
}

// Views must lie inside what was read.
void expect_sound(const Sample& sample) {
  const auto main = sample.main();
  const std::byte* begin = sample.buffer.data();
  EXPECT_TRUE(main.empty() ||
              (main.data() >= begin && main.data() + main.size() <= begin + sample.buffer.size()));
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

void read_all(const std::string& source, const OpenOptions& options, Tally& tally) {
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

void scan_all(const std::string& source, const OpenOptions& options, std::size_t most_steps, Tally& tally) {
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

TEST(RecordMutation, OnlyErrorsComeOut) {
  constexpr int kRounds = 20'000;
  constexpr std::size_t kLargestAllowed =
      8 << 20;  // windows and line buffers are 1 MiB; the files, a few hundred bytes
  const Files sound = sound_files();
  const std::vector<std::string> targets = {"x.rec", "x.idx", "x.rec.index", "x.dataset.json", "x.lst"};
  Tally tally;
  test::reset_largest_allocation();
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SampleRng rng(20, 0, static_cast<std::uint64_t>(round), 0);
    Files files = sound;
    const std::string& target = targets[rng.below(targets.size())];
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) mutate(files[target], rng);
    if (target == "x.rec.index" && rng.below(4) != 0) seal(files[target]);
    if (target != "x.rec.index" && rng.below(2)) files.erase("x.rec.index");
    if (target != "x.idx" && rng.below(2)) files.erase("x.idx");
    const std::size_t container_bytes = files["x.rec"].size();
    // No cache can be written below a file, so every round stands for itself.
    const OpenOptions options{
        .root = "", .index_dir = "/dev/null/none", .store = std::make_shared<MemoryStore>(files)};
    const std::string source = target == "x.lst" ? target : "x.rec";
    read_all(source, options, tally);
    scan_all(source, options, container_bytes + files["x.lst"].size() + 8, tally);
    only_errors([&] { check_indexes(source, options); });
    ASSERT_LE(test::largest_allocation(), kLargestAllowed);
    if (testing::Test::HasFailure()) return;
  }
  // The rounds must have met both fates of every step, or they would prove nothing.
  EXPECT_GT(tally.opened, kRounds / 10u);
  EXPECT_GT(tally.refused, kRounds / 10u);
  EXPECT_GT(tally.read, kRounds / 2u);
  EXPECT_GT(tally.scanned, kRounds / 2u);
  EXPECT_GT(tally.damages, kRounds / 20u);
}

}  // namespace
}  // namespace stoker
