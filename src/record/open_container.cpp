#include "record/open_container.hpp"

#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "record/container_classes.hpp"
#include "record/container_index.hpp"
#include "record/container_reader.hpp"
#include "record/container_scanner.hpp"
#include "record/decompress.hpp"
#include "record/detect.hpp"
#include "record/in_parallel.hpp"
#include "record/indexed_reader.hpp"
#include "record/shard_set_reader.hpp"
#include "record/shard_set_scanner.hpp"
#include "store/pooled_store.hpp"

namespace stoker::record {

namespace {

// x.tgz → x.tar, x.rec.gz → x.rec: what an ending says of the bytes within.
std::string unpacked_name(const std::string& path) {
  if (path.ends_with(".tgz")) return path.substr(0, path.size() - 3) + "tar";
  return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
}

Error wrong_shard(const std::string& path, std::string found, std::string allowed) {
  return Error(ErrorCode::invalid_argument, {.operation = "open records",
                                             .object = path,
                                             .found = std::move(found),
                                             .allowed = std::move(allowed)});
}

OpenedFile open_shard(Store& store, const std::string& path, GunzipArea& area) {
  OpenedFile opened = open_file(store, path, area);
  if (has_own_files(opened.format)) throw wrong_shard(path, "a list among several files", "containers");
  return opened;
}

class ShardOpener {
 public:
  ShardOpener(const std::shared_ptr<Store>& store, const SourcePaths& paths, const OpenOptions& options)
      : store_(std::make_shared<store::PooledStore>(store)),
        cache_store_(std::make_shared<store::PooledStore>(open_store("."))),
        paths_(paths),
        options_(options),
        area_(options.index_dir),
        containers_(paths.files.size()),
        shards_(paths.files.size()) {}

  std::unique_ptr<RecordReader> open() {
    for_each_in_parallel(shards_.size(), [this](std::size_t i) { open(i); });
    std::uint64_t records = 0;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      if (shards_[i]->format() != shards_.front()->format())
        throw wrong_shard(paths_.files[i],
                          fmt::format("a {} container among others that begin with {}",
                                      to_string(shards_[i]->format()), paths_.files.front()),
                          fmt::format("{} like that one", to_string(shards_.front()->format())));
      containers_[i]->number_from(records);
      records += shards_[i]->size();
    }
    auto classes = classes_of_containers(*store_, paths_.files, paths_.manifest.get(), options_);
    return std::make_unique<ShardSetReader>(
        std::vector<std::shared_ptr<const RecordReader>>(shards_.begin(), shards_.end()), std::move(classes),
        options_.index_dir);
  }

 private:
  // The names of the classes are the set's: a copy of them with every shard would add up.
  void open(std::size_t i) {
    OpenedFile opened = open_shard(*store_, paths_.files[i], area_);
    const ContainerFormat& format = container_format(opened.format);
    ContainerIndex index = find_container_index(format, *store_, *opened.file, options_.index_dir);
    auto container = std::make_unique<ContainerReader>(format, std::move(opened.file),
                                                       std::move(index.offsets), std::vector<std::string>{});
    containers_[i] = container.get();
    if (options_.seek_index == SeekIndexUse::off)
      shards_[i] = std::move(container);
    else
      shards_[i] = std::make_shared<IndexedReader>(std::move(container), store_, options_.index_dir,
                                                   options_.check_bytes, cache_store_);
  }

  const std::shared_ptr<Store> store_, cache_store_;
  const SourcePaths& paths_;
  const OpenOptions& options_;
  GunzipArea area_;
  std::vector<ContainerReader*> containers_;  // within shards_
  std::vector<std::shared_ptr<RecordReader>> shards_;
};

}  // namespace

OpenedFile open_file(Store& store, const std::string& path, GunzipArea& area) {
  OpenedFile opened{.file = store.open_read(path)};
  std::array<std::byte, kDetectBytes> memory;
  const std::span<const std::byte> head = std::span(memory).first(opened.file->read_at(0, memory));
  if (!is_gzip(head)) {
    opened.format = detect_file(path, head);
    return opened;
  }
  // What it holds is told by its first bytes, before room is taken for all of them.
  opened.format = detect_file(unpacked_name(path), gunzip_head(*opened.file, kDetectBytes));
  if (has_own_files(opened.format))
    throw Error(ErrorCode::unsupported, {.operation = "open records",
                                         .object = path,
                                         .found = "a gzipped list",
                                         .allowed = "a gzipped container, or a list as it is",
                                         .next_step = "gunzip it"});
  opened.file = area.unpack(*opened.file);
  return opened;
}

std::unique_ptr<RecordReader> open_shard_set(const std::shared_ptr<Store>& store, const SourcePaths& paths,
                                             const OpenOptions& options) {
  return ShardOpener(store, paths, options).open();
}

std::unique_ptr<RecordScanner> scan_shard_set(const std::shared_ptr<Store>& store, const SourcePaths& paths,
                                              const OpenOptions& options) {
  return std::make_unique<ShardSetScanner>(
      paths.files,
      [store, files = paths.files, folder = options.index_dir](std::size_t shard, std::uint64_t ordinal) {
        GunzipArea area(folder);
        OpenedFile opened = open_shard(*store, files[shard], area);
        return std::make_unique<ContainerScanner>(container_format(opened.format), std::move(opened.file),
                                                  ordinal);
      });
}

}  // namespace stoker::record
