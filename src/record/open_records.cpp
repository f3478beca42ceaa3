#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "record/classes.hpp"
#include "record/container_index.hpp"
#include "record/container_reader.hpp"
#include "record/container_scanner.hpp"
#include "record/dataset_manifest.hpp"
#include "record/detect.hpp"
#include "record/folder_reader.hpp"
#include "record/indexed_reader.hpp"
#include "record/list_reader.hpp"
#include "record/reader_scanner.hpp"
#include "record/recordio_writer.hpp"

namespace stoker {

namespace record {

namespace {

// A source of known format; `file` is open if it is a container.
struct Opened {
  std::shared_ptr<Store> store;
  std::string path;
  RecordFormat format = RecordFormat::folder;
  std::unique_ptr<ReadableFile> file;
};

// A folder of another kind of data set, which ImageFolder's rules would only call empty.
void refuse_foreign_folder(Store& store, const std::string& folder) {
  std::string_view found;
  std::string example;
  bool has_folders = false;
  for (const ObjectInfo& child : store.list_names(folder)) {
    has_folders |= child.is_folder;
    const std::string_view path = child.path;
    if (path.ends_with("/index.json")) found = "an MDS or LitData set (index.json)";
    if (path.ends_with(".tar")) found = "tar shards";
    if (path.ends_with(".tfrecord") || path.find(".tfrecord-") != std::string_view::npos)
      found = "TFRecord files";
    if (path.ends_with(".rec")) example = child.path;
  }
  if (has_folders) return;
  if (!found.empty())
    throw Error(ErrorCode::unsupported,
                {.operation = "open records",
                 .object = folder,
                 .found = std::string(found),
                 .allowed = "a folder of class folders, a .lst, a RecordIO file (.rec)"});
  if (!example.empty())
    throw Error(ErrorCode::invalid_argument, {.operation = "open records",
                                              .object = folder,
                                              .found = "a folder of RecordIO files",
                                              .allowed = "one of them",
                                              .next_step = fmt::format("give {}", example)});
}

Opened open_source(const std::string& source, const OpenOptions& options) {
  Opened opened{.store = options.store ? options.store : open_store(source), .path = source};
  const auto info = opened.store->info(source);
  if (!info)
    throw Error(ErrorCode::not_found, {.operation = "open records",
                                       .object = source,
                                       .found = "no such file or folder",
                                       .next_step = "check the path"});
  opened.path = info->path;
  if (info->is_folder) {
    refuse_foreign_folder(*opened.store, opened.path);
    return opened;
  }
  opened.file = opened.store->open_read(source);
  std::array<std::byte, kDetectBytes> head;
  opened.format = detect_file(opened.path, std::span(head).first(opened.file->read_at(0, head)));
  return opened;
}

std::vector<std::string> classes_of_options(const OpenOptions& options) {
  return options.classes_file.empty() ? std::vector<std::string>{} : read_classes_file(options.classes_file);
}

// The labels of a container are fixed: a class map that contradicts the one it was packed with would only
// mislabel them.
std::vector<std::string> classes_of_container(Store& store, const std::string& path,
                                              const OpenOptions& options) {
  std::vector<std::string> given = classes_of_options(options);
  const auto manifest = read_manifest(store, path);
  if (!manifest || manifest->classes.empty()) return given;
  if (given.empty() || given == manifest->classes) return manifest->classes;
  const auto difference =
      std::mismatch(given.begin(), given.end(), manifest->classes.begin(), manifest->classes.end());
  const auto label = difference.first - given.begin();
  const auto name_or_none = [](auto at, auto end) {
    return at == end ? std::string("no class") : fmt::format("'{}'", *at);
  };
  throw Error(
      ErrorCode::invalid_argument,
      {.operation = "open records",
       .object = path,
       .found = fmt::format("label {} is {} in {}, and {} in {}", label,
                            name_or_none(difference.first, given.end()), options.classes_file,
                            name_or_none(difference.second, manifest->classes.end()), manifest_path(path)),
       .allowed = "the class map that the container was packed with",
       .next_step = "leave the class file out, or pack the source again with it"});
}

std::unique_ptr<RecordReader> open_files(const Opened& opened, const OpenOptions& options) {
  if (opened.format == RecordFormat::folder)
    return std::make_unique<FolderReader>(opened.store, opened.path, classes_of_options(options));
  return std::make_unique<ListReader>(opened.store, opened.path, options.root, classes_of_options(options));
}

std::unique_ptr<RecordReader> open_plain(Opened& opened, const OpenOptions& options) {
  if (has_own_files(opened.format)) return open_files(opened, options);
  const ContainerFormat& format = container_format(opened.format);
  std::vector<std::string> classes = classes_of_container(*opened.store, opened.path, options);
  ContainerIndex index = find_container_index(format, *opened.store, *opened.file, options.index_dir);
  return std::make_unique<ContainerReader>(format, std::move(opened.file), std::move(index.offsets),
                                           std::move(classes));
}

}  // namespace

}  // namespace record

std::string_view to_string(SeekIndexState state) {
  switch (state) {
    case SeekIndexState::none:
      return "none";
    case SeekIndexState::used:
      return "used";
    case SeekIndexState::unreadable:
      return "unreadable";
    case SeekIndexState::damaged:
      return "damaged";
    case SeekIndexState::unsupported:
      return "unsupported";
    case SeekIndexState::foreign:
      return "foreign";
  }
  return "unknown";
}

std::unique_ptr<RecordReader> open_records(const std::string& source, const OpenOptions& options) {
  record::Opened opened = record::open_source(source, options);
  std::unique_ptr<RecordReader> reader = record::open_plain(opened, options);
  if (options.seek_index == SeekIndexUse::off) return reader;
  return std::make_unique<record::IndexedReader>(std::move(reader), opened.store, options.index_dir,
                                                 options.check_bytes);
}

std::unique_ptr<RecordScanner> scan_records(const std::string& source, const OpenOptions& options) {
  record::Opened opened = record::open_source(source, options);
  if (has_own_files(opened.format))
    return std::make_unique<record::ReaderScanner>(record::open_files(opened, options));
  return std::make_unique<record::ContainerScanner>(record::container_format(opened.format),
                                                    std::move(opened.file));
}

std::unique_ptr<RecordWriter> open_record_writer(const std::string& path, std::shared_ptr<Store> store,
                                                 std::optional<RecordFormat> format) {
  if (!format) format = format_of_ending(path);
  if (format != RecordFormat::recordio)
    throw Error(ErrorCode::unsupported, {.operation = "write records",
                                         .object = path,
                                         .found = "an ending that this build does not write",
                                         .allowed = ".rec"});
  if (!store) store = open_store(path);
  return std::make_unique<record::RecordIOWriter>(std::move(store), path);
}

}  // namespace stoker
