#include "pack/packer.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "pack/test_images.hpp"
#include "record/dataset_manifest.hpp"
#include "store/faulty_store.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

// Every file below `folder`: name → bytes.
std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] = test::read_file(entry.path());
    }
  }
  return files;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : files_in(folder)) names.insert(name);
  return names;
}

const std::set<std::string> kSet{"set.rec",      "set.idx", "set.rec.index",
                                 "set.rec.seek", "set.lst", "set.dataset.json"};

struct Packer : testing::Test {
  test::TempDir dir;
  PackOptions options{.source = dir.path("photos"), .destination = dir.path("out/set.rec")};

  ErrorCode code_of_failure(const std::shared_ptr<Store>& store = nullptr) {
    try {
      run_pack(options, store, {}, nullptr);
    } catch (const Error& error) {
      message = error.what();
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::internal;
  }
  std::string message;
};

TEST_F(Packer, PassThroughKeepsEveryByteTheOrderAndTheLabels) {
  const auto files = write_photos(dir, 23);
  const PackReport report = pack(options);
  EXPECT_EQ(report.inputs, 23U);
  EXPECT_EQ(report.packed, 23U);
  EXPECT_TRUE(report.changed.empty());
  EXPECT_EQ(report.classes, (std::vector<std::string>{"ant", "bee", "cat"}));
  EXPECT_EQ(names_in(dir.path("out")), kSet);
  const auto records = read_all(options.destination);
  ASSERT_EQ(records.size(), files.size());
  std::size_t i = 0;
  std::string list;
  for (const auto& [key, bytes] : files) {  // the map's order is the folder's
    EXPECT_EQ(records[i].bytes, bytes) << key;
    EXPECT_EQ(records[i].key, std::to_string(i));
    const float label = key[0] == 'a' ? 0.0F : key[0] == 'b' ? 1.0F : 2.0F;
    EXPECT_EQ(records[i].labels, std::vector<float>{label});
    list += std::to_string(i) + "\t" + std::to_string(static_cast<int>(label)) + "\t" + key + "\n";
    ++i;
  }
  EXPECT_EQ(test::read_file(dir.path("out/set.lst")), list);
  EXPECT_EQ(open_records(options.destination)->classes(), report.classes);
}

TEST_F(Packer, TheReportAndTheManifestTellTheShard) {
  write_photos(dir, 9);
  const PackReport report = pack(options);
  const std::string shard = test::read_file(options.destination);
  ASSERT_EQ(report.shards.size(), 1U);
  EXPECT_EQ(report.shards[0].bytes, shard.size());
  EXPECT_EQ(report.bytes_out, shard.size());
  EXPECT_EQ(report.shards[0].crc32c, crc32c(as_bytes(shard)));
  EXPECT_EQ(report.shards[0].records, 9U);
  EXPECT_GT(report.images_per_s, 0);
  EXPECT_GE(report.wall_s, report.sync_s);
  EXPECT_GE(report.cpu_s, report.sync_cpu_s);
  const auto manifest = record::read_manifest(*open_store(options.destination), options.destination);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->shards,
            (std::vector<record::ManifestShard>{{"set.rec", 9, shard.size(), crc32c(as_bytes(shard))}}));
  EXPECT_EQ(manifest->source.samples, 9U);
  EXPECT_EQ(manifest->source.bytes, report.bytes_in);
}

TEST_F(Packer, EveryFileIsTheSameForAnyNumberOfThreads) {
  write_photos(dir, 61);
  dir.write("photos/ant/000.jpg", "broken");
  options.max_bad_share = 0.1;
  for (const int resize : {0, 64}) {
    options.resize_short = resize;
    std::map<std::string, std::string> first;
    for (const int threads : {1, 2, 5, 16}) {
      options.threads = threads;
      std::filesystem::remove_all(dir.path("out"));
      pack(options);
      const auto files = files_in(dir.path("out"));
      if (first.empty()) first = files;
      EXPECT_TRUE(files == first) << threads << " threads, resize to " << resize;
    }
    EXPECT_EQ(first.size(), 7U);
  }
}

