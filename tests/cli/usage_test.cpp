// Calls that are wrong in themselves: exit 2, one line that names the nearest right spelling, nothing on
// standard output.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "cli/stoker_program.hpp"

namespace stoker::test {
namespace {

struct Misuse {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<const char*> told;  // words of the message
};

class Usage : public testing::TestWithParam<Misuse> {};

TEST_P(Usage, ExitsWith2AndTellsWhatIsRight) {
  const ProgramResult result = stoker(GetParam().arguments);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("stoker", 0), 0U) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const char* words : GetParam().told)
    EXPECT_NE(result.err.find(words), std::string::npos) << words << "\nin: " << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, Usage,
    testing::Values(
        Misuse{"nothing", {}, {"verb is missing", "--help"}},
        Misuse{"mistyped", {"pakc", "a", "b"}, {"'pakc'", "did you mean 'pack'"}},
        Misuse{"far", {"transmogrify"}, {"unknown verb 'transmogrify'"}},
        Misuse{"second_missing", {"bench"}, {"decode, load, pack, start"}},
        Misuse{"second_mistyped", {"bench", "laod", "x"}, {"did you mean 'load'"}},
        Misuse{"flag_first", {"--verison"}, {"did you mean '--version'"}},
        Misuse{"help_mistyped", {"help", "inspekt"}, {"did you mean 'inspect'"}},
        Misuse{"version_and_more", {"--version", "x"}, {"'--version' stands alone"}},
        Misuse{"version_without_dashes", {"version"}, {"did you mean '--version'"}},
        Misuse{"second_alone", {"decode", "x"}, {"did you mean 'bench decode'"}},
        Misuse{"option_first", {"--json", "ls", "x"}, {"options follow the verb: stoker ls ... --json"}},
        Misuse{"option_alone", {"--json"}, {"a verb comes first"}}),
    [](const auto& one) { return std::string(one.param.name); });

