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
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/scalar_tensor.h>
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <torch/headeronly/version.h>
#include <utility>
#include <vector>

#include "stoker/error.hpp"

#include "train/library.hpp"
#include "train/torch/autocast.hpp"
#include "train/torch/device.hpp"
#include "train/torch/ema.hpp"
#include "train/torch/network.hpp"
#include "train/torch/normalise.hpp"
#include "train/torch/sgd.hpp"
#include "train/torch/staging.hpp"
#include "train/torch/state_dict.hpp"
#include "train/torch/translated.hpp"
#include "train/torch/weights.hpp"

namespace stoker::training {

namespace {

// The dicts of a learner's state. The last is there where a running mean is, and counts its updates too.
constexpr const char* kModel = "model";
constexpr const char* kVelocity = "velocity";
constexpr const char* kEma = "ema";
constexpr const char* kEmaUpdates = "n_averaged";

constexpr const char* kStateObject = "checkpoint";

// In the memory of the CPU, so that a checkpoint knows no device.
NamedTensors copies(const std::vector<Entry>& entries) {
  NamedTensors tensors = named_tensors(entries);
  for (auto& [name, tensor] : tensors) tensor = tensor.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  return tensors;
}

class TorchState final : public LearnerState {
 public:
  using Groups = std::vector<std::pair<std::string, NamedTensors>>;

  explicit TorchState(Groups groups) : groups_(std::move(groups)) {}

  std::string serialise() const override {
    return translated("write checkpoint", [&] { return write_state_file(groups_); });
  }

 private:
  Groups groups_;
};

// Takes the count of updates out of the tensors of a running mean. Errors: corrupt_data.
std::int64_t take_updates(NamedTensors& tensors) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [](const auto& named) { return named.first == kEmaUpdates; });
  if (found == tensors.end() || found->second.scalar_type() != at::kLong || found->second.numel() != 1)
    throw Error(ErrorCode::corrupt_data, {.operation = "read weights",
                                          .object = kStateObject,
                                          .found = "a running mean of weights without its count",
                                          .next_step = "resume from an older checkpoint"});
  const std::int64_t updates = found->second.item<std::int64_t>();
  tensors.erase(found);
  return updates;
}

class TorchLearner final : public Learner {
 public:
  explicit TorchLearner(const LearnerSpec& spec)
      : spec_(spec),
        device_(open_device(spec.gpu)),
        normalise_(spec.normalize, device_),
        staging_(device_),
        network_(spec.network, at::make_generator<at::CPUGeneratorImpl>(spec.seed), device_),
        sgd_(network_.entries(), {.mom = spec.mom, .wd = spec.wd, .nesterov = spec.nesterov}) {
    at::set_num_threads(spec.compute_threads);
    if (spec.ema_decay > 0) ema_.emplace(spec.network, network_.entries(), spec.ema_decay);
  }

  bool wants_staging() const override { return !device_.is_cpu(); }

  std::unique_ptr<StagedBatch> stage(const LearnerBatch& batch) override {
    return translated("copy batch", [&] { return staging_.stage(batch); });
  }

  Outcome accumulate(const LearnerBatch& batch, double share) override {
    return translated("train step", [&] {
      const BatchTensors tensors = take(batch);
      if (tensors.kept.empty()) return Outcome{};
      const at::Tensor logits = forward(network_, tensors.images, true);
      const at::Tensor loss =
          at::cross_entropy_loss(logits, tensors.labels, /*weight=*/{}, at::Reduction::Mean,
                                 /*ignore_index=*/-100, spec_.label_smoothing);
      loss.backward(at::scalar_tensor(share, loss.options()));
      return outcome(logits.detach(), tensors, loss.item<double>(), {});
    });
  }

  void update(double lr) override {
    translated("train step", [&] {
      if (sgd_.step(lr) && ema_) ema_->update(network_.entries());
    });
  }

  Outcome evaluate(const LearnerBatch& batch, std::span<std::uint8_t> hits) override {
    return translated("evaluate", [&] {
      const at::NoGradGuard no_grad;
      std::fill(hits.begin(), hits.end(), std::uint8_t{0});
      const BatchTensors tensors = take(batch);
      if (tensors.kept.empty()) return Outcome{};
      const at::Tensor logits = forward(ema_ ? ema_->network() : network_, tensors.images, false);
      const at::Tensor loss = at::cross_entropy_loss(logits, tensors.labels);
      return outcome(logits, tensors, loss.item<double>(), hits);
    });
  }