TEST_F(Packer, OneBrokenOfTenIsSkippedAndNamedWithAnyThreads) {
  write_photos(dir, 9);
  dir.write("photos/bee/500.jpg", "this is text\n");
  options.max_bad_share = 0.1;
  options.resize_short = 48;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    const PackReport report = pack(options);
    EXPECT_EQ(report.inputs, 10U);
    EXPECT_EQ(report.packed, 9U);
    EXPECT_EQ(report.skipped_count, 1U);
    ASSERT_EQ(report.skipped.size(), 1U);
    EXPECT_EQ(report.skipped[0].key, "bee/500.jpg");
    EXPECT_FALSE(report.skipped[0].reason.empty());
    const std::string table = test::read_file(dir.path("out/set.skipped.tsv"));
    EXPECT_TRUE(table.starts_with("key\treason\nbee/500.jpg\t")) << table;
    EXPECT_EQ(read_all(options.destination).size(), 9U);
  }
}

TEST_F(Packer, EveryKindOfBadFileIsNamed) {
  write_photos(dir, 6);
  dir.write("photos/ant/a-empty.jpg", "");
  dir.write("photos/ant/b-text.jpg", "text");
  dir.write("photos/ant/c-header.jpg", jpeg_file(64, 64, 1).substr(0, 90));
  dir.write("photos/ant/d.bmp", "BM" + std::string(100, '\x01'));
  std::filesystem::create_symlink(dir.path("nowhere"), dir.path("photos/ant/e-link.jpg"));
  options.max_bad_share = 0.5;
  for (const int resize : {0, 48}) {
    options.resize_short = resize;
    const PackReport report = pack(options);
    std::vector<std::string> keys;
    for (const SkippedSample& sample : report.skipped) keys.push_back(sample.key);
    EXPECT_EQ(keys, (std::vector<std::string>{"ant/a-empty.jpg", "ant/b-text.jpg", "ant/c-header.jpg",
                                              "ant/d.bmp", "ant/e-link.jpg"}));
    EXPECT_EQ(report.packed, 6U);
    EXPECT_EQ(report.inputs, report.packed + report.skipped_count);
  }
}

TEST_F(Packer, ATruncatedFileIsPackedAndNamed) {
  write_photos(dir, 3);
  const std::string whole = jpeg_file(200, 160, 3);
  dir.write("photos/cat/900.jpg", whole.substr(0, whole.size() / 2));
  for (const int resize : {0, 48}) {
    options.resize_short = resize;
    const PackReport report = pack(options);
    EXPECT_EQ(report.packed, 4U);
    ASSERT_EQ(report.warned.size(), 1U);
    EXPECT_EQ(report.warned[0].key, "cat/900.jpg");
  }
}

TEST_F(Packer, APngNamedJpgIsPackedAsWhatItIs) {
  write_photos(dir, 3);
  dir.write("photos/cat/900.jpg", png_file(200, 160, 3));
  options.resize_short = 48;
  EXPECT_EQ(pack(options).packed, 4U);
  const auto records = read_all(options.destination);
  EXPECT_EQ(read_image_info(as_bytes(records.back().bytes)).kind, ImageKind::png);
}

TEST_F(Packer, TooManyBadCommitNothingAndNameAll) {
  write_photos(dir, 8);
  dir.write("photos/bee/500.jpg", "x");
  dir.write("photos/bee/501.jpg", "y");
  options.max_bad_share = 0.1;
  const PackReport report = pack(options);
  EXPECT_TRUE(report.too_many_bad);
  EXPECT_EQ(report.skipped_count, 2U);
  EXPECT_EQ(report.inputs, 10U);
  EXPECT_TRUE(files_in(dir.path("out")).empty());
}

TEST_F(Packer, RaiseStopsAtTheFirstBadSampleInOrder) {
  write_photos(dir, 40);
  dir.write("photos/bee/500.jpg", "x");
  dir.write("photos/ant/500.jpg", "y");
  options.on_error = OnError::raise;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    EXPECT_EQ(code_of_failure(), ErrorCode::corrupt_data);
    EXPECT_NE(message.find("ant/500.jpg"), std::string::npos) << message;
    EXPECT_TRUE(files_in(dir.path("out")).empty());
  }
}

