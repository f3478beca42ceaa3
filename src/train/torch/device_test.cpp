#include "train/torch/device.hpp"

#include <gmock/gmock.h>

#include "stoker/error.hpp"

#include "train/torch/test_pictures.hpp"

namespace stoker::training {
namespace {

TEST(Device, IsTheCpuUnlessAGpuIsNamed) { EXPECT_TRUE(open_device(std::nullopt).is_cpu()); }

// Where there is a device, the test of a whole training on it says more.
TEST(Device, AGpuThatIsNotThereIsAClearError) {
  try {
    stoker_train_library()->open_gpu(100);
    FAIL() << "there are more than a hundred CUDA devices";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("--gpus 100"));
    EXPECT_TRUE(error.code() == ErrorCode::unsupported || error.code() == ErrorCode::invalid_argument);
    EXPECT_TRUE(!error.parts().next_step.empty() || !error.parts().allowed.empty()) << error.what();
  }
}

TEST(Device, ALearnerOfItIsNotMadeEither) {
  LearnerSpec spec = small_spec();
  spec.gpu = 100;
  EXPECT_THROW(make(spec), Error);
}

}  // namespace
}  // namespace stoker::training
