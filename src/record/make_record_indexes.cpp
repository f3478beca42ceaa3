#include "record/make_record_indexes.hpp"

#include <array>

#include "stoker/error.hpp"

#include "record/container_format.hpp"
#include "record/container_index.hpp"
#include "record/decompress.hpp"
#include "record/open_container.hpp"
#include "record/source_paths.hpp"

namespace stoker::record {

namespace {

// Its records have places in what is unpacked alone.
bool is_packed(Store& store, const std::string& path) {
  std::array<std::byte, 2> head{};
  const std::size_t got = store.open_read(path)->read_at(0, head);
  return is_gzip(std::span(head).first(got));
}

void make_record_index(Store& store, const std::string& path) {
  try {
    if (is_packed(store, path)) return;
    GunzipArea area("");
    const OpenedFile opened = open_file(store, path, area);
    if (has_own_files(opened.format)) return;
    find_container_index(container_format(opened.format), store, *opened.file, "", KeepIndex::beside);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
  }
}

}  // namespace

void make_record_indexes(const std::string& source, const OpenOptions& open) {
  if (!open.index_dir.empty()) return;
  const auto store = open.store ? open.store : open_store(source);
  const SourcePaths paths = find_source_paths(*store, source);
  if (paths.kind != SourcePaths::Kind::file && paths.kind != SourcePaths::Kind::shards) return;
  for (const std::string& path : paths.files) make_record_index(*store, path);
}

}  // namespace stoker::record
