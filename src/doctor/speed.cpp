#include "doctor/speed.hpp"

#include "doctor/loader_counters.hpp"

namespace stoker::doctor {

Speed speed_of(const Trace& trace, const Window& window, const std::vector<const GpuCurve*>& curves,
               const IoMeasures& io, const DiagnoseOptions& options) {
  if (const auto counted = images_counted(trace, window))
    return {.images_per_s = *counted, .source = "counters of Stoker's loader"};
  if (options.images_per_s && *options.images_per_s > 0)
    return {.images_per_s = *options.images_per_s, .source = "as told"};
  if (options.batch_size && *options.batch_size > 0)
    for (const GpuCurve* curve : curves)
      if (curve->summary.period_s && *curve->summary.period_s > 0)
        return {.images_per_s = *options.batch_size / *curve->summary.period_s,
                .source = "batch size / period of the GPU's curve"};
  if (io.summary.read_chars_per_s && io.mean_file_bytes && *io.mean_file_bytes > 0 &&
      *io.summary.read_chars_per_s > 0)
    return {.images_per_s = *io.summary.read_chars_per_s / *io.mean_file_bytes,
            .source = "bytes read / mean size of a file",
            .about = true};
  return {.images_per_s = Reading<double>::unknown(
              "no counter tells it, and the mean size of the data set's files is not known"),
          .source = {}};
}

}  // namespace stoker::doctor
