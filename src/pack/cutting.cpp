#include "pack/cutting.hpp"

#include <algorithm>

#include "pack/image_plan.hpp"
#include "pack/sample_probe.hpp"

namespace stoker::packing {

std::vector<std::uint64_t> cut(const PackOptions& options, const Destination& to,
                               const RecordReader& source) {
  const std::uint64_t samples = source.size();
  if (options.shard_bytes == 0) return cuts_by_number(samples, std::max<std::uint64_t>(1, options.shards));
  PackOptions quiet = options;
  quiet.on_error = OnError::skip;  // the pack itself raises, at the first in order
  const SampleProbe probe = probe_samples(quiet, to, source, "");
  const double packed = static_cast<double>(std::max<std::uint64_t>(1, probe.report.packed));
  const double overhead = static_cast<double>(probe.overhead) / packed;
  const double share = probe.report.bytes_in == 0 || !touches_pixels(options)
                           ? 1
                           : static_cast<double>(probe.bytes_out - probe.overhead) /
                                 static_cast<double>(probe.report.bytes_in);
  SizeCutter cutter(options.shard_bytes);
  for (std::uint64_t i = 0; i < samples; ++i)
    cutter.add(static_cast<double>(source.info(i).bytes) * share + overhead);
  return cutter.cuts();
}

}  // namespace stoker::packing
