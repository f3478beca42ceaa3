#include "bench/synth.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

#include "stoker/error.hpp"

#include "bench/synth_scene.hpp"
#include "bench/turbo_route.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, std::string> files_of(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), directory).string()] = test::read_file(entry.path());
  }
  return files;
}

SynthOptions small(const std::string& directory) {
  SynthOptions options;
  options.directory = directory;
  options.classes = 3;
  options.images = 6;
  options.width = 48;
  options.height = 40;
  options.threads = 1;
  return options;
}

ErrorCode code_of(const SynthOptions& options) {
  try {
    make_sample_images(options);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::internal;
}

TEST(Synth, WritesTheFoldersThatItReports) {
  const test::TempDir dir;
  const SynthReport report = make_sample_images(small(dir.path("set")));
  EXPECT_THAT(report.classes, ElementsAre("checked_cross", "plain_disk", "striped_triangle"));
  EXPECT_EQ(report.val_images, 3U);
  EXPECT_EQ(report.train_images, 15U);
  const auto files = files_of(dir.path("set"));
  ASSERT_EQ(files.size(), 18U);
  std::uint64_t bytes = 0, val = 0;
  for (const auto& [path, file] : files) {
    bytes += file.size();
    val += path.starts_with("val/");
    EXPECT_TRUE(path.ends_with(".jpg")) << path;
  }
  EXPECT_EQ(bytes, report.bytes);
  EXPECT_EQ(val, 3U);
  EXPECT_TRUE(files.contains("val/plain_disk/000000.jpg"));
  EXPECT_TRUE(files.contains("train/striped_triangle/000005.jpg"));
}

TEST(Synth, FilesAreJpegsOfTheAskedSizeThatShowTheScene) {
  const test::TempDir dir;
  make_sample_images(small(dir.path("set")));
  TurboDecoder decoder;
  const std::vector<SceneClass> classes = scene_classes(3);
  const std::string file = test::read_file(dir.path("set/train/striped_triangle/000003.jpg"));
  const auto pixels = decoder.decode(std::as_bytes(std::span(file)), 1'000'000);
  ASSERT_TRUE(pixels) << pixels.error().what();
  ASSERT_EQ(pixels->width, 48);
  ASSERT_EQ(pixels->height, 40);
  const std::vector<std::uint8_t> drawn = draw_scene(classes[2], 48, 40, 0, 3);
  double difference = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) difference += std::abs(pixels->data[i] - drawn[i]);
  // Quality 90 with chroma at half size on a noisy picture: a few levels in the mean; another picture is off
  // by tens.
  EXPECT_LT(difference / static_cast<double>(drawn.size()), 8);
}

TEST(Synth, SameFilesForAnyNumberOfThreads) {
  const test::TempDir dir;
  SynthOptions options = small(dir.path("one"));
  make_sample_images(options);
  options.directory = dir.path("seven");
  options.threads = 7;
  make_sample_images(options);
  EXPECT_EQ(files_of(dir.path("one")), files_of(dir.path("seven")));
}

TEST(Synth, AnotherSeedDrawsOtherPictures) {
  const test::TempDir dir;
  SynthOptions options = small(dir.path("a"));
  make_sample_images(options);
  options.directory = dir.path("b");
  options.seed = 1;
  make_sample_images(options);
  const auto a = files_of(dir.path("a")), b = files_of(dir.path("b"));
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [path, file] : a) EXPECT_NE(file, b.at(path)) << path;
}

TEST(Synth, AClassDrawsTheSameWhateverOtherClassesThereAre) {
  const test::TempDir dir;
  SynthOptions options = small(dir.path("few"));
  make_sample_images(options);
  options.directory = dir.path("many");
  options.classes = kSynthMaxClasses;
  make_sample_images(options);
  EXPECT_EQ(test::read_file(dir.path("few/val/plain_disk/000000.jpg")),
            test::read_file(dir.path("many/val/plain_disk/000000.jpg")));
}

TEST(Synth, EveryNumberOfClassesHasNamesOfItsOwnInOrder) {
  for (int count = kSynthMinClasses; count <= kSynthMaxClasses; ++count) {
    std::vector<std::string> names;
    for (const SceneClass& what : scene_classes(count)) names.push_back(what.name());
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  }
}

