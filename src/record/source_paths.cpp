#include "record/source_paths.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "base/words.hpp"
#include "record/brace_expansion.hpp"
#include "record/mds_index.hpp"
#include "record/shard_name.hpp"

namespace stoker::record {

namespace {

using Kind = SourcePaths::Kind;

constexpr std::size_t kMostShards = 1'000'000;
constexpr std::size_t kMostNamed = 3;  // of the missing, in an error

Error refused(ErrorCode code, const std::string& source, std::string found, std::string allowed,
              std::string next_step) {
  return Error(code, {.operation = "open records",
                      .object = source,
                      .found = std::move(found),
                      .allowed = std::move(allowed),
                      .next_step = std::move(next_step)});
}

SourcePaths of_files(std::string name, std::vector<std::string> files) {
  if (files.size() != 1) return {.kind = Kind::shards, .name = std::move(name), .files = std::move(files)};
  return {.kind = Kind::file, .name = files.front(), .files = files};
}

// The shards of the packed set that is described at `path`.
SourcePaths of_manifest(Store& store, const std::string& path) {
  auto manifest = std::make_shared<const PlacedManifest>(path, read_manifest_file(store, path));
  std::vector<std::string> files;
  for (const ManifestShard& shard : manifest->manifest().shards)
    files.push_back(std::string(folder_of(path)) + shard.path);
  if (files.empty())
    throw refused(ErrorCode::corrupt_data, path, "no shards in it", "", "pack the data set again");
  SourcePaths paths = of_files(path, std::move(files));
  paths.manifest = std::move(manifest);
  return paths;
}

// What lies in a folder, hidden files left out.
struct FolderContent {
  bool has_folders = false;
  std::string mds_index;
  std::vector<std::string> manifests;
  std::map<RecordFormat, std::vector<std::string>> containers;
  std::vector<std::string> strangers;
};

FolderContent look_into(Store& store, const std::string& folder) {
  FolderContent content;
  for (const ObjectInfo& child : store.list_names(folder)) {
    if (is_hidden_file(child.path)) continue;
    if (child.is_folder)
      content.has_folders = true;
    else if (last_name(child.path) == kMdsIndexName)
      content.mds_index = child.path;
    else if (child.path.ends_with(kManifestEnding))
      content.manifests.push_back(child.path);
    else if (is_side_file(child.path))
      continue;
    else if (const auto format = format_of_shard_name(child.path))
      content.containers[*format].push_back(child.path);
    else if (content.strangers.empty())  // one is enough to tell; a folder of photos may hold millions
      content.strangers.push_back(child.path);
  }
  return content;
}

bool has_shards_below(const SourcePaths& paths) {
  const std::string_view folder = folder_of(paths.manifest->path());
  return std::any_of(paths.files.begin(), paths.files.end(),
                     [&](const std::string& file) { return folder_of(file).size() > folder.size(); });
}

SourcePaths of_containers(const std::string& folder, FolderContent&& content) {
  const std::string allowed = "container files of one format";
  if (content.containers.size() > 1) {
    const auto& [first, firsts] = *content.containers.begin();
    const auto& [second, seconds] = *std::next(content.containers.begin());
    throw refused(ErrorCode::invalid_argument, folder,
                  fmt::format("{} ({}) beside {} ({})", last_name(firsts.front()), to_string(first),
                              last_name(seconds.front()), to_string(second)),
                  allowed, fmt::format("name those that are meant, as in {}/*.tar", folder));
  }
  std::vector<std::string>& files = content.containers.begin()->second;
  if (!content.strangers.empty())
    throw refused(
        ErrorCode::invalid_argument, folder,
        fmt::format("'{}' beside {}", last_name(content.strangers.front()), last_name(files.front())),
        allowed, "move it away, or name the containers with a pattern, as in shards/*.tar");
  return of_files(folder, std::move(files));
}

SourcePaths of_folder(Store& store, std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  FolderContent content = look_into(store, folder);
  if (!content.mds_index.empty() && is_mds_index(store, content.mds_index, content.has_folders))
    return {.kind = Kind::mds, .name = content.mds_index};
  if (content.manifests.size() == 1) {
    SourcePaths packed = of_manifest(store, content.manifests.front());
    if (!content.has_folders || has_shards_below(packed)) return packed;
  }
  if (content.has_folders) return {.kind = Kind::folder, .name = folder};
  if (content.manifests.size() > 1)
    throw refused(ErrorCode::invalid_argument, folder,
                  fmt::format("{} packed sets, the first two {} and {}", content.manifests.size(),
                              last_name(content.manifests[0]), last_name(content.manifests[1])),
                  "one of them", fmt::format("give {}", content.manifests[0]));
  if (content.containers.empty()) return {.kind = Kind::folder, .name = folder};
  return of_containers(folder, std::move(content));
}

// The paths below `base` ("" or with its slash) that the parts of a pattern match; folders apart.
class Wildcards {
 public:
  Wildcards(Store& store, const std::string& pattern) : store_(store), pattern_(pattern) {
    const std::size_t wildcard = pattern.find_first_of("*?");
    base_ = folder_of(std::string_view(pattern).substr(0, wildcard));
    parts_ = split(std::string_view(pattern_).substr(base_.size()), '/');
  }

