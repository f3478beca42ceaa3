#include "record/mds_index.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "record/json_fields.hpp"
#include "record/shard_name.hpp"
#include "record/small_text.hpp"

namespace stoker::record {

namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestIndex = 64u << 20;
constexpr std::uint64_t kVersion = 2;

struct Encoding {
  std::string_view name;
  MdsKind kind;
  std::uint32_t width;
};
constexpr std::array kEncodings = {Encoding{"bytes", MdsKind::bytes, 0},
                                   Encoding{"str", MdsKind::text, 0},
                                   Encoding{"json", MdsKind::text, 0},
                                   Encoding{"str_int", MdsKind::text, 0},
                                   Encoding{"str_float", MdsKind::text, 0},
                                   Encoding{"str_decimal", MdsKind::text, 0},
                                   Encoding{"jpeg", MdsKind::image, 0},
                                   Encoding{"png", MdsKind::image, 0},
                                   Encoding{"int", MdsKind::signed_int, 8},
                                   Encoding{"int8", MdsKind::signed_int, 1},
                                   Encoding{"int16", MdsKind::signed_int, 2},
                                   Encoding{"int32", MdsKind::signed_int, 4},
                                   Encoding{"int64", MdsKind::signed_int, 8},
                                   Encoding{"uint8", MdsKind::unsigned_int, 1},
                                   Encoding{"uint16", MdsKind::unsigned_int, 2},
                                   Encoding{"uint32", MdsKind::unsigned_int, 4},
                                   Encoding{"uint64", MdsKind::unsigned_int, 8},
                                   Encoding{"float16", MdsKind::float_number, 2},
                                   Encoding{"float32", MdsKind::float_number, 4},
                                   Encoding{"float64", MdsKind::float_number, 8}};

constexpr std::array<std::string_view, 5> kLabelNames = {"label", "class", "y", "target", "cls"};
constexpr std::array<std::string_view, 5> kKeyNames = {"__key__", "key", "filename", "name", "id"};

// What keeps an index from being read.
struct Wrong {
  ErrorCode code = ErrorCode::corrupt_data;
  std::string found, allowed, next_step;
};

template <class Wanted>
std::optional<std::size_t> find_column(const std::vector<MdsColumn>& columns, Wanted&& wanted) {
  const auto found = std::find_if(columns.begin(), columns.end(), wanted);
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::optional<std::size_t> find_named(const std::vector<MdsColumn>& columns,
                                      std::span<const std::string_view> names,
                                      std::initializer_list<MdsKind> kinds) {
  for (const std::string_view name : names)
    if (const auto found = find_column(columns, [&](const MdsColumn& column) {
          return column.name == name && std::find(kinds.begin(), kinds.end(), column.kind) != kinds.end();
        }))
      return found;
  return std::nullopt;
}

void give_roles(MdsColumns& all) {
  std::vector<MdsColumn>& columns = all.columns;
  const auto of_kind = [&](MdsKind kind) {
    return find_column(columns, [kind](const MdsColumn& column) { return column.kind == kind; });
  };
  auto main = of_kind(MdsKind::image);
  if (!main)
    main = find_column(columns, [](const MdsColumn& c) { return c.name == "image" && c.width == 0; });
  if (!main) main = of_kind(MdsKind::bytes);
  if (!main) main = find_column(columns, [](const MdsColumn& column) { return column.width == 0; });
  all.main = main.value_or(0);
  all.label = find_named(columns, kLabelNames, {MdsKind::signed_int, MdsKind::unsigned_int});
  all.key = find_named(columns, kKeyNames, {MdsKind::text});
  if (all.label) columns[*all.label].role = FieldRole::label;
  if (all.key) columns[*all.key].role = FieldRole::key;
}

// One shard of the index.
class ShardParser {
 public:
  ShardParser(const json& object, std::string where) : fields_(object, where), where_(std::move(where)) {}

  std::optional<Wrong> parse(MdsShardEntry& shard) {
    std::string format;
    std::uint64_t version = 0;
    fields_.text("format", format);
    fields_.count("version", version);
    if (auto wrong = complaint()) return wrong;
    if (format != "mds" || version != kVersion)
      return Wrong{ErrorCode::unsupported,
                   fmt::format("{}a shard of format '{}', version {}", place(), format, version),
                   "mds, version 2", "write the set again as MDS"};
    fields_.count("samples", shard.samples);
    if (auto wrong = parse_files(shard)) return wrong;
    return parse_columns(shard);
  }

 private:
  std::optional<Wrong> complaint() const {
    if (fields_.wrong().empty()) return std::nullopt;
    return Wrong{.found = fields_.wrong(), .allowed = {}, .next_step = {}};
  }
  // "shards[0]: ", of what is wrong with the shard as a whole.
  std::string place() const { return where_.empty() ? "" : where_.substr(0, where_.size() - 1) + ": "; }
  Wrong broken(std::string found) const {
    return {.found = place() + std::move(found), .allowed = {}, .next_step = {}};
  }

  // The name and size of raw_data or zip_data; none where it is null.
  bool parse_file(const char* name, std::string& basename, std::optional<std::uint64_t>& bytes) {
    const json* file = fields_.find(name);
    if (!file || file->is_null()) return false;
    if (!file->is_object()) {
      fields_.complain(name, "an object");
      return false;
    }
    JsonFields of_file(*file, where_ + name + ".");
    of_file.text("basename", basename);
    if (of_file.find("bytes")) of_file.count("bytes", bytes.emplace());
    if (!path_within("", basename)) of_file.complain("basename", "the path of a file below the set's folder");
    fields_.take_complaint(of_file.wrong());
    return true;
  }

  std::optional<Wrong> parse_files(MdsShardEntry& shard) {
    std::optional<std::uint64_t> raw_bytes;
    const bool has_raw = parse_file("raw_data", shard.raw, raw_bytes);
    const bool is_packed = parse_file("zip_data", shard.packed, shard.packed_bytes);
    if (auto wrong = complaint()) return wrong;
    if (!has_raw || !raw_bytes) return broken("no raw_data with its bytes");
    // Source: docs/formats/mds.md, "A shard".
    if (*raw_bytes > std::numeric_limits<std::uint32_t>::max())
      return broken(fmt::format("a shard of {} bytes, and its offsets have 32 bits", *raw_bytes));
    shard.raw_bytes = *raw_bytes;
    if (shard.samples > *raw_bytes / sizeof(std::uint32_t))
      return broken(fmt::format("{} samples in a shard of {} bytes", shard.samples, *raw_bytes));
    if (!is_packed) return std::nullopt;
    std::string compression;
    fields_.text("compression", compression);
    if (auto wrong = complaint()) return wrong;
    const std::string_view algorithm = std::string_view(compression).substr(0, compression.find(':'));
    if (algorithm == "zstd") {
      shard.compression = Compression::zstd;
    } else if (algorithm == "gz") {
      shard.compression = Compression::gzip;
    } else {
      return Wrong{ErrorCode::unsupported, fmt::format("{}the compression '{}'", place(), compression),
                   "zstd, gz, or none", "write the set again with one of these"};
    }
    return std::nullopt;
  }

  std::vector<const json*> list(const char* name) {
    std::vector<const json*> items;
    fields_.array(name, [&](const json& item, std::size_t) { items.push_back(&item); });
    return items;
  }

  std::optional<Wrong> parse_columns(MdsShardEntry& shard) {
    const auto names = list("column_names"), encodings = list("column_encodings"),
               sizes = list("column_sizes");
    if (auto wrong = complaint()) return wrong;
    if (names.empty() || names.size() != encodings.size() || names.size() != sizes.size())
      return broken(fmt::format("{} column names, {} encodings, {} sizes", names.size(), encodings.size(),
                                sizes.size()));
    auto all = std::make_shared<MdsColumns>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i]->is_string() || !encodings[i]->is_string())
        return broken(fmt::format("column {} whose name or encoding is no text", i));
      MdsColumn column{.name = names[i]->get<std::string>()};
      if (auto wrong = parse_encoding(encodings[i]->get<std::string>(), *sizes[i], column)) return wrong;
      all->columns.push_back(std::move(column));
    }
    give_roles(*all);
    shard.columns = std::move(all);
    return std::nullopt;
  }

  std::optional<Wrong> parse_encoding(const std::string& encoding, const json& size,
                                      MdsColumn& column) const {
    const auto known = std::find_if(kEncodings.begin(), kEncodings.end(),
                                    [&](const Encoding& candidate) { return candidate.name == encoding; });
    if (known == kEncodings.end()) {
      const bool is_pickled = encoding == "pkl";
      return Wrong{ErrorCode::unsupported,
                   fmt::format("{}the column '{}' of encoding '{}'{}", place(), column.name, encoding,
                               is_pickled ? ", pickled objects, which could run code" : ""),
                   "bytes, str, json, jpeg, png, int…, uint…, float…",
                   "write the set again with one of these encodings"};
    }
    column.kind = known->kind;
    column.width = known->width;
    const bool fits = known->width == 0
                          ? size.is_null()
                          : size.is_number_unsigned() && size.get<std::uint64_t>() == known->width;
    if (!fits)
      return broken(fmt::format("the column '{}' of encoding '{}' with the size {}", column.name, encoding,
                                size.dump(-1, ' ', false, json::error_handler_t::replace)));
    return std::nullopt;
  }

  JsonFields fields_;
  const std::string where_;
};

