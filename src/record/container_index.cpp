#include "record/container_index.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "record/open_if_there.hpp"
#include "record/record_index.hpp"

namespace stoker::record {

namespace {

class Finder {
 public:
  Finder(const ContainerFormat& format, Store& store, const ReadableFile& container,
         const std::string& index_dir, KeepIndex keep)
      : format_(format),
        store_(store),
        container_(container),
        explicit_folder_(!index_dir.empty()),
        beside_(keep == KeepIndex::beside && !explicit_folder_) {
    const std::string folder = explicit_folder_ ? index_dir : user_index_folder();
    if (folder.empty()) return;
    cache_store_ = open_store(folder);
    cache_path_ = cached_index_path(folder, container.path());
  }

  ContainerIndex find() {
    if (auto found = by_record_indexes(); !found.offsets.empty()) {
      if (beside_ && !beside_exists_) keep(found.offsets);
      return found;
    }
    if (auto offsets = format_.offsets_by_text_index(store_, container_))
      return {std::move(*offsets), IndexOrigin::text_index};
    RecordOffsets walked = walk_container(format_, container_);
    if (walked.damage) throw damaged(*walked.damage);
    keep(walked.offsets);
    return {std::move(walked.offsets), IndexOrigin::walk};
  }

 private:
  // Empty offsets: none fits.
  ContainerIndex by_record_indexes() {
    const auto beside = open_if_there(store_, record_index_path(container_.path()));
    beside_exists_ = beside != nullptr;
    const auto cached = cache_store_ ? open_if_there(*cache_store_, cache_path_) : nullptr;
    for (const ReadableFile* file :
         {explicit_folder_ ? cached.get() : beside.get(), explicit_folder_ ? beside.get() : cached.get()}) {
      if (!file) continue;
      Result<RecordIndex> index = read_record_index(*file);
      if (index && index->format == format_.format() && fits(index->fingerprint))
        return {std::move(index->offsets), IndexOrigin::record_index};
    }
    return {};
  }

  // The size is compared before anything of the container is read.
  bool fits(Fingerprint of_index) {
    if (of_index.container_bytes != container_.bytes()) return false;
    if (of_index.modified_ns && of_index.modified_ns != modified_ns()) return false;
    of_index.modified_ns.reset();
    return of_index == fingerprint();
  }

  const Fingerprint& fingerprint() {
    if (!fingerprint_) fingerprint_ = fingerprint_of(container_);
    return *fingerprint_;
  }

  std::optional<std::int64_t> modified_ns() {
    const auto info = store_.info(container_.path());
    return info ? info->modified_ns : std::nullopt;
  }

  void keep(const std::vector<std::uint64_t>& offsets) {
    if ((beside_ || (beside_exists_ && !explicit_folder_)) &&
        write(store_, record_index_path(container_.path()), fingerprint(), offsets))
      return;
    if (!cache_store_) return;
    Fingerprint dated = fingerprint();
    dated.modified_ns = modified_ns();
    write(*cache_store_, cache_path_, dated, offsets);
  }

  bool write(Store& store, const std::string& path, const Fingerprint& fingerprint,
             const std::vector<std::uint64_t>& offsets) const {
    try {
      write_record_index(store, path, format_.format(), fingerprint, offsets);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  Error damaged(const Damage& damage) const {
    return Error(ErrorCode::corrupt_data,
                 {.operation = "open records",
                  .object = fmt::format("{} at offset {}", container_.path(), damage.offset),
                  .found = damage.reason,
                  .next_step = "`stoker verify` lists all damage; copy or pack the file again"});
  }

  const ContainerFormat& format_;
  Store& store_;
  const ReadableFile& container_;
  const bool explicit_folder_;
  const bool beside_;
  std::shared_ptr<Store> cache_store_;
  std::string cache_path_;
  bool beside_exists_ = false;
  std::optional<Fingerprint> fingerprint_;
};

}  // namespace

ContainerIndex find_container_index(const ContainerFormat& format, Store& store,
                                    const ReadableFile& container, const std::string& index_dir,
                                    KeepIndex keep) {
  return Finder(format, store, container, index_dir, keep).find();
}

}  // namespace stoker::record
