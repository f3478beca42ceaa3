#include "record/container_classes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "stoker/error.hpp"

#include "record/classes.hpp"

namespace stoker::record {

namespace {

// A class map and the file that holds it.
struct ToldClasses {
  std::string path;
  std::vector<std::string> names;
};

// A class map that contradicts the one that a container was packed with would only mislabel its records.
void refuse_difference(const std::string& source, const ToldClasses& a, const ToldClasses& b,
                       std::string next_step) {
  const auto difference = std::mismatch(a.names.begin(), a.names.end(), b.names.begin(), b.names.end());
  const auto label = difference.first - a.names.begin();
  const auto name_or_none = [](auto at, auto end) {
    return at == end ? std::string("no class") : fmt::format("'{}'", *at);
  };
  throw Error(ErrorCode::invalid_argument,
              {.operation = "open records",
               .object = source,
               .found = fmt::format("label {} is {} in {}, and {} in {}", label,
                                    name_or_none(difference.first, a.names.end()), a.path,
                                    name_or_none(difference.second, b.names.end()), b.path),
               .allowed = "the class map that the container was packed with",
               .next_step = std::move(next_step)});
}

// What the descriptions say, which must be the same; no names: none tells.
ToldClasses described(Store& store, std::span<const std::string> containers) {
  ManifestFinder finder(store);
  ToldClasses told;
  std::set<std::string> seen;
  for (const std::string& container : containers) {
    const auto manifest = finder.find(container);
    if (!manifest || manifest->manifest().classes.empty() || !seen.insert(manifest->path()).second) continue;
    const ToldClasses here{manifest->path(), manifest->manifest().classes};
    if (told.names.empty()) told = here;
    if (told.names != here.names)
      refuse_difference(container, told, here, "read the shards apart, or pack them with one class file");
  }
  return told;
}

}  // namespace

std::vector<std::string> classes_of_containers(Store& store, std::span<const std::string> containers,
                                               const PlacedManifest* manifest, const OpenOptions& options) {
  ToldClasses given{options.classes_file, {}};
  if (!options.classes_file.empty()) given.names = read_classes_file(options.classes_file);
  const ToldClasses told =
      manifest ? ToldClasses{manifest->path(), manifest->manifest().classes} : described(store, containers);
  if (told.names.empty()) return given.names;
  if (!given.names.empty() && given.names != told.names)
    refuse_difference(containers.front(), given, told,
                      "leave the class file out, or pack the source again with it");
  return told.names;
}

}  // namespace stoker::record
