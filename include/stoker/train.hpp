// The trainer's options, as on the command line, and what it reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/loader.hpp"

namespace stoker {

// How the learning rate comes down behind the warm-up.
enum class LrSchedule {
  cosine,  // half a cosine to 0
  step,    // times lr_factor at the beginning of each of lr_step_epochs
  poly,    // (1 - share of the training done)², to 0
};
std::string_view to_string(LrSchedule schedule);

// From `epoch` (from 0) on, pictures of this size are trained on.
struct EpochSize {
  int epoch = 0;
  Size size;
};

// Fields that are empty take what the network is usually trained with: see docs/train.md.
struct TrainOptions {
  std::string network = "resnet";
  int num_layers = 20;  // 8, 20, 32, 56: for small images; 18, 34, 50, 101, 152: for ImageNet's
  int width = 16;       // channels of the first stage, of the small ones alone
  std::string data_train;
  std::string data_val;  // empty: no evaluation
  OpenOptions open;      // how both are opened
  int batch_size = 32;
  int accumulate = 1;     // batches to one step of the optimiser
  int data_nthreads = 0;  // decode workers; 0: tuned
  std::optional<Size> image_size;
  std::vector<EpochSize> image_size_schedule;  // ascending epochs; before the first: image_size
  int num_epochs = 40;
  int num_classes = 0;  // 0: from the class map, else the largest label + 1
  double lr = 0.1;      // at the end of the warm-up
  LrSchedule lr_schedule = LrSchedule::cosine;
  std::vector<int> lr_step_epochs;  // of `step`
  double lr_factor = 0.1;           // of `step`
  double mom = 0.9;
  bool nesterov = false;
  std::optional<double> wd;  // not on norms and biases
  int warmup_steps = 50;
  double label_smoothing = 0;
  double ema_decay = 0;                  // of a running mean of the weights, which is then evaluated; 0: none
  bool bfloat16 = false;                 // convolutions and the linear layer; weights stay f32
  std::optional<double> crop_scale_min;  // of the random resized crop
  std::uint64_t seed = 0;
  int disp_batches = 20;    // steps between two report lines
  int top_k = 0;            // also report top-k accuracy; 0: top-1 alone
  std::optional<int> gpu;   // the CUDA device to compute on; empty: the CPU
  int compute_threads = 0;  // 0: the CPUs that may be used, from three on less one for the decode workers;
                            // with a GPU one
  BadSamplePolicy bad_sample = BadSamplePolicy::skip;
  double max_bad_share = 0.01;
  std::uint64_t max_pixels = kDefaultMaxPixels;
  PixelMode pixels = PixelMode::exact;  // of training; evaluation is always exact
  LearnSeek learn = LearnSeek::crops;   // of both sources, as LoaderOptions has it
  double max_minutes = 0;               // 0: no limit

  std::string init_from;               // a state_dict with the first weights; empty: drawn from the seed
  std::string model_prefix;            // checkpoints are PREFIX-….ckpt; empty: none are written
  std::uint64_t checkpoint_steps = 0;  // also one every so many steps; 0: none
  double checkpoint_s = 0;             // also one every so many seconds; 0: none
  int keep = 3;                        // newest checkpoints kept, and the best one; 0: all
  bool resume = false;                 // from the newest whole checkpoint of the prefix, where there is one
  std::optional<int> load_epoch;       // from the checkpoint behind so many epochs
  std::optional<double> price_per_h;   // of the machine, in any one currency
  std::string tensorboard;             // a folder for event files; empty: none
};

enum class TrainPhase { train, eval };

// Where the wall time went, in seconds; the parts add up to the whole.
struct Goodput {
  double train_s = 0;       // forward, backward, optimiser
  double data_wait_s = 0;   // waiting for batches to train on
  double evaluate_s = 0;    // evaluations, their own waiting included
  double checkpoint_s = 0;  // held up by checkpoints
  double other_s = 0;       // opening, making the network, reporting

  double total_s() const { return train_s + data_wait_s + evaluate_s + checkpoint_s + other_s; }
};

struct ClassAccuracy {
  std::string name;  // empty: the source has no class names
  std::uint64_t images = 0;
  std::uint64_t correct = 0;
};

// One report: a stretch of training, or an evaluation. What is not known is empty, never 0.
struct TrainLine {
  TrainPhase phase = TrainPhase::train;
  int epoch = 0;           // from 0
  std::uint64_t step = 0;  // since the beginning of the training
  std::uint64_t total_steps = 0;
  double images_per_s = 0;
  double data_wait_share = 0;  // share of wall time spent inside the loader's next()
  double loss = 0;             // mean over the stretch
  double accuracy = 0;         // share, 0..1
  std::optional<double> top_k_accuracy;
  std::optional<double> lr;  // of the last step; training alone
  std::optional<double> epoch_eta_s;
  std::optional<double> total_eta_s;
  std::optional<double> cost;          // of the time so far, resumed stretches included
  std::optional<double> cost_to_go;    // until the end
  Goodput goodput;                     // of this run so far; evaluations alone
  std::vector<ClassAccuracy> classes;  // evaluations alone
};

struct TrainReport {
  std::vector<TrainLine> evaluations;
  std::vector<ClassAccuracy> classes;  // of the last evaluation
  double best_accuracy = 0;
  double final_accuracy = 0;
  double images_per_s = 0;
  double data_wait_share = 0;
  double wall_s = 0;  // of this run
  Goodput goodput;    // of this run
  std::uint64_t images = 0;
  std::optional<double> cost;
  std::string last_checkpoint;  // empty: none was written
  std::string unsaved;          // why the last one could not be written; empty: it was, or none was wanted
  bool interrupted = false;
  std::vector<std::string> notes;  // what the summary tells people beyond figures
};

// What a training tells while it runs. Called by the training's thread; any may be empty.
struct TrainCallbacks {
  std::function<void(const TrainLine&)> line;
  // Resumed from …, a checkpoint that could not be written. If empty, they are among the report's notes.
  std::function<void(const std::string&)> note;
};

// Trains and evaluates. `stop` set by a signal handler ends it behind the step in progress, with a checkpoint
// (interrupted). Errors: invalid_argument (options, class maps that differ, labels out of range: the record
// is named, a checkpoint of another network), not_found and corrupt_data (a checkpoint that was asked for by
// name), unsupported (no trainer, no CUDA device), the loader's, unavailable (another training writes under
// the prefix); io where nothing can be written under it. A checkpoint that cannot be written later on ends
// nothing: see TrainReport::unsaved. Whatever ends the training, what was learned is saved first, unless it
// diverged.
TrainReport train(const TrainOptions& options, const TrainCallbacks& callbacks = {},
                  const std::atomic<bool>* stop = nullptr);

struct ExportReport {
  std::string network;  // "resnet-50"
  int num_classes = 0;
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;
};

// A checkpoint's weights → a state_dict file that PyTorch loads. `averaged`: the running mean of weights.
// Errors: as train() for checkpoints and the library; io.
ExportReport export_weights(const std::string& checkpoint, const std::string& destination, bool averaged);

// Whether this build has a trainer (PyTorch's C++ libraries were found); if not, train() throws unsupported
// with what to install.
bool train_available();

}  // namespace stoker
