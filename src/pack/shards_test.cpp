// Packs of several shards: the same however they are made, and gone on with after any stop.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "stoker/error.hpp"
#include "stoker/pack.hpp"

#include "pack/packer.hpp"
#include "pack/test_images.hpp"
#include "record/dataset_manifest.hpp"
#include "store/faulty_store.hpp"
#include "store/file_lock.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;
namespace fs = std::filesystem;

struct Shards : testing::Test {
  test::TempDir dir;
  PackOptions options{.source = dir.path("photos"), .destination = dir.path("out/set.rec"), .shards = 5};

  // Every file below `folder`: name → bytes.
  static std::map<std::string, std::string> files_in(const std::string& folder) {
    std::map<std::string, std::string> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file())
        files[fs::relative(entry.path(), folder).string()] = test::read_file(entry.path());
    return files;
  }

  // What one clean pack with these options leaves.
  std::map<std::string, std::string> clean(PackOptions clean_options) {
    clean_options.destination = dir.path("clean/set" + fs::path(options.destination).extension().string());
    fs::remove_all(dir.path("clean"));
    pack(clean_options);
    return files_in(dir.path("clean"));
  }

  std::string failure() {
    try {
      pack(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Shards, HoldTheSourceInOrderAndAreNamedByTheManifest) {
  const auto files = write_photos(dir, 23);
  const PackReport report = pack(options);
  ASSERT_EQ(report.shards.size(), 5U);
  EXPECT_EQ(report.shards[0].path, dir.path("out/set-000000.rec"));
  std::vector<std::string> bytes;
  for (const PackedShard& shard : report.shards)
    for (const auto& record : read_all(shard.path)) bytes.push_back(record.bytes);
  ASSERT_EQ(bytes.size(), files.size());
  std::size_t i = 0;
  for (const auto& [key, file] : files) EXPECT_EQ(bytes[i++], file) << key;
  const auto manifest = record::read_manifest(*open_store("."), options.destination);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->shards.size(), 5U);
  EXPECT_EQ(manifest->shards[4].path, "set-000004.rec");
  EXPECT_EQ(manifest->format, "recordio");
  EXPECT_FALSE(fs::exists(dir.path("out/set.packing")));
}

TEST_F(Shards, BySizeStayBelowIt) {
  write_photos(dir, 40);
  options.shards = 0;
  options.shard_bytes = 20'000;
  const PackReport report = pack(options);
  EXPECT_GT(report.shards.size(), 2U);
  for (const PackedShard& shard : report.shards) EXPECT_LE(shard.bytes, options.shard_bytes) << shard.path;
  const PackReport planned = plan_pack(options);
  EXPECT_NEAR(static_cast<double>(planned.bytes_out), static_cast<double>(report.bytes_out),
              0.1 * static_cast<double>(report.bytes_out));
}

TEST_F(Shards, AreTheSameForAnyNumberOfThreadsAndParts) {
  write_photos(dir, 31);
  dir.write("photos/bee/500.jpg", "text");
  options.max_bad_share = 0.1;
  for (const int resize : {0, 40}) {
    options.resize_short = resize;
    const auto expected = clean(options);
    for (const int threads : {1, 2, 7}) {
      options.threads = threads;
      fs::remove_all(dir.path("out"));
      pack(options);
      EXPECT_TRUE(files_in(dir.path("out")) == expected) << threads << " threads";
    }
    fs::remove_all(dir.path("out"));
    for (const std::uint64_t part : {2, 0, 1}) {
      PackOptions one = options;
      one.part = {part, 3};
      const PackReport report = pack(one);
      EXPECT_TRUE(report.waits_for_merge);
      EXPECT_FALSE(fs::exists(dir.path("out/set.dataset.json")));
    }
    const PackReport merged = merge_pack(options);
    EXPECT_EQ(merged.inputs, 32U);
    EXPECT_EQ(merged.packed, 31U);
    ASSERT_EQ(merged.skipped.size(), 1U);
    EXPECT_EQ(merged.skipped[0].key, "bee/500.jpg");
    EXPECT_TRUE(files_in(dir.path("out")) == expected) << "parts, resize " << resize;
    EXPECT_EQ(merge_pack(options).packed, 31U) << "a second merge changes nothing";
    EXPECT_TRUE(files_in(dir.path("out")) == expected);
  }
}

TEST_F(Shards, AMergeWithoutAPartNamesWhatIsMissing) {
  write_photos(dir, 10);
  options.part = {1, 3};
  pack(options);
  try {
    merge_pack(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string_view(error.what()).find("set-000000.rec"), std::string_view::npos) << error.what();
  }
  options.destination = dir.path("out/other.rec");
  EXPECT_THROW(merge_pack(options), Error);
}

TEST_F(Shards, AFailureInTheMiddleKeepsWhatIsFinishedAndResumeTakesItOver) {
  write_photos(dir, 30);
  const auto expected = clean(options);
  const auto counting = std::make_shared<store::FaultyStore>(open_store("."));
  run_pack(options, counting, {}, nullptr);
  const std::uint64_t commits = counting->calls().commits;
  for (std::uint64_t call = 3; call < commits; call += 5) {
    fs::remove_all(dir.path("out"));
    const auto faulty = std::make_shared<store::FaultyStore>(
        open_store("."), store::Faults{.commits = {.first = call, .code = ErrorCode::out_of_resources}});
    EXPECT_THROW(run_pack(options, faulty, {}, nullptr), Error);
    EXPECT_FALSE(fs::exists(dir.path("out/set.dataset.json")));
    options.resume = true;
    const PackReport report = pack(options);
    options.resume = false;
    EXPECT_EQ(report.inputs, 30U);
    EXPECT_TRUE(files_in(dir.path("out")) == expected) << "commit " << call;
  }
}

void flip_byte(const std::string& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 1));
}

