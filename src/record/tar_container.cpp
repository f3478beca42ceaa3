#include "record/tar_container.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/words.hpp"
#include "record/tar_format.hpp"
#include "record/tar_names.hpp"

namespace stoker::record {

namespace {

std::optional<TarName> sample_name(const TarMember& member) {
  return member.is_file ? split_tar_name(member.name) : std::nullopt;
}

// Whether the member that cannot be read may belong to the sample of `key`, the last one before it. A sample
// that may lack a field is no whole one.
bool may_belong_to(const TarMembers& members, std::string_view key) {
  if (members.behind_end_blocks()) return false;
  const auto name = split_tar_name(members.fault().name);
  return !name || name->key == key;
}

// Where samples go on that are whole: behind the damage and what follows of the samples that it touched.
// Where nothing tells which ones these are, the first one behind the damage counts as one.
class Resume {
 public:
  Resume(const TarContainer& format, WindowReader& window, std::uint64_t container_bytes)
      : format_(format), window_(window), end_(container_bytes) {}

  void lose(std::string_view key) { lost_.emplace_back(key); }

  std::uint64_t behind(const TarFault& fault) {
    const auto name = split_tar_name(fault.name);
    if (name) lose(name->key);
    bool lose_next = !name;
    std::uint64_t from = fault.header + kTarBlock;
    while (const auto header = format_.find_record(window_, from, end_)) {
      TarMembers members(TarBytes(window_, end_), *header);
      if (members.next() != TarMembers::Step::member) {
        from = std::max(members.fault().header, *header) + kTarBlock;
        continue;
      }
      const auto next = sample_name(members.member());
      if (next && std::exchange(lose_next, false)) lose(next->key);
      if (next && std::find(lost_.begin(), lost_.end(), next->key) == lost_.end()) return *header;
      from = members.member().end;
    }
    return end_;
  }

 private:
  const TarContainer& format_;
  WindowReader& window_;
  const std::uint64_t end_;
  std::vector<std::string> lost_;
};

// A whole number that a float holds exactly, blanks around it.
std::optional<float> whole_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const auto label = static_cast<float>(number);
  const bool exact = std::abs(label) < 0x1p63f && static_cast<std::int64_t>(label) == number;
  return exact ? std::optional(label) : std::nullopt;
}

// An array of numbers in JSON, not empty; also the NaN and Infinity that Python writes.
bool read_number_array(std::string_view text, std::vector<float>& numbers) {
  numbers.clear();
  text = trimmed(text);
  if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 3) return false;
  text = text.substr(1, text.size() - 2);
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = trimmed(text.substr(0, comma));
    float number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return false;
    numbers.push_back(number);
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Field* find_field(std::vector<Field>& fields, std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// A field whose text is no label stays plain content.
void find_labels(Sample& sample) {
  sample.labels.clear();
  if (Field* cls = find_field(sample.fields, "cls"))
    if (const auto label = whole_number(text_of(cls->bytes))) {
      sample.labels.push_back(*label);
      cls->role = FieldRole::label;
      return;
    }
  if (Field* array = find_field(sample.fields, "labels.json")) {
    if (read_number_array(text_of(array->bytes), sample.labels))
      array->role = FieldRole::label;
    else
      sample.labels.clear();
  }
}

std::size_t find_main(const std::vector<Field>& fields) {
  const auto first = [&](auto&& is_it) {
    return static_cast<std::size_t>(std::find_if(fields.begin(), fields.end(), is_it) - fields.begin());
  };
  std::size_t main = first([](const Field& field) { return image_name(field.name) == ImageName::whole; });
  if (main == fields.size())
    main = first([](const Field& field) { return image_name(field.name) != ImageName::none; });
  if (main == fields.size()) main = first([](const Field& field) { return field.name == "npy"; });
  if (main == fields.size()) main = first([](const Field& field) { return field.role != FieldRole::label; });
  return main == fields.size() ? 0 : main;
}

// The name of a field that stands twice, or none.
const std::string* repeated_name(const std::vector<Field>& fields) {
  constexpr std::size_t kFew = 24;  // up to here looking at all pairs costs less than any order
  if (fields.size() <= kFew) {
    for (std::size_t i = 1; i < fields.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (fields[i].name == fields[j].name) return &fields[i].name;
    return nullptr;
  }
  std::vector<const std::string*> names;
  names.reserve(fields.size());
  for (const Field& field : fields) names.push_back(&field.name);
  std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
  return twice == names.end() ? nullptr : *twice;
}

}  // namespace

Walked TarContainer::walk_record(WindowReader& window, std::uint64_t offset,
                                 std::uint64_t container_bytes) const {
  TarMembers members(TarBytes(window, container_bytes), offset);
  std::string key;
  bool started = false;
  for (;;) {
    const TarMembers::Step step = members.next();
    if (step == TarMembers::Step::end) return {.end = container_bytes, .is_record = started};
    if (step == TarMembers::Step::fault) break;
    const auto name = sample_name(members.member());
    if (!name) continue;
    if (started && name->key != key) return {.end = members.member().begin};
    if (!started) key = name->key;
    started = true;
  }
  const TarFault& fault = members.fault();
  if (started && !may_belong_to(members, key)) return {.end = fault.begin};
  Resume resume(*this, window, container_bytes);
  if (started) resume.lose(key);
  Damage damage{started ? offset : fault.begin, fault.reason};
  return {.damage = std::move(damage), .resume = resume.behind(fault)};
}

std::optional<std::uint64_t> TarContainer::find_record(WindowReader& window, std::uint64_t from,
                                                       std::uint64_t limit) const {
  std::uint64_t position = tar_padded(from);
  // Often the first block is one: little is read at first.
  std::size_t piece = 8 * kTarBlock;
  while (position < limit && limit - position >= kTarBlock) {
    const auto bytes =
        window.at(position, static_cast<std::size_t>(std::min<std::uint64_t>(piece, limit - position)));
    if (bytes.size() < kTarBlock) return std::nullopt;
    std::size_t at = 0;
    for (; at + kTarBlock <= bytes.size(); at += kTarBlock)
      if (is_tar_header(bytes.subspan(at).first<kTarBlock>())) return position + at;
    position += at;
    piece = std::min(piece * 4, WindowReader::kLargestWindow);
  }
  return std::nullopt;
}

std::optional<std::string> TarContainer::unpack(std::span<std::byte> extent, std::uint64_t offset,
                                                std::uint64_t, Sample& sample) const {
  TarMembers members(TarBytes(extent, offset), offset);
  std::size_t count = 0;
  for (;;) {
    const TarMembers::Step step = members.next();
    if (step == TarMembers::Step::end) break;
    if (step == TarMembers::Step::fault) {
      if (count > 0 && !may_belong_to(members, sample.key)) break;
      return members.fault().reason;
    }
    const TarMember& member = members.member();
    const auto name = sample_name(member);
    if (!name) continue;
    if (count == 0) sample.key.assign(name->key);
    if (name->key != sample.key) break;
    if (sample.fields.size() == count) sample.fields.emplace_back();
    Field& field = sample.fields[count++];
    assign_lower(field.name, name->field);
    field.bytes = extent.subspan(member.data - offset, member.bytes);
    field.type = FieldType::bytes;
    field.role = FieldRole::content;
  }
  if (count == 0) return fmt::format("no member of a sample stands at offset {}", offset);
  sample.fields.resize(count);
  if (const std::string* name = repeated_name(sample.fields))
    return fmt::format("the sample '{}' has two fields '{}'", sample.key, *name);
  find_labels(sample);
  sample.main_field = find_main(sample.fields);
  return std::nullopt;
}

}  // namespace stoker::record
