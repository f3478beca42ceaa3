#include "record/example_format.hpp"

#include <algorithm>
#include <numeric>

#include "base/endian.hpp"
#include "record/container_format.hpp"
#include "record/protobuf_wire.hpp"

namespace stoker::record {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kFewFeatures = 64;  // compared each with each

// What a walk over a feature tells: each of its values, and where those told so far are void.
// Source: protobuf's "Encoding", "Last One Wins": a message that stands twice is both, one behind the other;
// of a oneof only the member that stands last is there.
struct Measure {
  ExampleKind kind = ExampleKind::none;
  std::uint64_t resets = 0;
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;  // of all values; of integers once decoded
  std::uint64_t runs = 0;
  Bytes last_run;

  void begin(ExampleKind now) {
    if (now == kind) return;
    *this = {.kind = now, .resets = resets + 1};
  }
  void run(Bytes run_bytes) {
    ++runs;
    bytes += run_bytes.size();
    last_run = run_bytes;
  }
  void string(Bytes value) {
    ++values;
    run(value);
  }
  void floats(Bytes packed) {
    if (!packed.empty()) run(packed);
  }
  void integer(std::uint64_t) { bytes += sizeof(std::uint64_t); }

  FieldType type() const {
    if (kind == ExampleKind::floats) return FieldType::float32;
    if (kind == ExampleKind::integers) return FieldType::int64;
    return values == 1 ? FieldType::bytes : FieldType::bytes_list;
  }
  bool is_view() const {
    if (kind == ExampleKind::bytes) return values == 1;
    return kind == ExampleKind::floats && runs == 1;
  }
  std::uint64_t decoded_bytes() const {
    if (is_view()) return 0;
    return bytes + (kind == ExampleKind::bytes ? sizeof(std::uint32_t) * values : 0);
  }
};

// Writes what a Measure has counted.
struct Decode {
  Measure measured;
  std::byte* to;
  ExampleKind kind = ExampleKind::none;
  std::uint64_t resets = 0;

  void begin(ExampleKind now) {
    if (now == kind) return;
    kind = now;
    ++resets;
  }
  bool is_void() const { return resets != measured.resets; }
  void copy(Bytes from) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    to += from.size();
  }
  void string(Bytes value) {
    if (is_void()) return;
    store_le(to, static_cast<std::uint32_t>(value.size()));
    to += sizeof(std::uint32_t);
    copy(value);
  }
  void floats(Bytes packed) {
    if (!is_void()) copy(packed);
  }
  void integer(std::uint64_t value) {
    if (is_void()) return;
    store_le(to, value);
    to += sizeof value;
  }
};

// Each of these is false where the message breaks the rules.

template <class Visitor>
bool walk_list(Bytes list, ExampleKind kind, Visitor& visitor) {
  WireReader reader(list);
  for (WireField field; reader.next(field);) {
    if (field.number != kListValue) continue;
    const bool is_run = field.wire == Wire::bytes;
    if (kind == ExampleKind::bytes && is_run) {
      visitor.string(field.bytes);
    } else if (kind == ExampleKind::floats && (is_run || field.wire == Wire::fixed32)) {
      if (field.bytes.size() % sizeof(float) != 0) return false;
      visitor.floats(field.bytes);
    } else if (kind == ExampleKind::integers && field.wire == Wire::varint) {
      visitor.integer(field.value);
    } else if (kind == ExampleKind::integers && is_run) {
      while (!field.bytes.empty()) {
        const auto value = take_varint(field.bytes);
        if (!value) return false;
        visitor.integer(*value);
      }
    }
  }
  return !reader.broken();
}

template <class Visitor>
bool walk_feature(Bytes feature, Visitor& visitor) {
  WireReader reader(feature);
  for (WireField field; reader.next(field);) {
    if (field.number < 1 || field.number > 3 || field.wire != Wire::bytes) continue;
    const ExampleKind kind{field.number};
    visitor.begin(kind);
    if (!walk_list(field.bytes, kind, visitor)) return false;
  }
  return !reader.broken();
}

template <class Visitor>
bool walk_entry(Bytes entry, std::string_view& name, Visitor& visitor) {
  WireReader reader(entry);
  name = {};
  for (WireField field; reader.next(field);) {
    if (field.wire != Wire::bytes) continue;
    if (field.number == kEntryKey)
      name = {reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size()};
    else if (field.number == kEntryFeature && !walk_feature(field.bytes, visitor))
      return false;
  }
  return !reader.broken();
}

