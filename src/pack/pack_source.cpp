#include "pack/pack_source.hpp"

#include <array>
#include <filesystem>

#include "stoker/error.hpp"

#include "pack/class_names.hpp"
#include "pack/image_plan.hpp"
#include "pack/set_list.hpp"
#include "record/classes.hpp"
#include "record/detect.hpp"
#include "record/indexed_reader.hpp"
#include "record/listing.hpp"
#include "record/source_paths.hpp"

namespace stoker::packing {

namespace {

std::shared_ptr<Store> store_of(const PackOptions& options) {
  return options.open.store ? options.open.store : open_store(options.source);
}

bool wants_seek_points(const PackOptions& options) {
  return options.seek_index && !touches_pixels(options) && options.precompute.empty() &&
         options.precompute_command.empty() && options.open.check_bytes != CheckBytes::never;
}

}  // namespace

std::optional<RecordFormat> own_files_format(const PackOptions& options) {
  const std::shared_ptr<Store> store = store_of(options);
  const record::SourcePaths paths = record::find_source_paths(*store, options.source);
  if (paths.kind == record::SourcePaths::Kind::folder) return RecordFormat::folder;
  if (paths.kind != record::SourcePaths::Kind::file) return std::nullopt;
  const auto file = store->open_read(paths.files.front());
  std::array<std::byte, record::kDetectBytes> head;
  const std::size_t got = file->read_at(0, head);
  try {
    const RecordFormat format = record::detect_file(options.source, std::span(head).first(got));
    return has_own_files(format) ? std::optional(format) : std::nullopt;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;  // open_records tells
  }
}

std::unique_ptr<RecordReader> open_pack_source(const PackOptions& options) {
  OpenOptions open = options.open;
  if (!wants_seek_points(options)) open.seek_index = SeekIndexUse::off;
  auto source = open_records(options.source, open);
  check_class_names(source->classes(), options.source);
  return with_listed_keys(std::move(source), store_of(options));
}

ListedSource open_listed_source(const PackOptions& options, RecordFormat format,
                                const std::shared_ptr<Store>& store, const std::string& listing,
                                bool with_sizes) {
  const std::shared_ptr<Store> source_store = store_of(options);
  if (!store->info(listing)) {
    record::ListingOptions how{.root = options.open.root, .with_sizes = with_sizes};
    if (!options.open.classes_file.empty())
      how.classes = record::read_classes_file(options.open.classes_file);
    check_class_names(how.classes, options.source);
    record::write_listing(*source_store, format, options.source, how, *store, listing);
  }
  auto reader = std::make_unique<record::ListingReader>(source_store, store->open_read(listing));
  ListedSource listed{.reader = nullptr,
                      .other_files = reader->source().other_files,
                      .repeated_ids = reader->source().repeated_ids};
  check_class_names(reader->classes(), options.source);
  if (wants_seek_points(options))
    listed.reader = std::make_unique<record::IndexedReader>(std::move(reader), source_store,
                                                            options.open.index_dir, options.open.check_bytes);
  else
    listed.reader = std::move(reader);
  return listed;
}

std::string root_of_keys(const PackOptions& options, RecordFormat format) {
  if (!has_own_files(format)) return {};
  std::string root = options.source;
  if (format == RecordFormat::list) {
    root = options.open.root.empty() ? std::filesystem::path(options.source).parent_path().string()
                                     : options.open.root;
  }
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return root;
}

}  // namespace stoker::packing