// How much neighbouring pixels of disks with this surface differ, in the mean over some pictures.
double roughness(Surface surface) {
  constexpr int kSide = 96, kPictures = 30;
  double sum = 0;
  for (std::uint64_t image = 0; image < kPictures; ++image) {
    const auto picture = draw_scene({Shape::disk, surface}, kSide, kSide, 3, image);
    for (std::size_t i = 3; i < picture.size(); ++i) sum += std::abs(picture[i] - picture[i - 3]);
  }
  return sum / (kPictures * kSide * kSide * 3);
}

TEST(Synth, EverySurfaceButThePlainOneShowsAPattern) {
  const double plain = roughness(Surface::plain);
  for (int surface = 1; surface < kSurfaceCount; ++surface) {
    // 8 % and more, though the disk is but a fifth of the picture; thirty pictures agree within 1 %.
    EXPECT_GT(roughness(static_cast<Surface>(surface)), 1.05 * plain)
        << to_string(static_cast<Surface>(surface));
  }
}

TEST(Synth, OptionsOutOfRangeAreNamed) {
  const test::TempDir dir;
  const auto message_of = [&](auto&& change) {
    SynthOptions options = small(dir.path("set"));
    change(options);
    try {
      make_sample_images(options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message_of([](SynthOptions& o) { o.classes = 25; }), HasSubstr("classes: 25; allowed: 2..24"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.classes = 1; }), HasSubstr("classes: 1"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.images = 1; }), HasSubstr("images: 1"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.width = 31; }), HasSubstr("width: 31"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.height = 4097; }), HasSubstr("height: 4097"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.threads = -1; }), HasSubstr("threads: -1"));
  EXPECT_THAT(message_of([](SynthOptions& o) { o.directory = ""; }), HasSubstr("directory"));
  EXPECT_FALSE(std::filesystem::exists(dir.path("set")));
}

TEST(Synth, RefusesAFolderThatHoldsSomethingAndLeavesItAlone) {
  const test::TempDir dir;
  dir.write("set/val/cats/mine.jpg", "not ours");
  EXPECT_EQ(code_of(small(dir.path("set"))), ErrorCode::invalid_argument);
  EXPECT_EQ(files_of(dir.path("set")).size(), 1U);
  dir.write("flat/train", "a file");
  EXPECT_EQ(code_of(small(dir.path("flat"))), ErrorCode::invalid_argument);
}

TEST(Synth, TakesAnEmptyFolderAndOthersBesideIt) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path("set/train"));
  dir.write("set/notes.txt", "mine");
  make_sample_images(small(dir.path("set")));
  EXPECT_EQ(files_of(dir.path("set")).size(), 19U);
}

TEST(Synth, CancelledItLeavesNoFile) {
  const test::TempDir dir;
  SynthOptions options = small(dir.path("set"));
  options.images = 500;
  options.threads = 2;
  std::atomic<bool> cancel{false};
  std::uint64_t seen = 0;
  try {
    make_sample_images(
        options,
        [&](std::uint64_t done, std::uint64_t) {
          seen = done;
          cancel = true;
        },
        &cancel);
    FAIL() << "it was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_GT(seen, 0U);
  EXPECT_LT(seen, 1500U);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "not even the folder";
}

TEST(Synth, AProgressCallbackThatThrowsEndsIt) {
  const test::TempDir dir;
  SynthOptions options = small(dir.path("set"));
  options.images = 500;
  EXPECT_THROW(
      make_sample_images(options, [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); }),
      std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Synth, FailedItLeavesAFolderOfTheUsersAsItWas) {
  const test::TempDir dir;
  dir.write("set/notes.txt", "mine");
  SynthOptions options = small(dir.path("set"));
  options.images = 500;
  EXPECT_THROW(
      make_sample_images(options, [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); }),
      std::runtime_error);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("set")))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, ElementsAre("notes.txt"));
}

TEST(Synth, WhatAKilledRunLeftIsRemoved) {
  const test::TempDir dir;
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  ASSERT_EQ(waitpid(dead, nullptr, 0), dead);
  dir.write("set/.synth.stoker-" + std::to_string(dead) + "-0.tmp/train/disk/000000.jpg", "half");
  make_sample_images(small(dir.path("set")));
  EXPECT_EQ(files_of(dir.path("set")).size(), 18U);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("set")))
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
}

TEST(Synth, AFolderThatCannotBeMadeIsAnError) {
  const test::TempDir dir;
  dir.write("file", "not a folder");
  EXPECT_THROW(make_sample_images(small(dir.path("file/set"))), Error);
}

}  // namespace
}  // namespace stoker::bench