TEST_F(Shards, FinishedShardsThatWereCutOrLackAFileAreMadeAgain) {
  write_photos(dir, 30);
  const auto expected = clean(options);
  for (const char* damage : {"set-000000.rec", "set-000000.rec flipped", "set-000000.rec.list",
                             "set-000000.rec.seek", "set-000000.idx"}) {
    fs::remove_all(dir.path("out"));
    options.part = {0, 3};
    pack(options);
    const bool flipped = std::string_view(damage).ends_with("flipped");
    const std::string path =
        dir.path("out/set.packing/" + std::string(damage).substr(0, std::string_view(damage).find(' ')));
    ASSERT_TRUE(fs::exists(path)) << path;
    if (flipped)
      flip_byte(path, 1000);
    else if (path.ends_with(".rec"))
      fs::resize_file(path, 100);
    else
      fs::remove(path);
    options.part = {};
    options.resume = true;
    pack(options);
    options.resume = false;
    EXPECT_TRUE(files_in(dir.path("out")) == expected) << damage;
  }
}

TEST_F(Shards, AMergeNamesAnotherSource) {
  write_photos(dir, 30);
  for (std::uint64_t i = 0; i < 2; ++i) {
    options.part = {i, 2};
    pack(options);
  }
  options.source = dir.path("elsewhere");
  try {
    merge_pack(options);
    FAIL() << "a merge of another source's parts";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("photos, where"), std::string::npos) << error.what();
  }
}

TEST_F(Shards, AMergeNamesOptionsThatDifferAndShardsThatChanged) {
  write_photos(dir, 30);
  for (std::uint64_t i = 0; i < 2; ++i) {
    options.part = {i, 2};
    pack(options);
  }
  options.part = {};
  const auto refused = [](const PackOptions& merged, const std::string& words) {
    try {
      merge_pack(merged);
      ADD_FAILURE() << "merged: " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  PackOptions other = options;
  other.quality = 50;
  refused(other, "--quality is 50 now, and was not given");
  flip_byte(dir.path("out/set.packing/set-000000.rec"), 1000);
  refused(options, "the first: set-000000.rec");
  options.part = {0, 2};
  pack(options);
  merge_pack({.source = "", .destination = options.destination});
  EXPECT_TRUE(fs::exists(dir.path("out/set.dataset.json")));
}

TEST_F(Shards, WithoutResumeFinishedWorkIsNotThrownAway) {
  write_photos(dir, 30);
  const auto faulty =
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.commits = {.first = 30}});
  EXPECT_THROW(run_pack(options, faulty, {}, nullptr), Error);
  EXPECT_NE(failure().find("--resume"), std::string::npos);
  EXPECT_TRUE(fs::exists(dir.path("out/set.packing")));
  options.resume = true;
  options.quality = 50;
  EXPECT_NE(failure().find("--quality"), std::string::npos);
  options.quality.reset();
  fs::rename(dir.path("photos"), dir.path("moved"));
  options.source = dir.path("moved");
  EXPECT_NE(failure().find("the source"), std::string::npos);
  fs::rename(dir.path("moved"), dir.path("photos"));
  options.source = dir.path("photos");
  const PackReport report = pack(options);
  EXPECT_GT(report.shards_kept, 0U);
  EXPECT_LT(report.shards_kept, 5U);
}

