// Which description belongs to a container.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "stoker/store.hpp"

#include "record/dataset_manifest.hpp"

namespace stoker::record {

// A manifest and where it lies.
class PlacedManifest {
 public:
  PlacedManifest(std::string path, DatasetManifest manifest);
  PlacedManifest(const PlacedManifest&) = delete;
  PlacedManifest& operator=(const PlacedManifest&) = delete;

  const std::string& path() const { return path_; }
  const DatasetManifest& manifest() const { return manifest_; }
  // The shard that the container at `path` is, or null: it is none of them.
  const ManifestShard* shard_at(const std::string& path) const;
  // How the manifest would name the container at `path`: relative to its own folder.
  std::string name_of(const std::string& path) const;

 private:
  std::string path_;
  DatasetManifest manifest_;
  std::unordered_map<std::string_view, const ManifestShard*> shards_;  // by path, which manifest_ owns
};

// Finds the manifests of containers; each is read once. Threads: one at a time.
class ManifestFinder {
 public:
  explicit ManifestFinder(Store& store) : store_(store) {}

  // x.dataset.json beside x.rec; else, of a shard x-00003.rec, the x.dataset.json of its folder, or of the
  // two above it, that names it. Null: there is none. Errors (thrown): corrupt_data, unsupported (another
  // schema), io.
  std::shared_ptr<const PlacedManifest> find(const std::string& container);

 private:
  std::shared_ptr<const PlacedManifest> at(const std::string& path);

  Store& store_;
  std::map<std::string, std::shared_ptr<const PlacedManifest>> read_;  // null: none lies there
};

}  // namespace stoker::record
