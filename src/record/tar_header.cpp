#include "record/tar_header.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "record/tar_format.hpp"

namespace stoker::record {

namespace {

constexpr std::uint64_t kLargestUstar = (std::uint64_t{1} << 33) - 1;  // 11 octal digits

struct SplitName {
  std::string_view prefix, name;
};

// A name as ustar holds it. Source: POSIX pax, "ustar Interchange Format": ASCII, parted at a slash.
std::optional<SplitName> split_for_ustar(std::string_view name) {
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return std::nullopt;
  if (name.size() <= kTarName.bytes) return SplitName{"", name};
  // The first slash that leaves few enough bytes behind it.
  const std::size_t slash = name.find('/', name.size() - kTarName.bytes - 1);
  if (slash == std::string_view::npos || slash == 0 || slash > kTarPrefix.bytes || slash + 1 == name.size())
    return std::nullopt;
  return SplitName{name.substr(0, slash), name.substr(slash + 1)};
}

// "LENGTH KEY=VALUE\n", whose length counts its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + fmt::formatted_size("{}", rest);
  length = rest + fmt::formatted_size("{}", length);
  return fmt::format("{} {}={}\n", length, key, value);
}

void append_block(std::vector<std::byte>& to, SplitName name, std::uint64_t bytes, char type) {
  const std::size_t begin = to.size();
  to.resize(begin + kTarBlock);
  std::byte* block = to.data() + begin;
  const auto put = [&](TarField field, std::string_view text) {
    std::memcpy(block + field.begin, text.data(), std::min(text.size(), field.bytes));
  };
  put(kTarName, name.name);
  put(kTarMode, "0000644");
  put(kTarUser, "0000000");
  put(kTarGroup, "0000000");
  put(kTarSize, fmt::format("{:011o}", bytes));
  put(kTarTime, "00000000000");
  put(kTarType, {&type, 1});
  put(kTarMagic, std::string_view("ustar\00000", 8));
  put(kTarDevice, std::string_view("0000000\0000000000", 15));
  put(kTarPrefix, name.prefix);
  const std::uint64_t sum = tar_sum(std::span<const std::byte, kTarBlock>(block, kTarBlock));
  put(kTarSum, fmt::format("{:06o}", sum));
  block[kTarSum.begin + kTarSum.bytes - 1] = std::byte{' '};
}

}  // namespace

void append_tar_header(std::vector<std::byte>& to, std::string_view name, std::uint64_t bytes) {
  auto split = split_for_ustar(name);
  const bool fits = bytes <= kLargestUstar;
  std::string records;
  if (!split) records += pax_record("path", name);
  if (!fits) records += pax_record("size", fmt::format("{}", bytes));
  std::string stand_in;
  if (!split) {
    stand_in = name.substr(0, kTarName.bytes);
    std::replace_if(
        stand_in.begin(), stand_in.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    split = {"", stand_in};
  }
  if (!records.empty()) {
    append_block(to, {"", "././@PaxHeader"}, records.size(), 'x');
    const auto* data = reinterpret_cast<const std::byte*>(records.data());
    to.insert(to.end(), data, data + records.size());
    to.resize(to.size() + tar_padded(records.size()) - records.size());
  }
  append_block(to, *split, fits ? bytes : 0, '0');
}

}  // namespace stoker::record
