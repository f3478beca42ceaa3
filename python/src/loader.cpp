// stoker/loader.hpp
#include "stoker/loader.hpp"

#include <cmath>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <unistd.h>

#include "bindings.hpp"
#include "records.hpp"
#include "types.hpp"

namespace stoker::python {
namespace {

// A loader and the process it belongs to: its threads do not follow into a fork.
class LoaderHandle {
 public:
  LoaderHandle(const Records& records, LoaderOptions options)
      : selection(records.selection), loader_(std::in_place, records.reader, std::move(options)) {}
  ~LoaderHandle() {
    if (::getpid() != pid_)
      new std::optional<Loader>(std::move(loader_));  // its threads are not here to be joined
  }

  const std::shared_ptr<const std::vector<std::uint64_t>> selection;

  template <typename Call>
  auto with(const Call& call) {
    check_process();
    const std::lock_guard lock(mutex_);
    if (!loader_)
      throw Error(ErrorCode::invalid_argument,
                  {.operation = "use loader", .found = "it is closed", .next_step = "make a new one"});
    return call(*loader_);
  }
  void close() {
    if (::getpid() != pid_) return;
    const std::lock_guard lock(mutex_);
    loader_.reset();
  }

 private:
  void check_process() const {
    if (::getpid() == pid_) return;
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "use loader",
         .object = "process " + std::to_string(::getpid()),
         .found = "a loader of process " + std::to_string(pid_) + ", whose threads are not in this fork",
         .next_step = "make the loader in the process that uses it; it needs no DataLoader workers"});
  }

  const pid_t pid_ = ::getpid();
  std::mutex mutex_;
  std::optional<Loader> loader_;
};

template <typename Call>
auto without_gil(LoaderHandle& loader, const Call& call) {
  const nb::gil_scoped_release release;
  return loader.with(call);
}

// A batch, and what its indices are places of.
struct PlacedBatch : Batch {
  std::shared_ptr<const std::vector<std::uint64_t>> selection;
};

Array indices(const PlacedBatch& batch) {
  const std::size_t size = static_cast<std::size_t>(batch.size());
  std::vector<std::uint64_t> places(batch.indices().begin(), batch.indices().end());
  if (batch.selection)
    for (std::uint64_t& place : places)
      if (place < batch.selection->size()) place = (*batch.selection)[place];  // else no sample at all
  return array_of(std::move(places), {size}, ArrayType::u64);
}

Array view(const Batch& batch, const void* data, std::vector<std::size_t> shape, ArrayType type) {
  return {
      .owner = std::make_shared<const Batch>(batch), .data = data, .shape = std::move(shape), .type = type};
}

std::size_t size_of(const Batch& batch) { return static_cast<std::size_t>(batch.size()); }

Array images(const Batch& batch) {
  std::vector<std::size_t> shape{size_of(batch)};
  shape.insert(shape.end(), batch.shape().begin(), batch.shape().end());
  return view(batch, batch.images(), std::move(shape), array_type(batch.dtype()));
}

Array labels(const Batch& batch) {
  const std::size_t width = size_of(batch) == 0 ? 1 : batch.labels().size() / size_of(batch);
  return view(batch, batch.labels().data(), {size_of(batch), width}, ArrayType::f32);
}

// The first label of each sample as a class.
Array class_labels(const Batch& batch) {
  const std::size_t size = size_of(batch), width = size == 0 ? 1 : batch.labels().size() / size;
  std::vector<std::int64_t> classes(size);
  for (std::size_t i = 0; i < size; ++i) {
    const float label = batch.labels()[i * width];
    if (label != std::floor(label))
      throw Error(ErrorCode::invalid_argument, {.operation = "labels as int64",
                                                .object = batch.keys()[i],
                                                .found = "the label " + std::to_string(label),
                                                .allowed = "whole numbers",
                                                .next_step = "label_dtype='float32'"});
    classes[i] = static_cast<std::int64_t>(label);
  }
  return array_of(std::move(classes), {size}, ArrayType::i64);
}

nb::list keys(const Batch& batch) {
  nb::list out;
  for (const std::string& key : batch.keys()) out.append(text(key));
  return out;
}

nb::list statuses(const Batch& batch) {
  static constexpr const char* kNames[] = {"ok", "warned", "bad", "substituted", "padding"};
  nb::list out;
  for (const SampleStatus status : batch.statuses())
    out.append(nb::str(kNames[static_cast<std::size_t>(status)]));
  return out;
}

nb::dict state_of(const LoaderState& state) {
  nb::dict out;
  out["seed"] = state.seed;
  out["epoch"] = state.epoch;
  out["samples_done"] = state.samples_done;
  out["dataset_size"] = state.dataset_size;
  return out;
}

nb::dict statistics(LoaderHandle& handle) {
  return handle.with([](Loader& loader) {
    const DecodeCounts counts = loader.decode_counts();
    nb::dict out, decoded;
    decoded["own"] = counts.own;
    decoded["seek"] = counts.seek;
    decoded["turbo"] = counts.turbo;
    decoded["other"] = counts.other;
    out["threads"] = loader.threads();
    out["decoded"] = decoded;
    out["seek_points_failed"] = counts.points_failed;
    out["seek_index_published"] = text(counts.published);
    out["not_learned"] = text(counts.not_learned);
    out["bad_samples"] = loader.bad_sample_count();
    return out;
  });
}

