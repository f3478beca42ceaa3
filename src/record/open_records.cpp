// The doors of the room: what a source is, and who reads it.
#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "record/classes.hpp"
#include "record/container_classes.hpp"
#include "record/container_index.hpp"
#include "record/container_reader.hpp"
#include "record/container_scanner.hpp"
#include "record/folder_reader.hpp"
#include "record/indexed_reader.hpp"
#include "record/list_reader.hpp"
#include "record/open_container.hpp"
#include "record/reader_scanner.hpp"
#include "record/recordio_writer.hpp"
#include "record/shard_set_scanner.hpp"
#include "record/source_paths.hpp"
#include "record/tar_writer.hpp"
#include "record/tfrecord_writer.hpp"

namespace stoker {

namespace record {

namespace {

using Kind = SourcePaths::Kind;

// A source whose paths are known.
struct Found {
  std::shared_ptr<Store> store;
  SourcePaths paths;
};

Found find(const std::string& source, const OpenOptions& options) {
  std::shared_ptr<Store> store = options.store ? options.store : open_store(source);
  SourcePaths paths = find_source_paths(*store, source);
  return {std::move(store), std::move(paths)};
}

std::vector<std::string> classes_of_options(const OpenOptions& options) {
  return options.classes_file.empty() ? std::vector<std::string>{} : read_classes_file(options.classes_file);
}

std::unique_ptr<RecordReader> open_folder(const Found& found, const OpenOptions& options) {
  return std::make_unique<FolderReader>(found.store, found.paths.name, classes_of_options(options));
}

std::unique_ptr<RecordReader> open_list(const Found& found, const OpenOptions& options) {
  return std::make_unique<ListReader>(found.store, found.paths.files.front(), options.root,
                                      classes_of_options(options));
}

std::unique_ptr<RecordReader> open_one_file(const Found& found, const OpenOptions& options) {
  GunzipArea area(options.index_dir);
  OpenedFile opened = open_file(*found.store, found.paths.files.front(), area);
  if (has_own_files(opened.format)) return open_list(found, options);
  const ContainerFormat& format = container_format(opened.format);
  std::vector<std::string> classes =
      classes_of_containers(*found.store, found.paths.files, found.paths.manifest.get(), options);
  ContainerIndex index = find_container_index(format, *found.store, *opened.file, options.index_dir);
  return std::make_unique<ContainerReader>(format, std::move(opened.file), std::move(index.offsets),
                                           std::move(classes));
}

std::unique_ptr<RecordScanner> scan_one_file(const Found& found, const OpenOptions& options) {
  const std::string& path = found.paths.files.front();
  GunzipArea area(options.index_dir);
  try {
    OpenedFile opened = open_file(*found.store, path, area);
    if (has_own_files(opened.format)) return std::make_unique<ReaderScanner>(open_list(found, options));
    return std::make_unique<ContainerScanner>(container_format(opened.format), std::move(opened.file));
  } catch (const Error& error) {  // a damaged gzip
    if (error.code() != ErrorCode::corrupt_data) throw;
    return std::make_unique<ShardSetScanner>(
        std::vector{path},
        [error](std::size_t, std::uint64_t) -> std::unique_ptr<RecordScanner> { throw Error(error); });
  }
}

}  // namespace

}  // namespace record

std::unique_ptr<RecordReader> open_records(const std::string& source, const OpenOptions& options) {
  using record::Kind;
  const record::Found found = record::find(source, options);
  if (found.paths.kind == Kind::shards) return record::open_shard_set(found.store, found.paths, options);
  if (found.paths.kind == Kind::mds) return record::open_mds_set(found.store, found.paths.name, options);
  std::unique_ptr<RecordReader> reader = found.paths.kind == Kind::folder
                                             ? record::open_folder(found, options)
                                             : record::open_one_file(found, options);
  if (options.seek_index == SeekIndexUse::off) return reader;
  return std::make_unique<record::IndexedReader>(std::move(reader), found.store, options.index_dir,
                                                 options.check_bytes);
}

std::unique_ptr<RecordScanner> scan_records(const std::string& source, const OpenOptions& options) {
  using record::Kind;
  const record::Found found = record::find(source, options);
  switch (found.paths.kind) {
    case Kind::shards:
      return record::scan_shard_set(found.store, found.paths, options);
    case Kind::mds:
      return record::scan_mds_set(found.store, found.paths.name);
    case Kind::file:
      return record::scan_one_file(found, options);
    case Kind::folder:
      break;
  }
  return std::make_unique<record::ReaderScanner>(record::open_folder(found, options));
}

std::unique_ptr<RecordWriter> open_record_writer(const std::string& path, std::shared_ptr<Store> store,
                                                 std::optional<RecordFormat> format) {
  if (!format) format = format_of_ending(path);
  const auto its_store = [&] { return store ? std::move(store) : open_store(path); };
  if (format == RecordFormat::recordio) return std::make_unique<record::RecordIOWriter>(its_store(), path);
  if (format == RecordFormat::tar) return std::make_unique<record::TarWriter>(its_store(), path);
  if (format == RecordFormat::tfrecord) return std::make_unique<record::TFRecordWriter>(its_store(), path);
  throw Error(ErrorCode::unsupported, {.operation = "write records",
                                       .object = path,
                                       .found = "an ending that this build does not write",
                                       .allowed = ".rec, .tar, .tfrecord"});
}

}  // namespace stoker
