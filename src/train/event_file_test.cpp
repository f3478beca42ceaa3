#include "train/event_file.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <vector>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "support/temp_dir.hpp"

namespace stoker::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <class T>
T number_at(std::string_view text, std::size_t at) {
  return load_le<T>(bytes_of(text).data() + at);
}

// The other way round: CRC by table, masked as the format's description words it.
std::uint32_t masked(std::string_view text) {
  const std::uint32_t crc = crc32c_reference(bytes_of(text));
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

std::vector<std::string> records_of(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const auto size = number_at<std::uint64_t>(file, 0);
    EXPECT_EQ(number_at<std::uint32_t>(file, 8), masked(file.substr(0, 8)));
    records.emplace_back(file.substr(12, size));
    EXPECT_EQ(number_at<std::uint32_t>(file, 12 + size), masked(records.back()));
    file.remove_prefix(16 + size);
  }
  return records;
}

// A protocol-buffer message: field → raw values, in order.
using Fields = std::multimap<unsigned, std::string>;
Fields fields_of(std::string_view text) {
  Fields fields;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(text.front());
      text.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  const auto take = [&](std::size_t bytes) {
    std::string part(text.substr(0, bytes));
    text.remove_prefix(bytes);
    return part;
  };
  while (!text.empty()) {
    const std::uint64_t key = varint();
    const auto field = static_cast<unsigned>(key >> 3);
    switch (key & 7) {
      case 0:
        fields.emplace(field, std::to_string(varint()));
        break;
      case 1:
        fields.emplace(field, take(8));
        break;
      case 2:
        fields.emplace(field, take(varint()));
        break;
      case 5:
        fields.emplace(field, take(4));
        break;
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        return fields;
    }
  }
  return fields;
}

std::string only(const Fields& fields, unsigned field) {
  EXPECT_EQ(fields.count(field), 1U) << field;
  const auto found = fields.find(field);
  return found == fields.end() ? "" : found->second;
}

TEST(EventFile, HoldsLinesAsScalars) {
  const test::TempDir folder;
  auto file = EventFile::create(folder.path("runs/a"), 0);
  ASSERT_TRUE(file) << file.error().what();
  EXPECT_THAT(std::filesystem::path(file->path()).filename().string(), StartsWith("events.out.tfevents."));
  TrainLine line{.phase = TrainPhase::train, .step = 300, .images_per_s = 99, .loss = 1.5, .accuracy = 0.25};
  line.lr = 0.05;
  ASSERT_TRUE(add_line(*file, line));
  const std::vector<std::string> records = records_of(test::read_file(file->path()));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(only(fields_of(records[0]), 3), "brain.Event:2");
  EXPECT_EQ(only(fields_of(only(fields_of(records[1]), 7)), 1), "1") << "a session begins";
  const Fields event = fields_of(records[2]);
  EXPECT_GT(std::bit_cast<double>(number_at<std::uint64_t>(only(event, 1), 0)), 1.7e9);
  EXPECT_EQ(only(event, 2), "300");
  std::map<std::string, float> values;
  for (const auto& [field, value] : fields_of(only(event, 5))) {
    EXPECT_EQ(field, 1U);
    const Fields scalar = fields_of(value);
    values[only(scalar, 1)] = number_at<float>(only(scalar, 2), 0);
  }
  EXPECT_EQ(values.at("train/loss"), 1.5F);
  EXPECT_EQ(values.at("train/accuracy"), 0.25F);
  EXPECT_EQ(values.at("train/lr"), 0.05F);
  EXPECT_EQ(values.at("train/images_per_s"), 99.0F);
  EXPECT_EQ(values.count("cost"), 0U) << "no price, no bill";
}

TEST(EventFile, ARunThatGoesOnHidesWhatItWritesAgain) {
  const test::TempDir folder;
  const auto first = EventFile::create(folder.path(), 0);
  const auto second = EventFile::create(folder.path(), 41);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path(), second->path());
  const std::vector<std::string> records = records_of(test::read_file(second->path()));
  EXPECT_EQ(only(fields_of(records[1]), 2), "41");
}

TEST(EventFile, SaysWhereItCannotWrite) {
  const test::TempDir folder;
  folder.write("file", "");
  const auto refused = EventFile::create(folder.path("file/below"), 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what(), HasSubstr("file/below"));
}

}  // namespace
}  // namespace stoker::training
