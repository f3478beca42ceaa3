// Every odd image of the sample data: decoded to the expected mean, or refused, in bounded time and memory.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <sys/resource.h>

#include "stoker/image.hpp"

#include "base/crc.hpp"
#include "image/decoder.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

using Row = std::map<std::string, std::string>;
using Seconds = std::chrono::duration<double>;

constexpr double kMeanTolerance = 0.5;  // levels: what accurate decoders differ by on these pictures
constexpr Seconds kTimeLimit{2};
constexpr long kPeakKib = 1'536 * 1'024;

// What the policy refuses though libjpeg repairs it: fewer bits than blocks (src/jpeg/README.md).
const std::set<std::string> kTooSmallForTheirSize{
    "size-193x31423-613-bytes.jpg", "truncated-2544x3300-755-bytes.jpg", "truncated-2544x3300-restarts.jpg"};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::array<double, 3> mean_of(const image::RgbView& view) {
  std::array<double, 3> sums{};
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* row = view.data + static_cast<std::size_t>(y) * view.stride;
    for (int x = 0; x < view.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) sums[c] += row[3 * x + static_cast<int>(c)];
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(view.width) * view.height;
  return sums;
}

// "12.5,3.0,7.1 (a remark)"
std::array<double, 3> parse_mean(const std::string& text) {
  std::array<double, 3> mean{};
  std::istringstream stream(text);
  char comma;
  stream >> mean[0] >> comma >> mean[1] >> comma >> mean[2];
  EXPECT_TRUE(stream) << text;
  return mean;
}

class OddImages : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::shared_data("odd-images");
    if (folder_.empty()) GTEST_SKIP() << "sample data is absent: odd-images";
    rows_ = test::read_tsv(folder_ + "/MANIFEST.tsv");
    ASSERT_GE(rows_.size(), 129u);
  }
  std::string read(const std::string& name) const { return test::read_file(folder_ + "/" + name); }

  std::string folder_;
  std::vector<Row> rows_;
  image::Decoder decoder_;
};

bool is_refusal_of_the_file(ErrorCode code) {
  return code == ErrorCode::corrupt_data || code == ErrorCode::unsupported ||
         code == ErrorCode::out_of_resources;
}

TEST_F(OddImages, AreDecodedOrRefusedAsExpected) {
  int decoded_count = 0, refused_count = 0, warned_count = 0;
  for (const Row& row : rows_) {
    const std::string name = row.at("file");
    const std::string file = read(name);
    const std::string expected = row.at("expected").substr(0, row.at("expected").find(';'));
    const auto begun = std::chrono::steady_clock::now();
    const auto decoded = decoder_.decode(bytes_of(file), {});
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begun).count(), kTimeLimit.count()) << name;
    if (!decoded) {
      ++refused_count;
      EXPECT_TRUE(is_refusal_of_the_file(decoded.error().code())) << name << ": " << decoded.error().what();
      EXPECT_NE(expected, "decode") << name << ": " << decoded.error().what();
      if (expected == "decode-warn") {
        EXPECT_EQ(kTooSmallForTheirSize.count(name), 1u) << name << ": " << decoded.error().what();
      }
      continue;
    }
    ++decoded_count;
    EXPECT_NE(expected, "reject") << name;
    if (expected == "decode") {
      EXPECT_EQ(decoded->warning, "") << name;
    }
    if (expected == "decode-warn") {
      EXPECT_NE(decoded->warning, "") << name;
      ++warned_count;
    }
    const std::array<double, 3> mean = mean_of(decoded->pixels);
    if (row.at("mean_rgb_islow") == "-") continue;
    const std::array<double, 3> right = parse_mean(row.at("mean_rgb_islow"));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(mean[c], right[c], kMeanTolerance) << name;
  }
  EXPECT_GE(decoded_count, 95);
  EXPECT_GE(refused_count, 25);
  EXPECT_GE(warned_count, 15);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, kPeakKib) << "KiB of peak resident memory";
}