// Names that are kept for later are no verbs yet.
INSTANTIATE_TEST_SUITE_P(Reserved, Usage,
                         testing::Values(Misuse{"top", {"top"}, {"unknown verb 'top'"}},
                                         Misuse{"record", {"record"}, {"unknown verb 'record'"}},
                                         Misuse{"history", {"history"}, {"unknown verb 'history'"}},
                                         Misuse{"cost", {"cost"}, {"unknown verb 'cost'"}},
                                         Misuse{"plan", {"plan"}, {"unknown verb 'plan'"}},
                                         Misuse{"cache", {"cache"}, {"unknown verb 'cache'"}}),
                         [](const auto& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Flags, Usage,
    testing::Values(
        Misuse{"mistyped",
               {"pack", "a", "b.rec", "--qualty", "90"},
               {"stoker pack:", "--qualty", "did you mean '--quality'"}},
        Misuse{"mistyped_takes_a_positional", {"pack", "a", "--qualty", "90"}, {"did you mean '--quality'"}},
        Misuse{"mistyped_with_equals",
               {"pack", "a", "b.rec", "--resize_short=256"},
               {"did you mean '--resize-short'"}},
        Misuse{"underscore_train", {"train", "--data_train", "x"}, {"did you mean '--data-train'"}},
        Misuse{"half_of_a_name", {"train", "--epochs", "3"}, {"did you mean '--num-epochs'"}},
        Misuse{"single_dash", {"ls", "a.rec", "-json"}, {"-json"}},
        Misuse{
            "abbreviated", {"verify", "a.rec", "--dec"}, {"unknown option --dec", "did you mean '--decode'"}},
        Misuse{"of_another_verb", {"ls", "a.rec", "--quality", "90"}, {"unknown option --quality"}},
        Misuse{"part_without_shards", {"pack", "a", "b.rec", "--part", "1/2"}, {"--shards"}},
        Misuse{
            "part_beyond_its_count", {"pack", "a", "b.rec", "--part", "3/3"}, {"'3/3'", "from 0 to n - 1"}},
        Misuse{"part_and_merge",
               {"pack", "a", "b.rec", "--shards", "4", "--part", "1/3", "--merge"},
               {"--merge or --part"}},
        Misuse{"shards_by_size_and_number",
               {"pack", "a", "b.rec", "--shards", "4", "--shard-size", "1M"},
               {"shard-size"}},
        Misuse{"shuffle_is_later",
               {"pack", "a", "b.rec", "--shuffle-seed", "1"},
               {"unknown option --shuffle-seed"}},
        Misuse{"format", {"pack", "a", "b", "--format", "zip"}, {"rec, tar, tfrecord"}},
        Misuse{"kv_store_is_later", {"train", "--kv-store", "local"}, {"unknown option --kv-store"}},
        Misuse{"value_missing_at_the_end", {"pack", "a", "b.rec", "--quality"}, {"--quality needs a value"}},
        Misuse{"value_missing_before_a_flag",
               {"pack", "a", "b.rec", "--quality", "--json"},
               {"--quality needs a value"}},
        Misuse{"value_missing_behind_equals",
               {"pack", "a", "b.rec", "--quality=", "90"},
               {"--quality needs a value"}},
        Misuse{"twice",
               {"pack", "a", "b.rec", "--quality", "90", "--quality", "80"},
               {"--quality is given 2 times"}},
        Misuse{"flag_with_value", {"ls", "a.rec", "--json=yes"}, {"--json"}},
        Misuse{"too_many", {"ls", "a.rec", "b.rec"}, {"'b.rec' is too many"}},
        Misuse{"too_few", {"pack", "a"}, {"DEST is missing"}},
        Misuse{"none_at_all", {"inspect"}, {"FILE is missing"}},
        Misuse{"empty_positional", {"ls", ""}, {"SOURCE is an empty text"}},
        Misuse{"required_option", {"train", "--data-val", "x"}, {"--data-train is missing"}}),
    [](const auto& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Values, Usage,
    testing::Values(
        Misuse{"out_of_range", {"pack", "a", "b.rec", "--quality", "101"}, {"--quality '101'", "1..100"}},
        Misuse{"not_whole",
               {"pack", "a", "b.rec", "--resize-short", "25.6"},
               {"--resize-short '25.6'", "whole number"}},
        Misuse{"trailing", {"pack", "a", "b.rec", "--quality", "90%"}, {"--quality '90%'"}},
        Misuse{"negative",
               {"pack", "a", "b.rec", "--max-bad-share", "-0.1"},
               {"--max-bad-share '-0.1'", "0..1"}},
        Misuse{"not_a_number", {"pack", "a", "b.rec", "--max-bad-share", "nan"}, {"'nan'"}},
        Misuse{"name",
               {"pack", "a", "b.rec", "--subsampling", "4:2:0"},
               {"keep, 420, 444", "did you mean '420'"}},
        Misuse{"name_case", {"pack", "a", "b.rec", "--encode", "JPEG"}, {"did you mean 'jpeg'"}},
        Misuse{"policy", {"train", "--data-train", "x", "--bad-sample", "skpi"}, {"did you mean 'skip'"}},
        Misuse{"unit_case", {"inspect", "x", "--max-pixels", "256mb"}, {"'256mb'", "did you mean '256MB'"}},
        Misuse{"unit_typo", {"inspect", "x", "--max-pixels", "64MiiB"}, {"did you mean '64MiB'"}},
        Misuse{"pixels_beyond_reason",
               {"inspect", "x", "--max-pixels", "99999999T"},
               {"--max-pixels '99999999T': allowed: a whole number in 1..1T"}},
        Misuse{"option_without_effect",
               {"pack", "a", "b.rec", "--enlarge"},
               {"--enlarge: given without --resize-short"}},
        Misuse{"duration_unit", {"bench", "load", "x", "--seconds", "10S"}, {"did you mean '10s'"}},
        Misuse{"duration_zero", {"bench", "load", "x", "--seconds", "0"}, {"above 0"}},
        Misuse{"threads", {"ls", "x", "--threads", "atuo"}, {"did you mean 'auto'"}},
        Misuse{"threads_zero", {"ls", "x", "--threads", "0"}, {"1..1024"}},
        Misuse{"thread_list", {"bench", "load", "x", "--threads", "1,,2"}, {"--threads ''"}},
        Misuse{"recipe",
               {"bench", "load", "x", "--recipe", "random_resize_crop(224)"},
               {"--recipe", "random_resized_crop"}},
        Misuse{"layers", {"train", "--data-train", "x", "--num-layers", "51"}, {"allowed", "18", "152"}},
        Misuse{"network", {"train", "--data-train", "x", "--network", "resnet50"}, {"did you mean 'resnet'"}},
        Misuse{"shape", {"train", "--data-train", "x", "--image-shape", "64,64"}, {"3,HEIGHT,WIDTH"}},
        Misuse{"shape_gray", {"train", "--data-train", "x", "--image-shape", "1,64,64"}, {"3,HEIGHT,WIDTH"}},
        Misuse{"dtype", {"train", "--data-train", "x", "--dtype", "float16"}, {"allowed: float32, bfloat16"}},
        Misuse{"price", {"train", "--data-train", "x", "--price", "3.06"}, {"3.06/h"}},
        Misuse{
            "interval", {"train", "--data-train", "x", "--checkpoint-every", "10x"}, {"--checkpoint-every"}},
        Misuse{"resume", {"train", "--data-train", "x", "--resume", "atuo"}, {"did you mean 'auto'"}},
        Misuse{"step_epochs", {"train", "--data-train", "x", "--lr-step-epochs", "60,30"}, {"ascend"}},
        Misuse{"shape_schedule",
               {"train", "--data-train", "x", "--image-shape-schedule", "128"},
               {"EPOCH:SIDE"}},
        Misuse{"schedule", {"train", "--data-train", "x", "--lr-schedule", "cos"}, {"did you mean 'cosine'"}},
        Misuse{"gpus", {"train", "--data-train", "x", "--gpus", "noen"}, {"did you mean 'none'"}},
        Misuse{"synth_classes", {"synth", "x", "--classes", "1"}, {"2..24"}},
        Misuse{"seed", {"synth", "x", "--seed", "-1"}, {"--seed '-1'"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(UsageErrors, LeaveNothingBehind) {
  const TempDir dir;
  EXPECT_EQ(stoker({"synth", dir.path("photos"), "--classes", "3", "--imgaes", "5"}).status, 2);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

// The call is right, what it names is not: 1, and the same for every verb.
TEST(Inputs, UnusableOnesFailTheSameWay) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("empty"));
  const std::string text = dir.write("x.txt", "hello");
  const std::string broken = dir.write("broken.lst", "0 a.jpg\n");
  for (const std::string& source : {dir.path("absent"), dir.path("empty"), text, broken}) {
    for (const auto& call :
         std::vector<std::vector<std::string>>{{"ls", source},
                                               {"verify", source},
                                               {"pack", source, dir.path("y.rec")},
                                               {"pack", source, dir.path("y.rec"), "--dry-run"},
                                               {"bench", "decode", source},
                                               {"bench", "load", source},
                                               {"bench", "pack", source}}) {
      const ProgramResult result = stoker(call);
      EXPECT_EQ(result.status, 1) << call[0] << " " << source << ": " << result.err;
      EXPECT_NE(result.err.find(source), std::string::npos) << result.err;
    }
  }
}

TEST(Inputs, AnIndexFolderThatIsNotThereIsTold) {
  const TempDir dir;
  const std::string rec = make_pack(dir);
  const std::string folder = dir.path("indexs");
  const ProgramResult result = stoker({"ls", rec, "--index-dir", folder});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--index-dir " + folder + ": no such folder"), std::string::npos) << result.err;
  EXPECT_EQ(stoker({"ls", rec, "--index-dir", dir.path()}).status, 0);
}

TEST(Inputs, AListWhoseFilesAreNotThereHintsAtRoot) {
  const TempDir dir;
  const ProgramResult result = stoker({"verify", dir.write("x.lst", "0\t0\tnope/a.jpg\n")});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.out.find("--root"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("at offset"), std::string::npos) << result.out;
}

TEST(UsageErrors, SeveralGpusAreUnsupportedAndNotAMistake) {
  const ProgramResult result = stoker({"train", "--data-train", "x", "--gpus", "0,1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("--gpus none"), std::string::npos) << result.err;
}

// What is missing for it (a trainer, CUDA, a driver, the device) is told before the data is looked at.
TEST(UsageErrors, AGpuThatIsNotThereIsToldFirst) {
  const ProgramResult result = stoker({"train", "--data-train", "x", "--gpus", "100"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err.find("data-train"), std::string::npos) << result.err;
  const bool of_the_gpu = result.err.find("--gpus 100: ") != std::string::npos;
  const bool of_the_trainer = result.err.find("this build has no trainer") != std::string::npos;
  EXPECT_TRUE(of_the_gpu || of_the_trainer) << result.err;
}

TEST(Version, IsOneLine) {
  const ProgramResult result = stoker({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("stoker ", 0), 0U);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
}

}  // namespace
}  // namespace stoker::test
