// The learner made of PyTorch's tensors, and the one symbol that its shared library exports.
#include "train/learner.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <array>
#include <exception>
#include <new>
#include <string>
#include <torch/headeronly/version.h>
#include <utility>
#include <vector>

#include "stoker/error.hpp"

#include "train/library.hpp"
#include "train/torch/network.hpp"
#include "train/torch/sgd.hpp"

namespace stoker::training {

namespace {

// Runs `body`; what PyTorch throws leaves as an Error.
template <class Body>
auto translated(const char* operation, const Body& body) {
  const auto fail = [&](ErrorCode code, const std::string& found, const char* next_step) {
    return Error(code, {.operation = operation, .object = "network", .found = found, .next_step = next_step});
  };
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw fail(ErrorCode::out_of_resources, "not enough memory",
               "use a smaller --batch-size or --image-shape");
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    if (text.find("can't allocate memory") != std::string::npos)
      throw fail(ErrorCode::out_of_resources, text, "use a smaller --batch-size or --image-shape");
    throw fail(ErrorCode::internal, text, "report it with the options that you used");
  }
}

class TorchLearner final : public Learner {
 public:
  explicit TorchLearner(const LearnerSpec& spec)
      : spec_(spec),
        network_({.num_layers = spec.num_layers, .width = spec.width, .num_classes = spec.num_classes},
                 at::make_generator<at::CPUGeneratorImpl>(spec.seed)),
        sgd_(network_.parameters(), spec.mom, spec.wd) {
    at::set_num_threads(spec.compute_threads);
  }

  Outcome train_step(const LearnerBatch& batch, double lr) override {
    return translated("train step", [&] {
      const Tensors tensors = take(batch);
      if (tensors.size == 0) return Outcome{};
      const at::Tensor logits = network_.forward(tensors.images, true);
      const at::Tensor loss =
          at::cross_entropy_loss(logits, tensors.labels, /*weight=*/{}, at::Reduction::Mean,
                                 /*ignore_index=*/-100, spec_.label_smoothing);
      loss.backward();
      sgd_.step(lr);
      return outcome(logits.detach(), tensors, loss.item<double>());
    });
  }

  Outcome evaluate(const LearnerBatch& batch) override {
    return translated("evaluate", [&] {
      const at::NoGradGuard no_grad;
      const Tensors tensors = take(batch);
      if (tensors.size == 0) return Outcome{};
      const at::Tensor logits = network_.forward(tensors.images, false);
      const at::Tensor loss = at::cross_entropy_loss(logits, tensors.labels);
      return outcome(logits, tensors, loss.item<double>());
    });
  }

  std::uint64_t parameter_count() const override {
    std::uint64_t count = 0;
    for (const Parameter& parameter : network_.parameters())
      count += static_cast<std::uint64_t>(parameter.tensor.numel());
    return count;
  }

 private:
  struct Tensors {
    at::Tensor images;
    at::Tensor labels;
    std::int64_t size = 0;
  };

  // Views of the batch's own memory; where slots are left out, a copy of the others.
  Tensors take(const LearnerBatch& batch) const {
    const std::int64_t height = spec_.image_size.height;
    const std::int64_t width = spec_.image_size.width;
    const std::array<std::int64_t, 4> sizes{batch.size, 3, height, width};
    const std::array<std::int64_t, 4> strides{height * width * 3, 1, width * 3, 3};
    // from_blob takes no const memory; nothing here writes to its input.
    void* images = const_cast<std::byte*>(batch.images);
    void* labels = const_cast<std::int64_t*>(batch.labels.data());
    Tensors tensors{at::from_blob(images, sizes, strides, at::kFloat),
                    at::from_blob(labels, {static_cast<std::int64_t>(batch.size)}, at::kLong), batch.size};
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < batch.size; ++i)
      if (batch.labels[static_cast<std::size_t>(i)] != kLeftOut) kept.push_back(i);
    tensors.size = static_cast<std::int64_t>(kept.size());
    if (tensors.size != batch.size && tensors.size != 0) {
      const at::Tensor rows = at::from_blob(kept.data(), {tensors.size}, at::kLong);
      tensors.images = at::index_select(tensors.images, 0, rows).contiguous(at::MemoryFormat::ChannelsLast);
      tensors.labels = at::index_select(tensors.labels, 0, rows);
    }
    return tensors;
  }

  Outcome outcome(const at::Tensor& logits, const Tensors& tensors, double mean_loss) const {
    Outcome sums;
    sums.counted = static_cast<std::uint64_t>(tensors.size);
    sums.loss_sum = mean_loss * static_cast<double>(tensors.size);
    sums.correct = static_cast<std::uint64_t>(logits.argmax(1).eq(tensors.labels).sum().item<std::int64_t>());
    if (spec_.top_k > 0) {
      const at::Tensor best = std::get<1>(logits.topk(spec_.top_k, 1));
      sums.top_k_correct =
          static_cast<std::uint64_t>(best.eq(tensors.labels.unsqueeze(1)).sum().item<std::int64_t>());
    }
    return sums;
  }

  LearnerSpec spec_;
  ResNet network_;
  Sgd sgd_;
};

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec) {
  return translated("make network",
                    [&]() -> std::unique_ptr<Learner> { return std::make_unique<TorchLearner>(spec); });
}

}  // namespace

}  // namespace stoker::training

extern "C" __attribute__((visibility("default"))) const stoker::training::TrainLibrary*
stoker_train_library() {
  static const stoker::training::TrainLibrary library{.interface = stoker::training::kLibraryInterface,
                                                      .torch_version = TORCH_VERSION,
                                                      .make_learner = &stoker::training::make_learner};
  return &library;
}