TEST_F(Packer, CancelLeavesNothing) {
  write_photos(dir, 40);
  std::atomic<bool> cancel{true};
  EXPECT_THROW(pack(options, {}, &cancel), Error);
  EXPECT_TRUE(files_in(dir.path("out")).empty());
  try {
    pack(options, {}, &cancel);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST_F(Packer, ProgressGrowsToTheTotal) {
  write_photos(dir, 30);
  std::vector<PackProgress> seen;
  pack(options, [&](const PackProgress& p) { seen.push_back(p); });
  ASSERT_FALSE(seen.empty());
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GE(seen[i].done, seen[i - 1].done);
  EXPECT_EQ(seen.back().done, 30U);
  EXPECT_EQ(seen.back().total, 30U);
  EXPECT_EQ(seen.back().bytes_out, std::filesystem::file_size(options.destination));
}

TEST_F(Packer, ANewPackReplacesAllOfTheOldOne) {
  write_photos(dir, 12);
  dir.write("photos/ant/000.jpg", "broken");
  options.max_bad_share = 0.5;
  pack(options);
  EXPECT_TRUE(std::filesystem::exists(dir.path("out/set.skipped.tsv")));
  std::filesystem::remove(dir.path("photos/ant/000.jpg"));
  pack(options);
  EXPECT_EQ(names_in(dir.path("out")), kSet) << "the old list of skipped samples is gone";
  EXPECT_EQ(read_all(options.destination).size(), 12U);
}

TEST_F(Packer, BytesDoNotGrowBeyondFraming) {
  const auto files = write_photos(dir, 50);
  std::uint64_t bytes = 0;
  for (const auto& [key, file] : files) bytes += file.size();
  const PackReport report = pack(options);
  EXPECT_EQ(report.bytes_in, bytes);
  EXPECT_LE(report.bytes_out, bytes + 50 * (32 + 3));
}

TEST_F(Packer, OddKeysAreKept) {
  const std::string file = jpeg_file(64, 48, 1);
  for (const char* name : {"a.b.c.jpg", "with blank.jpg", "grüße.jpg", "UPPER.JPG", "-dash.jpg"}) {
    dir.write(std::string("photos/one/sub.dir/") + name, file);
  }
  pack(options);
  const std::string list = test::read_file(dir.path("out/set.lst"));
  for (const char* name : {"a.b.c.jpg", "with blank.jpg", "grüße.jpg", "UPPER.JPG", "-dash.jpg"}) {
    EXPECT_NE(list.find(std::string("\tone/sub.dir/") + name + "\n"), std::string::npos) << name;
  }
  PackOptions again{.source = dir.path("out/set.lst"), .destination = dir.path("again/set.rec")};
  again.open.root = dir.path("photos");
  pack(again);
  EXPECT_EQ(test::read_file(dir.path("again/set.rec")), test::read_file(dir.path("out/set.rec")));
}

TEST_F(Packer, AListKeepsItsIdsAndLabelsAndIsNotOverwritten) {
  const auto files = write_photos(dir, 6);
  const std::string list =
      "70\t1.5\t2\tant/100.jpg\n5\t0\t-3\tbee/101.jpg\n900000000000\t1\t1\tcat/102.jpg\n";
  options.source = dir.write("photos/set.lst", list);
  options.destination = dir.path("photos/set.rec");
  const PackReport report = pack(options);
  EXPECT_EQ(report.packed, 3U);
  EXPECT_EQ(test::read_file(options.source), list);
  const auto records = read_all(options.destination);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].key, "70");
  EXPECT_EQ(records[1].key, "5");
  EXPECT_EQ(records[2].key, "900000000000");
  EXPECT_EQ(records[0].labels, (std::vector<float>{1.5F, 2}));
  EXPECT_EQ(records[0].bytes, files.at("ant/100.jpg"));
}

TEST_F(Packer, AListedFileThatIsMissingIsNamedByItsKey) {
  write_photos(dir, 3);
  options.source = dir.write("photos/some.lst", "0\t0\tant/100.jpg\n1\t0\tant/gone.jpg\n");
  options.max_bad_share = 0.5;
  const PackReport report = pack(options);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].key, "ant/gone.jpg");
}

TEST_F(Packer, AContainerPacksToTheSameContainer) {
  write_photos(dir, 15);
  pack(options);
  PackOptions again{.source = options.destination, .destination = dir.path("again/set.rec"), .threads = 3};
  const PackReport report = pack(again);
  EXPECT_EQ(report.packed, 15U);
  EXPECT_EQ(report.classes.size(), 3U);
  for (const char* name : {"set.rec", "set.idx"}) {
    EXPECT_EQ(test::read_file(dir.path("again/") + name), test::read_file(dir.path("out/") + name)) << name;
  }
}