TEST_F(Shards, ResumeDoesNotWalkTheTreeAgain) {
  write_photos(dir, 20);
  const auto faulty =
      std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.commits = {.first = 20}});
  EXPECT_THROW(run_pack(options, faulty, {}, nullptr), Error);
  dir.write("photos/ant/000-new.jpg", jpeg_file(50, 50, 1));
  options.resume = true;
  EXPECT_EQ(pack(options).inputs, 20U) << "the listing of the first run counts";
}

TEST_F(Shards, ANewPackRemovesTheShardsOfTheOldOne) {
  write_photos(dir, 20);
  pack(options);
  options.shards = 2;
  pack(options);
  EXPECT_TRUE(fs::exists(dir.path("out/set-000001.rec")));
  for (const char* ending : {"", ".index", ".seek"})
    EXPECT_FALSE(fs::exists(dir.path("out/set-000002.rec") + ending));
  EXPECT_FALSE(fs::exists(dir.path("out/set-000004.idx")));
}

TEST_F(Shards, ASetOfAnotherFormatIsNotReplaced) {
  write_photos(dir, 6);
  pack(options);
  const auto before = files_in(dir.path("out"));
  options.destination = dir.path("out/set.tar");
  EXPECT_NE(failure().find("set.dataset.json"), std::string::npos);
  EXPECT_TRUE(files_in(dir.path("out")) == before);
}

// Every format holds what every other one gave it.
TEST_F(Shards, AnySourcePacksToAnyFormat) {
  const auto files = write_photos(dir, 12);
  const std::string endings[] = {"rec", "tar", "tfrecord"};
  for (const std::string& first : endings) {
    options.source = dir.path("photos");
    options.destination = dir.path("first/" + first + "/set." + first);
    pack(options);
    for (const std::string& second : endings) {
      PackOptions again{.source = dir.path("first/" + first),
                        .destination = dir.path("second/" + first + second + "/set." + second),
                        .shards = 2};
      const PackReport report = pack(again);
      EXPECT_EQ(report.packed, 12U) << first << " to " << second;
      EXPECT_TRUE(report.changed.empty());
      const auto records = read_all(again.destination);
      ASSERT_EQ(records.size(), 12U) << first << " to " << second;
      std::size_t i = 0;
      for (const auto& [key, bytes] : files) {
        EXPECT_EQ(records[i].bytes, bytes) << first << " to " << second << ": " << key;
        EXPECT_EQ(records[i].labels, std::vector<float>{key[0] == 'a' ? 0.0F : key[0] == 'b' ? 1.0F : 2.0F});
        ++i;
      }
      EXPECT_EQ(open_records(again.destination)->classes(), report.classes);
    }
  }
}

TEST_F(Shards, KilledAnywhereResumeEndsInTheSameBytes) {
  write_photos(dir, 40);
  options.shards = 8;
  options.threads = 2;
  const auto expected = clean(options);
  options.resume = true;
  int interrupted = 0;
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        pack(options);
        _exit(0);
      } catch (...) {
        _exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + round * 7'919 % 60'000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "the pack failed by itself";
    interrupted += WIFSIGNALED(status);
    if (round % 3 != 2) continue;  // some are killed three times before they come to their end
    EXPECT_EQ(pack(options).packed, 40U);
    EXPECT_TRUE(files_in(dir.path("out")) == expected) << "round " << round;
    fs::remove_all(dir.path("out"));
  }
  EXPECT_GT(interrupted, 10);
}

