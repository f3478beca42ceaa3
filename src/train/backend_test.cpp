#include "train/backend.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "stoker/train.hpp"

#include "support/temp_dir.hpp"

namespace stoker::training {
namespace {

using ::testing::HasSubstr;

// Points STOKER_TRAIN_LIBRARY elsewhere as long as a test.
class ChosenLibrary {
 public:
  explicit ChosenLibrary(const std::string& path) {
    if (const char* before = std::getenv(kName)) before_ = before;
    ::setenv(kName, path.c_str(), 1);
  }
  ~ChosenLibrary() { before_.empty() ? ::unsetenv(kName) : ::setenv(kName, before_.c_str(), 1); }

 private:
  static constexpr const char* kName = "STOKER_TRAIN_LIBRARY";
  std::string before_;
};

TEST(OpenLibrary, WithoutOneSaysWhatToInstall) {
  const Error error = no_trainer();
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("pip install torch"));
  EXPECT_THAT(error.what(), HasSubstr("./dev build"));
}

TEST(OpenLibrary, TheTestProgramHasNoneBesideIt) {
  const ChosenLibrary none("");
  EXPECT_EQ(find_library(), "");
  EXPECT_FALSE(train_available());
  const auto library = open_library();
  ASSERT_FALSE(library);
  EXPECT_STREQ(library.error().what(), no_trainer().what());
}

TEST(OpenLibrary, AChosenOneThatIsNotThereIsNamed) {
  const ChosenLibrary nowhere("/nonexistent/libstoker_train_torch.so");
  EXPECT_FALSE(train_available());
  const auto library = open_library();
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), ErrorCode::unsupported);
  EXPECT_THAT(library.error().what(), HasSubstr("STOKER_TRAIN_LIBRARY"));
}

TEST(OpenLibrary, TrainThrowsTheSameError) {
  const ChosenLibrary nowhere("/nonexistent/libstoker_train_torch.so");
  TrainOptions options;
  options.data_train = "/nonexistent/train";
  try {
    train(options);
    FAIL() << "it trained without a trainer";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

TEST(OpenLibrary, WrongOptionsAreToldBeforeAMissingTrainer) {
  const ChosenLibrary nowhere("/nonexistent/libstoker_train_torch.so");
  TrainOptions options;
  options.num_layers = 9;
  try {
    train(options);
    FAIL() << "it took 9 layers";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  }
}

TEST(OpenLibrary, AFileThatIsNoLibraryIsNamed) {
  const test::TempDir folder;
  const ChosenLibrary text(folder.write("libstoker_train_torch.so", "not ELF"));
  const auto library = open_library();
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), ErrorCode::unsupported);
  EXPECT_THAT(library.error().what(), HasSubstr(folder.path("libstoker_train_torch.so")));
}

TEST(OpenLibrary, AnotherLibraryIsNamedByTheMissingSymbol) {
  Dl_info other;
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&std::abort), &other), 0);
  const ChosenLibrary c_library(other.dli_fname);
  const auto library = open_library();
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().what(), HasSubstr(kLibrarySymbol));
}

TEST(OpenLibrary, ComputeThreadsSleepUnlessTheUserDecided) {
  ::unsetenv("OMP_WAIT_POLICY");
  ::setenv("GOMP_SPINCOUNT", "1000", 1);
  Dl_info other;
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&std::abort), &other), 0);
  const ChosenLibrary c_library(other.dli_fname);
  EXPECT_FALSE(open_library());
  EXPECT_EQ(std::getenv("OMP_WAIT_POLICY"), nullptr);
  ::unsetenv("GOMP_SPINCOUNT");
  EXPECT_FALSE(open_library());
  EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "PASSIVE");
  ::setenv("OMP_WAIT_POLICY", "ACTIVE", 1);
  EXPECT_FALSE(open_library());
  EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "ACTIVE");
  ::unsetenv("OMP_WAIT_POLICY");
}

}  // namespace
}  // namespace stoker::training
