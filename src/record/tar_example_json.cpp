#include "record/tar_example_json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/endian.hpp"
#include "base/utf8.hpp"
#include "record/example_format.hpp"

namespace stoker::record {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

// "[" what `append_item` adds for each of `count` "]".
template <class Append>
void append_array(std::string& to, std::size_t count, Append&& append_item) {
  to += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) to += ", ";
    append_item(i);
  }
  to += ']';
}

void append_value(std::string& to, const Field& field) {
  const std::span<const std::byte> bytes = field.bytes;
  switch (field.type) {
    case FieldType::bytes:
      to += json_text(text_of(bytes));
      return;
    case FieldType::int64:
      return append_array(to, bytes.size() / 8, [&](std::size_t i) {
        fmt::format_to(std::back_inserter(to), "{}", load_le<std::int64_t>(bytes.data() + 8 * i));
      });
    case FieldType::float32:
      return append_array(to, bytes.size() / 4, [&](std::size_t i) {
        append_json_number(to, load_le<float>(bytes.data() + 4 * i));
      });
    case FieldType::bytes_list: {
      std::string_view between = "[";
      for_each_string(bytes, [&](std::span<const std::byte> run) {
        to += std::exchange(between, ", ");
        to += json_text(text_of(run));
      });
      to += bytes.empty() ? "[]" : "]";
      return;
    }
  }
}

}  // namespace

bool fits_json(const Field& field) {
  if (!is_utf8(field.name)) return false;
  switch (field.type) {
    case FieldType::bytes:
      return is_utf8(text_of(field.bytes));
    case FieldType::int64:
      return field.bytes.size() % 8 == 0;
    case FieldType::float32:
      return field.bytes.size() % 4 == 0;
    case FieldType::bytes_list: {
      bool is_text = true;
      return for_each_string(field.bytes, [&](auto run) { is_text &= is_utf8(text_of(run)); }) && is_text;
    }
  }
  return false;
}

std::string example_json(std::span<const Field* const> fields) {
  std::string made = "{";
  for (const Field* field : fields) {
    if (made.size() > 1) made += ", ";
    made += json_text(field->name) + ": ";
    append_value(made, *field);
  }
  return made + "}\n";
}

void append_json_number(std::string& to, float value) {
  if (std::isnan(value)) {
    to += "NaN";
  } else if (std::isinf(value)) {
    to += value < 0 ? "-Infinity" : "Infinity";
  } else {
    const std::string digits = fmt::format("{}", value);
    to += digits;
    if (digits.find_first_of(".e") == std::string::npos) to += ".0";
  }
}

}  // namespace stoker::record
