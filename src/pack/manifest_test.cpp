#include "pack/manifest.hpp"

#include <gtest/gtest.h>

namespace stoker::packing {
namespace {

PackReport report() {
  PackReport report;
  report.inputs = 5;
  report.packed = 4;
  report.skipped_count = 1;
  report.bytes_out = 1000;
  report.classes = {"ant", "bee"};
  report.shards = {{"out/deep/set.rec", 4, 1000, 0x1234}};
  return report;
}

Destination destination() { return destination_of({.destination = "out/deep/set.rec"}); }

TEST(Manifest, NamesNoFolderOfThisMachine) {
  const auto manifest = make_manifest({}, report(), {5, 999, 0xBEEF}, destination());
  ASSERT_EQ(manifest.shards.size(), 1U);
  EXPECT_EQ(manifest.shards[0], (record::ManifestShard{"set.rec", 4, 1000, 0x1234}));
  EXPECT_EQ(manifest.source, (record::ManifestSource{5, 999, 0xBEEF}));
  EXPECT_EQ(manifest.records, 4U);
  EXPECT_EQ(manifest.skipped, 1U);
  EXPECT_EQ(manifest.classes, (std::vector<std::string>{"ant", "bee"}));
}

TEST(Manifest, TellsOnlyTheOptionsThatShapeBytes) {
  using Options = std::map<std::string, std::string>;
  EXPECT_EQ(options_text({.source = "x", .threads = 7}), Options());
  EXPECT_EQ(options_text({.source = "x",
                          .label_offset = -1,
                          .resize_short = 256,
                          .enlarge = true,
                          .center_crop = true,
                          .quality = 80,
                          .encode = Encode::jpeg,
                          .subsampling = Subsampling::s420,
                          .max_pixels = 1000}),
            (Options{{"resize-short", "256"},
                     {"enlarge", "true"},
                     {"center-crop", "true"},
                     {"quality", "80"},
                     {"encode", "jpeg"},
                     {"subsampling", "420"},
                     {"label-offset", "-1"},
                     {"max-pixels", "1000"}}));
  EXPECT_EQ(options_text({.source = "x", .max_side = 500, .baseline = true, .upright = true}),
            (Options{{"max-side", "500"}, {"baseline", "true"}, {"upright", "true"}}));
}

TEST(Manifest, ReadsBackToTheSame) {
  const auto manifest =
      make_manifest(options_text({.source = "x", .quality = 80}), report(), {5, 999, 0xBEEF}, destination());
  const auto text = record::manifest_to_json(manifest);
  ASSERT_TRUE(text);
  const auto again = record::manifest_from_json(*text, "x.dataset.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, manifest);
}

}  // namespace
}  // namespace stoker::packing
