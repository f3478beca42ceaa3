// Tars for tests, made byte by byte and without the writer. Tests only.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::record {

struct TarHeaderFields {
  char type = '0';
  std::string magic = std::string("ustar\00000", 8);
  std::string prefix;
  std::string size;  // as it stands in its field; default: octal, of the data
  bool signed_sum = false;
  int sum_error = 0;
};

inline std::string octal(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return text;
}

inline std::string in_blocks(std::string_view data) {
  std::string blocks(data);
  blocks.resize((blocks.size() + 511) / 512 * 512, '\0');
  return blocks;
}

inline std::string tar_block(std::string_view name, std::uint64_t bytes, const TarHeaderFields& fields = {}) {
  std::string block(512, '\0');
  block.replace(0, std::min<std::size_t>(name.size(), 100), name.substr(0, 100));
  block.replace(100, 7, "0000644");
  block.replace(124, 11, octal(bytes, 11));
  if (!fields.size.empty()) block.replace(124, 12, fields.size.substr(0, 12));
  block.replace(148, 8, 8, ' ');
  block[156] = fields.type;
  block.replace(257, fields.magic.size(), fields.magic);
  block.replace(345, fields.prefix.size(), fields.prefix);
  int sum = fields.sum_error;
  for (const char c : block)
    sum += fields.signed_sum ? static_cast<signed char>(c) : static_cast<unsigned char>(c);
  block.replace(148, 6, octal(static_cast<std::uint64_t>(sum), 6));
  block[154] = '\0';
  return block;
}

inline std::string tar_file(std::string_view name, std::string_view data,
                            const TarHeaderFields& fields = {}) {
  return tar_block(name, data.size(), fields) + in_blocks(data);
}

inline std::string tar_folder(std::string_view name) { return tar_block(name, 0, {.type = '5'}); }

// A PAX header with these records.
inline std::string tar_pax(const std::vector<std::pair<std::string, std::string>>& records, char type = 'x') {
  std::string data;
  for (const auto& [key, value] : records) {
    std::string record = " " + key + "=" + value + "\n";
    std::size_t length = record.size() + 1;
    while (std::to_string(length).size() + record.size() != length) ++length;
    data += std::to_string(length) + record;
  }
  return tar_file("././@PaxHeader", data, {.type = type});
}

// GNU's header of a long name.
inline std::string tar_long_name(const std::string& name) {
  return tar_file("././@LongLink", name + '\0', {.type = 'L', .magic = std::string("ustar  \0", 8)});
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace stoker::record
