#include "pack/class_names.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"
#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "record/dataset_manifest.hpp"
#include "record/folder_walk.hpp"
#include "record/shard_name.hpp"

namespace stoker::packing {

bool is_utf8(const std::string& text) {
  return record::manifest_to_json({.classes = {text}}).has_value();  // what writes it is the judge
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

namespace {

std::vector<ObjectInfo> sub_folders(const PackOptions& options) {
  const auto store = options.open.store ? options.open.store : open_store(options.source);
  const auto info = store->info(options.source);
  if (!info || !info->is_folder) return {};  // what is not there is told by open_records
  std::vector<ObjectInfo> children = store->list_names(options.source);
  std::erase_if(children, [](const ObjectInfo& child) { return !child.is_folder; });
  return children;
}

}  // namespace

void check_class_folders(const PackOptions& options) {
  for (const ObjectInfo& child : sub_folders(options)) {
    const std::string name(record::last_name(child.path));
    if (record::is_hidden_name(name) || is_utf8(name)) continue;
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "pack",
         .object = child.path.substr(0, child.path.rfind('/') + 1) + printable(name),
         .found = "a class folder whose name is not UTF-8",
         .allowed = "class names in UTF-8, which dataset.json can hold",
         .next_step = fmt::format("rename the folder (in a shell its name is $'{}')", printable(name))});
  }
}

std::vector<std::string> hidden_folders(const PackOptions& options) {
  std::vector<std::string> names;
  for (const ObjectInfo& child : sub_folders(options))
    if (std::string name(record::last_name(child.path)); record::is_hidden_name(name))
      names.push_back(std::move(name));
  return names;
}

void check_class_names(const std::vector<std::string>& classes, const std::string& source) {
  for (std::size_t label = 0; label < classes.size(); ++label)
    if (!is_utf8(classes[label]))
      throw Error(
          ErrorCode::invalid_argument,
          {.operation = "pack",
           .object = source,
           .found = fmt::format("the name of class {}, '{}', is not UTF-8", label, printable(classes[label])),
           .allowed = "class names in UTF-8, which dataset.json can hold",
           .next_step = "rename the class"});
}

}  // namespace stoker::packing