TEST_F(Packer, RawRecordsStayRawWhateverTheyHold) {
  const std::string raw = dir.path("raw.rec");
  {
    auto writer = open_record_writer(raw);
    for (const std::string text : {"plain text that is longer than a header", "", "\x0a\x23\xd7\xce magic"}) {
      writer->append("", {}, Field{"data", as_bytes(text)});
    }
    writer->finish();
  }
  options.source = raw;
  EXPECT_EQ(pack(options).packed, 3U);
  EXPECT_EQ(test::read_file(options.destination), test::read_file(raw));
}

TEST_F(Packer, ADamagedRecordIsSkippedWithItsPlace) {
  write_photos(dir, 12);
  pack(options);
  std::string bytes = test::read_file(options.destination);
  const auto source = open_records(options.destination);
  bytes[source->info(4).offset + 6] ^= 0x02;  // 128 KiB more than record 4 has
  dir.write("damaged.rec", bytes);
  dir.write("damaged.idx", test::read_file(dir.path("out/set.idx")));
  PackOptions again{.source = dir.path("damaged.rec"), .destination = dir.path("again/set.rec")};
  again.max_bad_share = 0.2;
  const PackReport report = pack(again);
  EXPECT_EQ(report.packed, 11U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_NE(report.skipped[0].reason.find("damaged.rec at offset " + std::to_string(source->info(4).offset)),
            std::string::npos)
      << report.skipped[0].reason;
}

TEST_F(Packer, AClassMapIsFixedByAFile) {
  write_photos(dir, 6);
  options.open.classes_file = dir.write("classes.txt", "zebra\ncat\nbee\nant\n");
  const PackReport report = pack(options);
  EXPECT_EQ(report.classes, (std::vector<std::string>{"zebra", "cat", "bee", "ant"}));
  EXPECT_EQ(read_all(options.destination).front().labels, std::vector<float>{3}) << "ant";
}

TEST_F(Packer, ADestinationThatCannotBeIsToldBeforeTheWork) {
  write_photos(dir, 3);
  dir.write("file", "");
  options.destination = dir.path("file/below.rec");
  EXPECT_NE(code_of_failure(), ErrorCode::internal);
  EXPECT_NE(message.find("file"), std::string::npos) << message;
}

TEST_F(Packer, ASourceThatIsNotThereIsNamed) {
  EXPECT_EQ(code_of_failure(), ErrorCode::not_found);
  EXPECT_NE(message.find("photos"), std::string::npos) << message;
}

TEST_F(Packer, FaultsOfTheDestinationLeaveTheOldSetReadable) {
  write_photos(dir, 30);
  pack(options);
  const std::string old_shard = test::read_file(options.destination);
  options.resize_short = 40;
  const auto try_with = [&](const store::Faults& faults, ErrorCode expected, const char* what) {
    for (const int threads : {1, 4}) {
      options.threads = threads;
      const auto faulty = std::make_shared<store::FaultyStore>(open_store(options.destination), faults);
      EXPECT_EQ(code_of_failure(faulty), expected) << what;
      EXPECT_EQ(test::read_file(options.destination), old_shard) << what;
      EXPECT_EQ(read_all(options.destination).size(), 30U) << what;
      for (const std::string& name : names_in(dir.path("out")))
        EXPECT_TRUE(kSet.contains(name)) << what << ": " << name;
    }
  };
  try_with({.creates = {.first = 1}}, ErrorCode::io, "create");
  try_with({.creates = {.first = 3}}, ErrorCode::io, "a later create");
  try_with({.appends = {.first = 1}}, ErrorCode::io, "append");
  try_with({.torn_appends = {.first = 1}}, ErrorCode::io, "torn append");
  try_with({.space_bytes = 20'000}, ErrorCode::out_of_resources, "no space");
  try_with({.commits = {.first = 1}}, ErrorCode::io, "commit");
  try_with({.commits = {.first = 2}}, ErrorCode::io, "second commit");
}

TEST_F(Packer, WhatFailsBeforeAllIsWrittenLeavesTheOldSetUntouched) {
  write_photos(dir, 30);
  dir.write("photos/ant/000.jpg", "broken");
  options.max_bad_share = 0.5;
  pack(options);
  const auto old = files_in(dir.path("out"));
  ASSERT_EQ(old.size(), 7U);
  options.resize_short = 40;
  const auto counting = std::make_shared<store::FaultyStore>(open_store("."));
  PackOptions elsewhere = options;
  elsewhere.destination = dir.path("elsewhere/set.rec");
  run_pack(elsewhere, counting, {}, nullptr);
  const store::CallCounts& calls = counting->calls();
  EXPECT_EQ(calls.syncs, 7U);
  const auto untouched_by = [&](const store::Faults& faults, ErrorCode code) {
    EXPECT_EQ(code_of_failure(std::make_shared<store::FaultyStore>(open_store("."), faults)), code);
    EXPECT_TRUE(files_in(dir.path("out")) == old) << message;
  };
  for (std::uint64_t call = 1; call <= calls.creates; ++call)
    untouched_by({.creates = {.first = call}}, ErrorCode::io);
  for (std::uint64_t call = 1; call <= calls.appends; ++call) {
    untouched_by({.appends = {.first = call}}, ErrorCode::io);
    untouched_by({.torn_appends = {.first = call, .code = ErrorCode::out_of_resources}},
                 ErrorCode::out_of_resources);
  }
  for (std::uint64_t call = 1; call <= calls.syncs; ++call)
    untouched_by({.syncs = {.first = call, .code = ErrorCode::out_of_resources}},
                 ErrorCode::out_of_resources);
  untouched_by({.space_bytes = calls.bytes_appended - 1}, ErrorCode::out_of_resources);
}

TEST_F(Packer, AFullDiskLeavesNothingNewVisible) {
  write_photos(dir, 6);
  const auto counting = std::make_shared<store::FaultyStore>(open_store("."));
  run_pack(options, counting, {}, nullptr);
  for (std::uint64_t room = 0; room < counting->calls().bytes_appended; room += 331) {
    std::filesystem::remove_all(dir.path("out"));
    const auto full =
        std::make_shared<store::FaultyStore>(open_store("."), store::Faults{.space_bytes = room});
    EXPECT_EQ(code_of_failure(full), ErrorCode::out_of_resources);
    EXPECT_TRUE(files_in(dir.path("out")).empty()) << room;
  }
}

TEST_F(Packer, AFolderUnderAFinalNameIsToldBeforeTheWork) {
  std::filesystem::create_directories(dir.path("out/set.idx"));
  EXPECT_EQ(code_of_failure(), ErrorCode::invalid_argument)
      << "not even the source, which is not there, was asked for";
  EXPECT_NE(message.find("set.idx is a folder"), std::string::npos) << message;
}

TEST_F(Packer, AClassThatIsNotUtf8IsToldBeforeTheWork) {
  write_photos(dir, 3);
  std::filesystem::create_directory(dir.path("photos/caf\xe9"));  // empty, which the walk would complain of
  EXPECT_EQ(code_of_failure(), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("photos/caf\\xe9"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
  EXPECT_THROW(plan_pack(options), Error);
}

TEST_F(Packer, AListWithEscapedKeysPacksToTheSameSet) {
  const char* names[] = {"tab\there.jpg", "line\nbreak.jpg", "back\\slash.jpg",
                         "back\\t.jpg",   "both\\t\t.jpg",   "\r.jpg"};
  int seed = 0;
  for (const char* name : names) dir.write(std::string("photos/one/") + name, jpeg_file(64, 48, ++seed));
  EXPECT_EQ(pack(options).packed, 6U);
  PackOptions again{.source = dir.path("out/set.lst"), .destination = dir.path("again/set.rec")};
  again.open.root = dir.path("photos");
  EXPECT_EQ(pack(again).packed, 6U);
  for (const char* name : {"set.rec", "set.lst", "set.idx"})
    EXPECT_EQ(test::read_file(dir.path("again/") + name), test::read_file(dir.path("out/") + name)) << name;
}

TEST_F(Packer, TheSealIsAbsentWhereACommitFailedInTheMiddle) {
  write_photos(dir, 10);
  pack(options);
  const auto faulty = std::make_shared<store::FaultyStore>(open_store(options.destination),
                                                           store::Faults{.renames = {.first = 2}});
  options.resize_short = 40;
  code_of_failure(faulty);
  EXPECT_FALSE(std::filesystem::exists(dir.path("out/set.dataset.json")));
  EXPECT_EQ(read_all(options.destination).size(), 10U) << "whichever of the two it is";
}

}  // namespace
}  // namespace stoker::packing