tl::unexpected<Error> failed(const std::string& path, Wrong wrong) {
  return fail(wrong.code, {.operation = "read MDS index",
                           .object = path,
                           .found = std::move(wrong.found),
                           .allowed = std::move(wrong.allowed),
                           .next_step = std::move(wrong.next_step)});
}

}  // namespace

bool operator==(const MdsColumns& a, const MdsColumns& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const MdsColumn& x, const MdsColumn& y) {
                      return x.name == y.name && x.kind == y.kind && x.width == y.width;
                    });
}

Result<MdsIndex> parse_mds_index(std::string_view text, const std::string& path) {
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return failed(path, {.found = "no JSON", .allowed = {}, .next_step = {}});
  if (!object.is_object())
    return failed(path, {.found = "JSON that is no object", .allowed = {}, .next_step = {}});
  JsonFields fields(object, "");
  MdsIndex index;
  std::optional<Wrong> wrong;
  if (!fields.find("shards")) fields.complain("shards", "there");
  fields.array("shards", [&](const json& item, std::size_t i) {
    if (wrong) return;
    if (!item.is_object()) return fields.complain(fmt::format("shards[{}]", i), "an object");
    MdsShardEntry& shard = index.shards.emplace_back();
    wrong = ShardParser(item, fmt::format("shards[{}].", i)).parse(shard);
    // One description serves all shards that share it.
    if (!wrong && i > 0 && *shard.columns == *index.shards[i - 1].columns)
      shard.columns = index.shards[i - 1].columns;
  });
  if (wrong) return failed(path, std::move(*wrong));
  if (!fields.wrong().empty()) return failed(path, {.found = fields.wrong(), .allowed = {}, .next_step = {}});
  return index;
}

MdsIndex read_mds_index(Store& store, const std::string& path) {
  return value_or_throw(parse_mds_index(read_small_text(store, path, kLargestIndex), path));
}

bool is_mds_index(Store& store, const std::string& path, bool may_be_another) {
  const std::string text = read_small_text(store, path, kLargestIndex);
  if (text.find("\"shards\"") != std::string::npos) return true;
  if (may_be_another || text.find("\"chunks\"") == std::string::npos) return false;
  throw Error(ErrorCode::unsupported, {.operation = "open records",
                                       .object = path,
                                       .found = "the index of a LitData set",
                                       .allowed = "an MDS set, containers, a folder of class folders",
                                       .next_step = "write the samples as files, or as MDS"});
}

}  // namespace stoker::record