  std::vector<std::string> find() {
    look(base_, 0);
    if (files_.empty())
      throw refused(ErrorCode::not_found, pattern_,
                    has_folders_ ? "it matches folders alone" : "it matches no container file",
                    "a pattern of files", has_folders_ ? "give the folder above them" : "check the pattern");
    std::sort(files_.begin(), files_.end());
    return std::move(files_);
  }

 private:
  void look(const std::string& folder, std::size_t part) {
    const bool is_last = part + 1 == parts_.size();
    for (const ObjectInfo& child : store_.list_names(folder.empty() ? "." : folder)) {
      const std::string_view name = last_name(child.path);
      if (name.starts_with('.') && !parts_[part].starts_with('.')) continue;
      if (!matches_wildcard(name, parts_[part])) continue;
      if (!is_last) {
        if (child.is_folder) look(folder + std::string(name) + '/', part + 1);
      } else if (child.is_folder) {
        has_folders_ = true;
      } else if (!is_side_file(name)) {
        files_.push_back(folder.empty() ? std::string(name) : child.path);
      }
    }
  }

  Store& store_;
  const std::string& pattern_;
  std::string base_;
  std::vector<std::string_view> parts_;
  std::vector<std::string> files_;
  bool has_folders_ = false;
};

void refuse_missing(const std::string& source, std::size_t named, const std::vector<std::string>& missing) {
  if (missing.empty()) return;
  std::string first;
  for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i)
    first += (i == 0 ? "" : ", ") + missing[i];
  throw refused(ErrorCode::not_found, source,
                fmt::format("{} of the {} files are missing: {}{}", missing.size(), named, first,
                            missing.size() > kMostNamed ? ", …" : ""),
                "", "check the range, and whether the copy of the shards is whole");
}

void refuse_twice(const std::string& source, std::vector<std::string> files) {
  std::sort(files.begin(), files.end());
  const auto twice = std::adjacent_find(files.begin(), files.end());
  if (twice != files.end())
    throw refused(ErrorCode::invalid_argument, source, fmt::format("'{}' twice", *twice), "each file once",
                  "");
}

SourcePaths of_pattern(Store& store, const std::string& source) {
  const std::vector<std::string> names = value_or_throw(expand_braces(source, kMostShards));
  std::vector<std::string> files, missing;
  for (const std::string& name : names) {
    if (has_wildcard(name)) {
      std::vector<std::string> found = Wildcards(store, name).find();
      std::move(found.begin(), found.end(), std::back_inserter(files));
    } else if (const auto info = store.info(name); !info) {
      missing.push_back(name);
    } else if (info->is_folder) {
      throw refused(ErrorCode::invalid_argument, source, fmt::format("the folder '{}'", name),
                    "a pattern of files", "");
    } else {
      files.push_back(info->path);
    }
  }
  refuse_missing(source, names.size(), missing);
  refuse_twice(source, files);
  return of_files(source, std::move(files));
}

bool is_pattern(std::string_view source) {
  return has_wildcard(source) || source.find('{') != std::string_view::npos;
}

// What lies at `source`. A pattern may be longer than any name that a file system takes.
std::optional<ObjectInfo> look_at(Store& store, const std::string& source) {
  try {
    return store.info(source);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument || !is_pattern(source)) throw;
    return std::nullopt;
  }
}

SourcePaths of_file(Store& store, const std::string& path) {
  if (path.ends_with(kManifestEnding)) return of_manifest(store, path);
  if (last_name(path) == kMdsIndexName && is_mds_index(store, path, false))
    return {.kind = Kind::mds, .name = path};
  return of_files(path, {path});
}

}  // namespace

SourcePaths find_source_paths(Store& store, const std::string& source) {
  if (const auto info = look_at(store, source))
    return info->is_folder ? of_folder(store, info->path) : of_file(store, info->path);
  if (format_of_ending(source))
    if (const auto info = look_at(store, manifest_path(source))) return of_manifest(store, info->path);
  if (is_pattern(source)) return of_pattern(store, source);
  throw refused(ErrorCode::not_found, source, "no such file or folder", "", "check the path");
}

}  // namespace stoker::record
