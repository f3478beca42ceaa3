#include "record/manifest_finder.hpp"

#include "record/shard_name.hpp"

namespace stoker::record {

namespace {
constexpr int kFoldersAbove = 2;  // shards of large sets lie in sub-folders
}

PlacedManifest::PlacedManifest(std::string path, DatasetManifest manifest)
    : path_(std::move(path)), manifest_(std::move(manifest)) {
  for (const ManifestShard& shard : manifest_.shards) shards_.emplace(shard.path, &shard);
}

std::string PlacedManifest::name_of(const std::string& path) const {
  const std::string_view folder = folder_of(path_);
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

const ManifestShard* PlacedManifest::shard_at(const std::string& path) const {
  const auto found = shards_.find(name_of(path));
  return found == shards_.end() ? nullptr : found->second;
}

std::shared_ptr<const PlacedManifest> ManifestFinder::at(const std::string& path) {
  const auto [place, is_new] = read_.try_emplace(path);
  if (is_new && store_.info(path))
    place->second = std::make_shared<PlacedManifest>(path, read_manifest_file(store_, path));
  return place->second;
}

std::shared_ptr<const PlacedManifest> ManifestFinder::find(const std::string& container) {
  const std::string own = manifest_path(container);
  if (auto manifest = at(own)) return manifest;
  std::string stem = own.substr(0, own.size() - kManifestEnding.size());
  const std::string_view numbered = last_name(stem);
  const std::string_view name = without_shard_number(numbered);
  if (name.empty() || name.size() == numbered.size()) return nullptr;
  const std::string manifest_name = std::string(name) + std::string(kManifestEnding);
  std::string_view folder = folder_of(own);
  for (int above = 0; above <= kFoldersAbove; ++above) {
    if (auto manifest = at(std::string(folder) + manifest_name); manifest && manifest->shard_at(container))
      return manifest;
    if (folder.size() < 2) break;
    folder = folder_of(folder.substr(0, folder.size() - 1));
  }
  return nullptr;
}

}  // namespace stoker::record