nb::list bad_samples(LoaderHandle& handle) {
  return handle.with([](Loader& loader) {
    nb::list out;
    for (const BadRecord& bad : loader.bad_samples())
      out.append(nb::make_tuple(text(bad.container), bad.offset, text(bad.key), text(bad.reason)));
    return out;
  });
}

void make_loader(LoaderHandle* self, const Records& records, const std::string& recipe, int batch_size,
                 bool shuffle, std::uint64_t seed, int threads, int read_threads, int rank, int world_size,
                 const std::string& last_batch, const std::string& bad_sample, double max_bad_share,
                 std::uint64_t max_pixels, const std::string& pixels, int batches_ahead,
                 std::size_t read_ahead_bytes, int label_width, const std::string& learn,
                 bool publish_counters) {
  LoaderOptions options{.recipe = recipe,
                        .batch_size = batch_size,
                        .shuffle = shuffle,
                        .seed = seed,
                        .threads = threads,
                        .read_threads = read_threads,
                        .rank = rank,
                        .world_size = world_size,
                        .max_bad_share = max_bad_share,
                        .max_pixels = max_pixels,
                        .batches_ahead = batches_ahead,
                        .read_ahead_bytes = read_ahead_bytes,
                        .label_width = label_width,
                        .publish_counters = publish_counters};
  options.last_batch =
      named("last_batch", last_batch, {LastBatchPolicy::keep, LastBatchPolicy::drop, LastBatchPolicy::pad});
  options.bad_sample = named("bad_sample", bad_sample,
                             {BadSamplePolicy::raise, BadSamplePolicy::skip, BadSamplePolicy::substitute});
  options.pixels = named("pixels", pixels, {PixelMode::exact, PixelMode::fast});
  options.learn = named("learn", learn, {LearnSeek::off, LearnSeek::crops, LearnSeek::full});
  const nb::gil_scoped_release release;
  new (self) LoaderHandle(records, std::move(options));
}

}  // namespace

void bind_loader(nb::module_& module) {
  nb::class_<PlacedBatch>(module, "Batch")
      .def("__len__", [](const PlacedBatch& batch) { return size_of(batch); })
      .def_prop_ro("images", [](const PlacedBatch& batch) { return images(batch); })
      .def_prop_ro("labels", [](const PlacedBatch& batch) { return labels(batch); })
      .def_prop_ro("class_labels", [](const PlacedBatch& batch) { return class_labels(batch); })
      .def_prop_ro("indices", &indices)
      .def_prop_ro("status_codes",
                   [](const PlacedBatch& batch) {
                     return view(batch, batch.statuses().data(), {size_of(batch)}, ArrayType::u8);
                   })
      .def_prop_ro("statuses", [](const PlacedBatch& batch) { return statuses(batch); })
      .def_prop_ro("keys", [](const PlacedBatch& batch) { return keys(batch); })
      .def_prop_ro("epoch", [](const PlacedBatch& batch) { return batch.epoch(); })
      .def_prop_ro("step", [](const PlacedBatch& batch) { return batch.step(); });
  nb::class_<LoaderHandle>(module, "Loader")
      .def("__init__", &make_loader, nb::arg("records"), nb::arg("recipe"), nb::arg("batch_size"),
           nb::arg("shuffle"), nb::arg("seed"), nb::arg("threads"), nb::arg("read_threads"), nb::arg("rank"),
           nb::arg("world_size"), nb::arg("last_batch"), nb::arg("bad_sample"), nb::arg("max_bad_share"),
           nb::arg("max_pixels"), nb::arg("pixels"), nb::arg("batches_ahead"), nb::arg("read_ahead_bytes"),
           nb::arg("label_width"), nb::arg("learn"), nb::arg("publish_counters"))
      .def("next",
           [](LoaderHandle& handle) -> std::optional<PlacedBatch> {
             Batch batch = without_gil(handle, [](Loader& loader) { return loader.next(); });
             if (!batch) return std::nullopt;
             return PlacedBatch{std::move(batch), handle.selection};
           })
      .def(
          "set_epoch",
          [](LoaderHandle& handle, std::uint64_t epoch) {
            without_gil(handle, [&](Loader& loader) { loader.set_epoch(epoch); });
          },
          nb::arg("epoch"))
      .def_prop_ro(
          "epoch",
          [](LoaderHandle& handle) { return handle.with([](Loader& loader) { return loader.epoch(); }); })
      .def_prop_ro("steps_per_epoch",
                   [](LoaderHandle& handle) {
                     return handle.with([](Loader& loader) { return loader.steps_per_epoch(); });
                   })
      .def_prop_ro("samples_per_epoch",
                   [](LoaderHandle& handle) {
                     return handle.with([](Loader& loader) { return loader.samples_per_epoch(); });
                   })
      .def("state",
           [](LoaderHandle& handle) {
             return state_of(handle.with([](Loader& loader) { return loader.state(); }));
           })
      .def(
          "restore",
          [](LoaderHandle& handle, std::uint64_t seed, std::uint64_t epoch, std::uint64_t samples_done,
             std::uint64_t dataset_size) {
            const LoaderState state{seed, epoch, samples_done, dataset_size};
            without_gil(handle, [&](Loader& loader) { loader.restore(state); });
          },
          nb::arg("seed"), nb::arg("epoch"), nb::arg("samples_done"), nb::arg("dataset_size"))
      .def("statistics", &statistics)
      .def("bad_samples", &bad_samples)
      .def("close", [](LoaderHandle& handle) {
        const nb::gil_scoped_release release;
        handle.close();
      });
}

}  // namespace stoker::python