// Calls entry(Bytes) for every entry of the map; stops where it returns false.
template <class Entry>
bool walk_example(Bytes data, Entry&& entry) {
  WireReader example(data);
  for (WireField features; example.next(features);) {
    if (features.number != kExampleFeatures || features.wire != Wire::bytes) continue;
    WireReader reader(features.bytes);
    for (WireField field; reader.next(field);)
      if (field.number == kFeaturesEntry && field.wire == Wire::bytes && !entry(field.bytes)) return false;
    if (reader.broken()) return false;
  }
  return !example.broken();
}

// `later` has the same name: the feature stands where the first did and is what the last one says.
void replace(Field& field, Field& later) {
  field.bytes = later.bytes;
  later.bytes = {};  // an entry in work is never null: it is marked so
}

void drop_repeated(std::vector<Field>& fields) {
  if (fields.size() <= kFewFeatures) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      for (std::size_t later = i + 1; fields[i].bytes.data() && later < fields.size(); ++later)
        if (fields[later].bytes.data() && fields[i].name == fields[later].name)
          replace(fields[i], fields[later]);
  } else {
    std::vector<std::uint32_t> order(fields.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int compared = fields[a].name.compare(fields[b].name);
      return compared != 0 ? compared < 0 : a < b;
    });
    std::uint32_t first = order[0];
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (fields[order[i]].name == fields[first].name)
        replace(fields[first], fields[order[i]]);
      else
        first = order[i];
    }
  }
  std::erase_if(fields, [](const Field& field) { return field.bytes.data() == nullptr; });
}

// Gathers the entries of the map, each whole, as the fields' bytes. Features of no kind count as absent, as
// TensorFlow takes them.
ParsedExample gather(Bytes data, std::vector<Field>& fields, std::uint64_t& decoded_bytes) {
  std::size_t count = 0;
  const bool sound = walk_example(data, [&](Bytes entry) {
    std::string_view name;
    Measure measure;
    if (!walk_entry(entry, name, measure)) return false;
    if (++count > kMostFeatures) return false;
    if (count > fields.size()) fields.emplace_back();
    fields[count - 1].name = name;
    fields[count - 1].bytes = entry;
    decoded_bytes += measure.decoded_bytes();
    return true;
  });
  if (count > kMostFeatures) return ParsedExample::too_many;
  if (!sound || count == 0) return ParsedExample::no_example;
  fields.resize(count);
  drop_repeated(fields);
  std::erase_if(fields, [](const Field& field) {
    std::string_view name;
    Measure measure;
    walk_entry(field.bytes, name, measure);
    return measure.kind == ExampleKind::none;
  });
  return fields.empty() ? ParsedExample::no_example : ParsedExample::example;
}

}  // namespace

ParsedExample parse_example(std::span<std::byte> data, Sample& sample) {
  std::uint64_t decoded_bytes = 0;
  const ParsedExample parsed = gather(data, sample.fields, decoded_bytes);
  if (parsed != ParsedExample::example) return parsed;
  const std::byte* const before = sample.buffer.data();
  const auto data_begin = static_cast<std::uint64_t>(data.data() - before);
  std::uint64_t free = (data_begin + data.size() + 7) & ~std::uint64_t{7};
  if (decoded_bytes > 0) room_in(sample, free + decoded_bytes);
  for (Field& field : sample.fields) {
    const Bytes entry(sample.buffer.data() + (field.bytes.data() - before), field.bytes.size());
    std::string_view name;
    Measure measure;
    walk_entry(entry, name, measure);
    field.type = measure.type();
    field.role = FieldRole::content;
    if (measure.is_view()) {
      field.bytes = measure.last_run;
      continue;
    }
    Decode decode{.measured = measure, .to = sample.buffer.data() + free};
    walk_entry(entry, name, decode);
    field.bytes = Bytes(sample.buffer)
                      .subspan(std::min<std::uint64_t>(free, sample.buffer.size()), measure.decoded_bytes());
    free += measure.decoded_bytes();
  }
  return ParsedExample::example;
}

bool may_be_example(std::span<const std::byte> data) {
  bool has_entries = false;
  const bool sound = walk_example(data, [&](Bytes entry) {
    std::string_view name;
    Measure measure;
    has_entries = true;
    return walk_entry(entry, name, measure);
  });
  return sound && has_entries;
}

}  // namespace stoker::record
