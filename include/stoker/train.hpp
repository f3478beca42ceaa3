// The trainer's options, as on the command line, and what it reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/loader.hpp"

namespace stoker {

struct TrainOptions {
  std::string network = "resnet";
  int num_layers = 20;  // 8, 20, 32, 56 (small images)
  int width = 16;       // channels of the first stage
  std::string data_train;
  std::string data_val;  // empty: no evaluation
  OpenOptions open;      // how both are opened
  int batch_size = 32;
  int data_nthreads = 0;  // decode workers; 0: tuned
  Size image_size{64, 64};
  int num_epochs = 40;
  int num_classes = 0;  // 0: from the class map, else the largest label + 1
  double lr = 0.1;      // at the end of the warm-up
  double mom = 0.9;
  double wd = 5e-4;  // not on norms and biases
  int warmup_steps = 50;
  double label_smoothing = 0;
  double crop_scale_min = 0.35;  // of the random resized crop
  std::uint64_t seed = 0;
  int disp_batches = 20;    // batches between two report lines
  int top_k = 0;            // also report top-k accuracy; 0: top-1 alone
  int compute_threads = 0;  // 0: the CPUs that may be used, from three on less one for the decode workers
  BadSamplePolicy bad_sample = BadSamplePolicy::skip;
  double max_bad_share = 0.01;
  std::uint64_t max_pixels = kDefaultMaxPixels;
  double max_minutes = 0;  // 0: no limit
};

enum class TrainPhase { train, eval };

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
  std::optional<double> epoch_eta_s;
  std::optional<double> total_eta_s;
};

struct TrainReport {
  std::vector<TrainLine> evaluations;
  double best_accuracy = 0;
  double final_accuracy = 0;
  double images_per_s = 0;
  double data_wait_share = 0;
  double wall_s = 0;
  std::uint64_t images = 0;
  bool interrupted = false;
  std::vector<std::string> notes;  // what the summary tells people beyond figures
};

using TrainLineCallback = std::function<void(const TrainLine&)>;

// Trains and evaluates. `stop` set by a signal handler ends it behind the step in progress (interrupted).
// Errors: invalid_argument (class maps that differ, labels out of range: the record is named), and the
// loader's.
TrainReport train(const TrainOptions& options, const TrainLineCallback& report = {},
                  const std::atomic<bool>* stop = nullptr);

// Whether this build has a trainer (PyTorch's C++ libraries were found); if not, train() throws unsupported
// with what to install.
bool train_available();

}  // namespace stoker