  std::unique_ptr<LearnerState> state() const override {
    return translated("copy weights", [&]() -> std::unique_ptr<LearnerState> {
      TorchState::Groups groups{{kModel, copies(network_.entries())}, {kVelocity, copies(sgd_.velocities())}};
      if (ema_) {
        groups.emplace_back(kEma, copies(ema_->network().entries()));
        groups.back().second.emplace_back(kEmaUpdates, at::full({}, ema_->updates(), at::kLong));
      }
      return std::make_unique<TorchState>(std::move(groups));
    });
  }

  void restore(std::string_view state) override {
    translated("read weights", [&] {
      const StateFile file(state, kStateObject);
      if (file.has_group(kEma) != ema_.has_value())
        throw Error(ErrorCode::invalid_argument, {.operation = "read weights",
                                                  .object = kStateObject,
                                                  .found = ema_ ? "it holds no running mean of weights"
                                                                : "it holds a running mean of weights",
                                                  .next_step = "resume with the same --ema-decay as before"});
      // All is compared before anything is changed.
      std::vector<WeightsMatch> matches{
          match_weights(network_.entries(), file.tensors(kModel), kStateObject, false),
          match_weights(sgd_.velocities(), file.tensors(kVelocity), kStateObject, false)};
      if (ema_) {
        NamedTensors tensors = file.tensors(kEma);
        const std::int64_t updates = take_updates(tensors);
        matches.push_back(match_weights(ema_->network().entries(), tensors, kStateObject, false));
        ema_->set_updates(updates);
      }
      for (const WeightsMatch& match : matches) copy_weights(match);
      sgd_.drop_gradients();
    });
  }

  std::vector<std::string> load_weights(std::string_view state_dict) override {
    return translated("read weights", [&] {
      const std::string object = "state_dict";
      const NamedTensors tensors = read_state_dict(state_dict, object);
      const WeightsMatch match = match_weights(network_.entries(), tensors, object, true);
      copy_weights(match);
      const at::NoGradGuard no_grad;
      for (const Entry& velocity : sgd_.velocities()) at::Tensor(velocity.tensor).zero_();
      sgd_.drop_gradients();
      if (ema_) ema_->reset(network_.entries());
      std::vector<std::string> remarks;
      if (match.other_classes) {
        const auto weight = std::find_if(tensors.begin(), tensors.end(),
                                         [](const auto& t) { return t.first == "fc.weight"; });
        remarks.push_back("the last layer (fc) begins anew: the file's has " +
                          std::to_string(weight->second.size(0)) + " classes, this network " +
                          std::to_string(spec_.network.num_classes));
      }
      return remarks;
    });
  }

  std::uint64_t parameter_count() const override {
    std::uint64_t count = 0;
    for (const Entry& entry : network_.entries())
      if (entry.learned()) count += static_cast<std::uint64_t>(entry.tensor.numel());
    return count;
  }

 private:
  // On the device, normalised.
  BatchTensors take(const LearnerBatch& batch) const {
    BatchTensors tensors = batch.staged != nullptr ? staging_.take(*batch.staged) : view(batch);
    if (tensors.kept.empty()) return tensors;
    tensors.images = tensors.images.to(device_);
    tensors.labels = tensors.labels.to(device_);
    if (tensors.images.scalar_type() == at::kByte) tensors.images = normalise_(tensors.images);
    return tensors;
  }