TEST_F(OddImages, TellTheirHeaders) {
  for (const Row& row : rows_) {
    const std::string name = row.at("file");
    const std::string file = read(name);
    const auto info = decoder_.info(bytes_of(file));
    // A header that is broken may be read in part or refused; all others tell what stands in the list.
    if (row.at("expected").starts_with("reject")) continue;
    ASSERT_TRUE(info) << name << ": " << info.error().what();
    EXPECT_EQ(to_string(info->kind), row.at("kind")) << name;
    EXPECT_EQ(std::to_string(info->width) + "x" + std::to_string(info->height), row.at("stored_WxH")) << name;
    if (info->kind != ImageKind::jpeg) continue;
    EXPECT_EQ(info->process, row.at("process")) << name;
    EXPECT_EQ(std::to_string(info->components), row.at("components")) << name;
    EXPECT_EQ(info->sampling, row.at("sampling")) << name;
    const std::string orientation = row.at("exif_orientation");
    EXPECT_EQ(info->orientation, orientation == "-" || orientation == "0" ? 1 : std::stoi(orientation))
        << name;
    // This one defines its interval anew behind the first scan.
    if (name == "progressive-restart-non-interleaved.jpg") continue;
    const std::string interval = row.at("restart_interval");
    EXPECT_EQ(info->restart_interval, interval == "-" ? 0 : std::stoi(interval)) << name;
  }
}

TEST_F(OddImages, InksComeToTheColoursOfTheRgbTwin) {
  const Image inks = decode_image(bytes_of(read("cmyk-merge-test.jpg")));
  const Image light = decode_image(bytes_of(read("cmyk-merge-test-rgb.jpg")));
  ASSERT_EQ(inks.rgb.size(), light.rgb.size());
  double sum = 0;
  for (std::size_t i = 0; i < inks.rgb.size(); ++i) sum += std::abs(inks.rgb[i] - light.rgb[i]);
  // Two lossy files of one picture; inverted inks would be above 100.
  EXPECT_LT(sum / static_cast<double>(inks.rgb.size()), 5);
}

TEST_F(OddImages, RefusalsSayWhatTheFileIs) {
  const auto text_of = [&](const std::string& name) {
    const auto decoded = decoder_.decode(bytes_of(read(name)), {});
    return decoded ? "decoded" : std::string(decoded.error().what());
  };
  EXPECT_THAT(text_of("lfs-pointer-named-jpg.jpg"), testing::HasSubstr("git-LFS pointer"));
  EXPECT_THAT(text_of("gif-named-jpg.jpg"), testing::HasSubstr("gif file"));
  EXPECT_THAT(text_of("bmp-named-jpg.jpg"), testing::HasSubstr("bmp file"));
  EXPECT_THAT(text_of("empty-0-bytes.jpg"), testing::HasSubstr("no bytes"));
  EXPECT_THAT(text_of("size-0-height.jpg"), testing::HasSubstr("DNL"));
  EXPECT_THAT(text_of("12bit-extended.jpg"), testing::HasSubstr("precision 12"));
  EXPECT_THAT(text_of("truncated-2544x3300-755-bytes.jpg"), testing::HasSubstr("2544 x 3300"));
  EXPECT_EQ(text_of("png-named-jpg.jpg"), "decoded") << "the content counts, not the name";
}

// A used decoder must give the pixels of a fresh one, whatever it met before.
TEST_F(OddImages, LeaveNothingBehindForTheNext) {
  const std::string photo = read("sampling-420-baseline.jpeg");
  const auto fingerprint = [](const image::RgbView& view) {
    std::uint32_t crc = 0;
    for (int y = 0; y < view.height; ++y) {
      const std::uint8_t* pixels = view.data + static_cast<std::size_t>(y) * view.stride;
      crc = crc32c(std::as_bytes(std::span(pixels, 3 * static_cast<std::size_t>(view.width))), crc);
    }
    return crc;
  };
  image::Decoder fresh;
  const std::uint32_t expected = fingerprint(fresh.decode(bytes_of(photo), {})->pixels);
  for (const Row& row : rows_) {
    const std::string file = read(row.at("file"));
    static_cast<void>(decoder_.decode(bytes_of(file), {}));
    const auto decoded = decoder_.decode(bytes_of(photo), {});
    ASSERT_TRUE(decoded) << "behind " << row.at("file");
    ASSERT_EQ(fingerprint(decoded->pixels), expected) << "behind " << row.at("file");
    ASSERT_EQ(decoded->warning, "") << "behind " << row.at("file");
  }
}

}  // namespace
}  // namespace stoker
