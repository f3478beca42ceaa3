// stoker/pack.hpp
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <optional>
#include <tuple>

#include "stoker/pack.hpp"

#include "bindings.hpp"
#include "records.hpp"

namespace stoker::python {
namespace {

template <typename Enum>
Enum chosen(const char* option, const std::string& name,
            std::initializer_list<std::pair<const char*, Enum>> values) {
  std::string allowed;
  for (const auto& [known, value] : values) {
    if (name == known) return value;
    allowed += (allowed.empty() ? "'" : ", '") + std::string(known) + "'";
  }
  throw Error(ErrorCode::invalid_argument,
              {.operation = "option", .object = option, .found = "'" + name + "'", .allowed = allowed});
}

nb::list samples_of(const std::vector<SkippedSample>& samples) {
  nb::list out;
  for (const SkippedSample& sample : samples)
    out.append(nb::make_tuple(text(sample.key), text(sample.reason)));
  return out;
}

nb::dict counts_of(const std::map<std::string, std::uint64_t>& counts) {
  nb::dict out;
  for (const auto& [name, count] : counts) out[text(name)] = count;
  return out;
}

nb::dict report_of(const PackReport& report) {
  nb::dict out;
  nb::list shards, classes;
  for (const PackedShard& shard : report.shards)
    shards.append(nb::make_tuple(text(shard.path), shard.records, shard.bytes, shard.crc32c));
  for (const std::string& name : report.classes) classes.append(text(name));
  out["inputs"] = report.inputs;
  out["packed"] = report.packed;
  out["skipped_count"] = report.skipped_count;
  out["warned_count"] = report.warned_count;
  out["skipped"] = samples_of(report.skipped);
  out["warned"] = samples_of(report.warned);
  out["changed"] = counts_of(report.changed);
  out["kept"] = counts_of(report.kept);
  out["dropped_fields"] = counts_of(report.dropped_fields);
  out["duplicates"] = report.duplicates;
  out["bytes_in"] = report.bytes_in;
  out["bytes_out"] = report.bytes_out;
  out["indexed"] = report.indexed;
  out["not_indexable"] = counts_of(report.not_indexable);
  out["index_bytes"] = report.index_bytes;
  out["shards"] = shards;
  out["classes"] = classes;
  out["images_per_s"] = report.images_per_s;
  out["wall_s"] = report.wall_s;
  out["cpu_s"] = report.cpu_s;
  out["estimated"] = report.estimated;
  out["too_many_bad"] = report.too_many_bad;
  out["waits_for_merge"] = report.waits_for_merge;
  return out;
}

// The options of pack(), one by one, as the command line has them.
void set_options(PackOptions* self, const nb::bytes& source, const nb::bytes& destination,
                 const std::optional<std::string>& format, std::uint64_t shard_size, std::uint64_t shards,
                 std::tuple<std::uint64_t, std::uint64_t> part, bool resume, bool drop_fields,
                 std::int64_t label_offset, const OpenOptions& open, int resize_short, bool enlarge,
                 int max_side, bool center_crop, std::optional<int> quality, const std::string& encode,
                 const std::string& subsampling, bool baseline, bool upright, const std::string& precompute,
                 const std::string& precompute_command, bool seek_index, const std::string& on_error,
                 double max_bad_share, std::uint64_t max_pixels, int threads) {
  new (self) PackOptions{.source = path_of(source),
                         .destination = path_of(destination),
                         .shard_bytes = shard_size,
                         .shards = shards,
                         .part = {std::get<0>(part), std::get<1>(part)},
                         .resume = resume,
                         .drop_fields = drop_fields,
                         .label_offset = label_offset,
                         .open = open,
                         .resize_short = resize_short,
                         .enlarge = enlarge,
                         .max_side = max_side,
                         .center_crop = center_crop,
                         .quality = quality,
                         .baseline = baseline,
                         .upright = upright,
                         .precompute = precompute,
                         .precompute_command = precompute_command,
                         .seek_index = seek_index,
                         .max_bad_share = max_bad_share,
                         .max_pixels = max_pixels,
                         .threads = threads};
  if (format)
    self->format =
        named("format", *format, {RecordFormat::recordio, RecordFormat::tar, RecordFormat::tfrecord});
  self->encode = chosen<Encode>("encode", encode,
                                {{"keep", Encode::keep}, {"jpeg", Encode::jpeg}, {"png", Encode::png}});
  self->subsampling = chosen<Subsampling>(
      "subsampling", subsampling,
      {{"keep", Subsampling::keep}, {"420", Subsampling::s420}, {"444", Subsampling::s444}});
  self->on_error =
      chosen<OnError>("on_error", on_error, {{"skip", OnError::skip}, {"raise", OnError::raise}});
}

nb::dict run_pack(const PackOptions& options, const nb::object& progress) {
  Interruptible run;
  const auto report_progress = [&](const PackProgress& at) {
    run.look([&] {
      if (!progress.is_none()) progress(at.done, at.total, at.skipped, at.bytes_out);
    });
  };
  return report_of(run([&] { return pack(options, report_progress, &run.cancel); }));
}

}  // namespace

void bind_packing(nb::module_& module) {
  nb::class_<PackOptions>(module, "PackOptions")
      .def("__init__", &set_options, nb::arg("source"), nb::arg("destination"), nb::arg("format").none(),
           nb::arg("shard_size"), nb::arg("shards"), nb::arg("part"), nb::arg("resume"),
           nb::arg("drop_fields"), nb::arg("label_offset"), nb::arg("open"), nb::arg("resize_short"),
           nb::arg("enlarge"), nb::arg("max_side"), nb::arg("center_crop"), nb::arg("quality").none(),
           nb::arg("encode"), nb::arg("subsampling"), nb::arg("baseline"), nb::arg("upright"),
           nb::arg("precompute"), nb::arg("precompute_command"), nb::arg("seek_index"), nb::arg("on_error"),
           nb::arg("max_bad_share"), nb::arg("max_pixels"), nb::arg("threads"));
  module.def("pack", &run_pack, nb::arg("options"), nb::arg("progress").none());
  module.def(
      "plan_pack",
      [](const PackOptions& options) {
        PackReport report;
        {
          const nb::gil_scoped_release release;
          report = plan_pack(options);
        }
        return report_of(report);
      },
      nb::arg("options"));
  module.def(
      "merge_pack",
      [](const PackOptions& options) {
        PackReport report;
        {
          const nb::gil_scoped_release release;
          report = merge_pack(options);
        }
        return report_of(report);
      },
      nb::arg("options"));
}

}  // namespace stoker::python
