// stoker/record.hpp and stoker/index.hpp
#include "records.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "stoker/index.hpp"
#include "stoker/record.hpp"

#include "bindings.hpp"

namespace stoker::python {

OpenOptions open_options(const nb::bytes& root, const nb::bytes& classes_file, const nb::bytes& index_dir,
                         const std::string& seek_index, const std::string& check_bytes) {
  OpenOptions options{
      .root = path_of(root), .classes_file = path_of(classes_file), .index_dir = path_of(index_dir)};
  const auto refuse = [](const char* option, const std::string& found, const char* allowed) {
    throw Error(ErrorCode::invalid_argument,
                {.operation = "option", .object = option, .found = "'" + found + "'", .allowed = allowed});
  };
  if (seek_index == "off")
    options.seek_index = SeekIndexUse::off;
  else if (seek_index != "automatic")
    refuse("seek_index", seek_index, "'automatic', 'off'");
  if (check_bytes == "always")
    options.check_bytes = CheckBytes::always;
  else if (check_bytes == "never")
    options.check_bytes = CheckBytes::never;
  else if (check_bytes != "first")
    refuse("check_bytes", check_bytes, "'first', 'always', 'never'");
  return options;
}

namespace {

nb::bytes bytes_of(std::span<const std::byte> bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// (key, labels, fields by name, the main field's name, seek points)
nb::tuple read(const Records& records, std::uint64_t index) {
  Sample sample;
  {
    const nb::gil_scoped_release release;
    records.reader->read(index, sample);
  }
  nb::list labels;
  for (const float label : sample.labels) labels.append(label);
  nb::dict fields;
  for (const Field& field : sample.fields) fields[text(field.name)] = bytes_of(field.bytes);
  return nb::make_tuple(text(sample.key), nb::tuple(labels), fields,
                        text(sample.fields[sample.main_field].name), bytes_of(sample.seek_points));
}

Records select(const Records& records, std::vector<std::uint64_t> indices) {
  std::vector<std::uint64_t> places = indices;
  if (records.selection)
    for (std::uint64_t& place : places)
      if (place < records.selection->size())
        place = (*records.selection)[place];  // else select_records refuses
  return {select_records(records.reader, std::move(indices)),
          std::make_shared<const std::vector<std::uint64_t>>(std::move(places))};
}

nb::list class_names(const Records& records) {
  nb::list names;
  for (const std::string& name : records.reader->classes()) names.append(text(name));
  return names;
}

nb::dict seek_index_info(const Records& records) {
  const SeekIndexInfo info = records.reader->seek_index();
  nb::dict out;
  out["state"] = text(to_string(info.state));
  out["path"] = text(info.path);
  out["reason"] = text(info.reason);
  out["indexed"] = info.indexed;
  out["not_indexable"] = info.not_indexable;
  return out;
}

nb::dict index(const nb::bytes& source, const OpenOptions& open, int interval, int threads) {
  IndexOptions options{.source = path_of(source), .open = open, .interval = interval, .threads = threads};
  Interruptible run;
  const IndexReport report =
      run([&] { return build_seek_index(options, [&](const IndexProgress&) { run.look(); }, &run.cancel); });
  nb::dict out, reasons;
  for (const auto& [reason, images] : report.not_indexable) reasons[text(reason)] = images;
  out["records"] = report.records;
  out["indexed"] = report.indexed;
  out["not_indexable"] = reasons;
  out["bytes"] = report.bytes;
  out["index_bytes"] = report.index_bytes;
  out["index_path"] = text(report.index_path);
  out["images_per_s"] = report.images_per_s;
  out["wall_s"] = report.wall_s;
  out["cpu_s"] = report.cpu_s;
  return out;
}

}  // namespace

void bind_records(nb::module_& module) {
  nb::class_<OpenOptions>(module, "OpenOptions")
      .def(
          "__init__",
          [](OpenOptions* self, const nb::bytes& root, const nb::bytes& classes_file,
             const nb::bytes& index_dir, const std::string& seek_index, const std::string& check_bytes) {
            new (self) OpenOptions(open_options(root, classes_file, index_dir, seek_index, check_bytes));
          },
          nb::arg("root"), nb::arg("classes_file"), nb::arg("index_dir"), nb::arg("seek_index"),
          nb::arg("check_bytes"));
  nb::class_<Records>(module, "Records")
      .def("__len__", [](const Records& records) { return records.reader->size(); })
      .def("read", &read, nb::arg("index"))
      .def("select", &select, nb::arg("indices"))
      .def_prop_ro("classes", &class_names)
      .def_prop_ro("seek_index", &seek_index_info)
      .def_prop_ro("format",
                   [](const Records& records) { return text(to_string(records.reader->format())); });
  module.def(
      "open",
      [](const nb::bytes& source, const OpenOptions& options) {
        const std::string path = path_of(source);
        const nb::gil_scoped_release release;
        return Records{open_records(path, options), nullptr};
      },
      nb::arg("source"), nb::arg("options"));
  module.def("index", &index, nb::arg("source"), nb::arg("options"), nb::arg("interval"), nb::arg("threads"));
}

}  // namespace stoker::python