  // Views of the batch's own memory; where slots are left out, a copy of the others.
  static BatchTensors view(const LearnerBatch& batch) {
    const std::int64_t height = batch.image_size.height;
    const std::int64_t width = batch.image_size.width;
    const std::array<std::int64_t, 4> sizes{batch.size, 3, height, width};
    const std::array<std::int64_t, 4> strides{height * width * 3, 1, width * 3, 3};
    // from_blob takes no const memory; nothing here writes to its input.
    void* images = const_cast<std::byte*>(batch.images);
    void* labels = const_cast<std::int64_t*>(batch.labels.data());
    BatchTensors tensors{
        at::from_blob(images, sizes, strides, batch.dtype == DType::u8 ? at::kByte : at::kFloat),
        at::from_blob(labels, {static_cast<std::int64_t>(batch.size)}, at::kLong),
        {}};
    for (std::int64_t i = 0; i < batch.size; ++i)
      if (batch.labels[static_cast<std::size_t>(i)] != kLeftOut) tensors.kept.push_back(i);
    if (const auto kept = static_cast<std::int64_t>(tensors.kept.size()); kept != batch.size && kept != 0) {
      const at::Tensor rows = at::from_blob(tensors.kept.data(), {kept}, at::kLong);
      tensors.images = at::index_select(tensors.images, 0, rows).contiguous(at::MemoryFormat::ChannelsLast);
      tensors.labels = at::index_select(tensors.labels, 0, rows);
    }
    return tensors;
  }

  // Logits in f32, in whichever type the layers compute.
  at::Tensor forward(const ResNet& network, const at::Tensor& images, bool training) const {
    const AutocastGuard guard(spec_.bfloat16, device_.type());
    return network.forward(images, training).to(at::kFloat);
  }

  Outcome outcome(const at::Tensor& logits, const BatchTensors& tensors, double mean_loss,
                  std::span<std::uint8_t> hits) const {
    Outcome sums;
    sums.counted = tensors.kept.size();
    sums.loss_sum = mean_loss * static_cast<double>(tensors.kept.size());
    const at::Tensor right = logits.argmax(1).eq(tensors.labels).to(at::kCPU);
    const bool* right_data = right.const_data_ptr<bool>();
    for (std::size_t i = 0; i < tensors.kept.size(); ++i) {
      if (!right_data[i]) continue;
      ++sums.correct;
      if (!hits.empty()) hits[static_cast<std::size_t>(tensors.kept[i])] = 1;
    }
    if (spec_.top_k > 0) {
      const at::Tensor best = std::get<1>(logits.topk(spec_.top_k, 1));
      sums.top_k_correct =
          static_cast<std::uint64_t>(best.eq(tensors.labels.unsqueeze(1)).sum().item<std::int64_t>());
    }
    return sums;
  }

  LearnerSpec spec_;
  at::Device device_;  // opened before anything else of PyTorch is used
  Normaliser normalise_;
  Staging staging_;
  ResNet network_;
  Sgd sgd_;
  std::optional<Ema> ema_;
};

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec) {
  return translated("make network",
                    [&]() -> std::unique_ptr<Learner> { return std::make_unique<TorchLearner>(spec); });
}

void open_gpu(int gpu) {
  translated("open GPU", [&] { open_device(gpu); });
}

std::string export_weights(std::string_view state, bool averaged) {
  return translated("export weights", [&] {
    const StateFile file(state, kStateObject);
    if (averaged && !file.has_group(kEma))
      throw Error(ErrorCode::invalid_argument, {.operation = "export weights",
                                                .object = kStateObject,
                                                .found = "it holds no running mean of weights",
                                                .next_step = "export the weights themselves"});
    if (!averaged && !file.has_group(kModel))
      throw Error(ErrorCode::corrupt_data,
                  {.operation = "export weights", .object = kStateObject, .found = "it holds no weights"});
    NamedTensors tensors = file.tensors(averaged ? kEma : kModel);
    if (averaged) take_updates(tensors);
    // Python keeps the strides that it reads; other readers know rows alone.
    for (auto& [name, tensor] : tensors) tensor = tensor.contiguous();
    return write_state_file(tensors);
  });
}

}  // namespace

}  // namespace stoker::training

extern "C" __attribute__((visibility("default"))) const stoker::training::TrainLibrary*
stoker_train_library() {
  static const stoker::training::TrainLibrary library{.interface = stoker::training::kLibraryInterface,
                                                      .torch_version = TORCH_VERSION,
                                                      .open_gpu = &stoker::training::open_gpu,
                                                      .make_learner = &stoker::training::make_learner,
                                                      .export_weights = &stoker::training::export_weights};
  return &library;
}