TEST_F(Shards, DuplicatesAreFoundAcrossShards) {
  write_photos(dir, 12);
  const std::string first = test::read_file(dir.path("photos/ant/100.jpg"));
  dir.write("photos/cat/900.jpg", first);
  dir.write("photos/bee/900.jpg", first);
  const PackReport report = pack(options);
  EXPECT_EQ(report.duplicates, 2U);
  ASSERT_EQ(report.first_duplicates.size(), 2U);
  EXPECT_EQ(report.first_duplicates[0].same_as, report.first_duplicates[1].same_as);
  const std::string table = test::read_file(dir.path("out/set.duplicates.tsv"));
  EXPECT_TRUE(table.starts_with("sample\tsame_as\n")) << table;
  fs::remove(dir.path("photos/cat/900.jpg"));
  fs::remove(dir.path("photos/bee/900.jpg"));
  EXPECT_EQ(pack(options).duplicates, 0U);
  EXPECT_FALSE(fs::exists(dir.path("out/set.duplicates.tsv")));
}

TEST_F(Shards, TooManyBadMayBeTakenOverWithALargerShare) {
  write_photos(dir, 18);
  dir.write("photos/bee/500.jpg", "x");
  dir.write("photos/bee/501.jpg", "y");
  EXPECT_TRUE(pack(options).too_many_bad);
  EXPECT_FALSE(fs::exists(dir.path("out/set-000000.rec")));
  options.max_bad_share = 0.2;
  options.resume = true;
  const PackReport report = pack(options);
  EXPECT_EQ(report.shards_kept, 5U);
  EXPECT_EQ(report.packed, 18U);
  const std::string table = test::read_file(dir.path("out/set.skipped.tsv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
}

TEST_F(Shards, TwoProcessesDoNotPackToOneName) {
  write_photos(dir, 6);
  const store::FileLock other(dir.path("out/set.packing/part-0-of-1"));
  EXPECT_NE(failure().find("another process packs to it"), std::string::npos);
}

TEST_F(Shards, OfManyAtOnceToOneNameOneDoesIt) {
  write_photos(dir, 23);
  const auto wanted = clean(options);
  for (int round = 0; round < 10; ++round) {
    fs::remove_all(dir.path("out"));
    std::vector<pid_t> processes;
    for (int i = 0; i < 3; ++i) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        const std::string told = failure();
        _exit(told.empty() ? 0 : told.find("another process packs to it") != std::string::npos ? 1 : 2);
      }
      processes.push_back(child);
    }
    int done = 0;
    for (const pid_t child : processes) {
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_LT(WEXITSTATUS(status), 2) << "a pack failed because of another";
      done += WEXITSTATUS(status) == 0;
    }
    EXPECT_GE(done, 1);
    EXPECT_EQ(files_in(dir.path("out")), wanted);
  }
}

TEST_F(Shards, AFolderOfThatNameWhichIsNoneOfOursIsLeftAlone) {
  write_photos(dir, 6);
  dir.write("out/set.packing/holiday.txt", "mine");
  EXPECT_NE(failure().find("set.packing"), std::string::npos);
  EXPECT_EQ(test::read_file(dir.path("out/set.packing/holiday.txt")), "mine");
}

TEST_F(Shards, LabelsAreOffset) {
  write_photos(dir, 9);
  options.shards = 0;
  options.label_offset = 1;
  pack(options);
  const auto records = read_all(options.destination);
  EXPECT_EQ(records.front().labels, std::vector<float>{1});
  EXPECT_EQ(records.back().labels, std::vector<float>{3});
  EXPECT_EQ(open_records(options.destination)->classes(),
            (std::vector<std::string>{"unused-0", "ant", "bee", "cat"}));
  options.label_offset = -1;
  EXPECT_NE(failure().find("label-offset"), std::string::npos);
}

}  // namespace
}  // namespace stoker::packing
