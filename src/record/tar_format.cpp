#include "record/tar_format.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

#include "base/utf8.hpp"

namespace stoker::record {

namespace {

// The first header of a member, what it extends it by and the next one are read together, so that a window
// never begins between them and a walk that starts anew at the first finds it there.
constexpr std::size_t kReadAhead = 4 * kTarBlock;

using Block = std::span<const std::byte, kTarBlock>;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> field_of(Block block, TarField field) {
  return block.subspan(field.begin, field.bytes);
}

// A field's text up to its first NUL.
std::string_view text_of(Block block, TarField field) {
  const std::string_view text = text_of(field_of(block, field));
  return text.substr(0, text.find('\0'));
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{}; });
}

bool extends_a_member(char type) {
  return type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K';
}

// Links, devices, folders and pipes have no data, whatever their size says.
bool has_data(char type) { return type < '1' || type > '6'; }

bool is_printable(std::string_view text) {
  return is_utf8(text) &&
         std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

std::optional<std::uint64_t> base_256(std::span<const std::byte> field) {
  std::uint64_t value = std::to_integer<std::uint64_t>(field[0]) & 0x7f;
  for (const std::byte byte : field.subspan(1)) {
    if (value >> 55) return std::nullopt;
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return value;
}

}  // namespace

std::optional<std::uint64_t> tar_number(std::span<const std::byte> field) {
  const auto first = std::to_integer<unsigned>(field[0]);
  if (first & 0x80) return first & 0x40 ? std::nullopt : base_256(field);
  std::string_view text = text_of(field);
  text = text.substr(0, text.find('\0'));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t value = 0;  // also of a field that is empty
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (text.empty()) return 0;
  if (error != std::errc{} || value >> 63) return std::nullopt;
  const std::string_view behind = text.substr(static_cast<std::size_t>(end - text.data()));
  return behind.find_first_not_of(' ') == std::string_view::npos ? std::optional(value) : std::nullopt;
}

std::uint64_t tar_sum(Block block) {
  std::uint32_t sum = 0;
  for (const std::byte byte : block) sum += std::to_integer<std::uint32_t>(byte);
  for (const std::byte byte : field_of(block, kTarSum)) sum -= std::to_integer<std::uint32_t>(byte);
  return sum + kTarSum.bytes * ' ';
}

bool is_tar_header(Block block) {
  const auto digits = field_of(block, kTarSum);
  if (is_zero(digits)) return false;
  const auto stored = tar_number(digits);
  if (!stored) return false;
  const std::uint64_t sum = tar_sum(block);
  if (*stored == sum) return true;
  // Some old writers took bytes for signed. Each one of 128 and more then counts 256 less.
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i)
    high += (i < kTarSum.begin || i >= kTarSum.begin + kTarSum.bytes) && block[i] >= std::byte{0x80};
  return *stored + 256 * high == sum;
}

std::span<const std::byte> TarBytes::at(std::uint64_t offset, std::size_t bytes) {
  if (offset >= end_) return {};
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, end_ - offset));
  return window_ ? window_->at(offset, bytes) : memory_.subspan(offset - begin_, bytes);
}

TarMembers::Step TarMembers::next() {
  zero_blocks_ = 0;
  extended_ = is_sparse_ = named_by_pax_ = false;
  pax_bytes_.reset();
  name_bytes_ = 0;
  for (;;) {
    if (!extended_) member_.begin = at_;
    const auto ahead = bytes_.at(at_, extended_ ? kTarBlock : kReadAhead);
    if (ahead.size() < kTarBlock) {
      if (extended_)
        return fail(fmt::format("the archive ends at offset {}, behind a header without its member", at_));
      if (is_zero(ahead)) return Step::end;
      return fail(fmt::format("the archive ends {} bytes into the header at offset {}", ahead.size(), at_));
    }
    const Block header = ahead.first<kTarBlock>();
    if (is_zero(header)) {
      if (extended_) return fail(fmt::format("zeros at offset {}, behind a header without its member", at_));
      ++zero_blocks_;
      at_ += kTarBlock;
      continue;
    }
    if (!is_tar_header(header)) return fail_header(header);
    const char type = static_cast<char>(header[kTarType.begin]);
    const auto bytes = tar_number(field_of(header, kTarSize));
    if (!bytes) return fail(fmt::format("the size in the header at offset {} is no number", at_));
    if (!extends_a_member(type)) return take_member(header, *bytes);
    if (auto wrong = take_extension(type, *bytes)) return fail(std::move(*wrong));
    extended_ |= type != 'g';
    at_ = std::min(at_ + kTarBlock + tar_padded(*bytes), bytes_.end());
  }
}

TarMembers::Step TarMembers::fail(std::string reason, std::string_view name) {
  fault_ = {.begin = member_.begin, .header = at_, .reason = std::move(reason), .name = name};
  return Step::fault;
}

// A name beside a wrong checksum is believed where all around it looks like a header.
TarMembers::Step TarMembers::fail_header(Block header) {
  const auto stored = tar_number(field_of(header, kTarSum));
  const bool looks_right = text_of(header).substr(kTarMagic.begin, 5) == "ustar" &&
                           !extends_a_member(static_cast<char>(header[kTarType.begin])) &&
                           is_printable(text_of(header, kTarName));
  if (looks_right && name_bytes_ == 0) set_name(text_of(header, kTarName), text_of(header, kTarPrefix));
  return fail(stored && looks_right
                  ? fmt::format("the header at offset {} has the checksum {}, its bytes add up to {}", at_,
                                *stored, tar_sum(header))
                  : fmt::format("no header at offset {}: its checksum is wrong", at_),
              looks_right ? name() : std::string_view{});
}

TarMembers::Step TarMembers::take_member(Block header, std::uint64_t bytes) {
  const char type = static_cast<char>(header[kTarType.begin]);
  if (name_bytes_ == 0) {
    // In GNU's own headers other things stand in the prefix's place.
    const bool has_prefix = text_of(header).substr(kTarMagic.begin, 6) == std::string_view("ustar\0", 6);
    set_name(text_of(header, kTarName), has_prefix ? text_of(header, kTarPrefix) : "");
  }
  bytes = has_data(type) ? pax_bytes_.value_or(bytes) : 0;
  if (type == 'S' || is_sparse_)
    return fail(fmt::format("'{}' at offset {} is a sparse file, of which a part is left out", name(), at_),
                name());
  member_.data = at_ + kTarBlock;
  member_.bytes = bytes;
  const std::uint64_t left = bytes_.end() - member_.data;
  if (bytes > left)
    return fail(fmt::format("'{}' at offset {} has {} bytes, {} of them beyond the end", name(), at_, bytes,
                            bytes - left),
                name());
  // Padding that lacks at the very end is nobody's loss.
  member_.end = member_.data + std::min(tar_padded(bytes), left);
  // Before POSIX a folder was a file whose name ends in a slash.
  member_.is_file = type == '0' || type == '7' || (type == '\0' && !name().ends_with('/'));
  member_.name = name();
  at_ = member_.end;
  return Step::member;
}

std::optional<std::string> TarMembers::take_extension(char type, std::uint64_t bytes) {
  if (type == 'K') return std::nullopt;  // where a link leads
  const std::uint64_t largest = type == 'L' ? kLongestTarName + 1 : kLargestPax;
  if (bytes > largest)
    return fmt::format("the header at offset {} extends a member by {} bytes (allowed: {})", at_, bytes,
                       largest);
  const std::uint64_t begin = at_ + kTarBlock;
  std::string_view text = text_of(bytes_.at(begin, static_cast<std::size_t>(bytes)));
  if (text.size() < bytes)
    return fmt::format("the archive ends {} bytes into the {} that the header at offset {} has", text.size(),
                       bytes, at_);
  if (type != 'L') return take_pax(text, type == 'g');
  text = text.substr(0, text.find('\0'));
  if (!named_by_pax_ && !set_name(text))
    return fmt::format("the name at offset {} is longer than {} bytes", begin, kLongestTarName);
  return std::nullopt;
}

// Records "LENGTH KEY=VALUE\n", the length counting itself. Source: POSIX pax, "pax Header Block".
std::optional<std::string> TarMembers::take_pax(std::string_view records, bool global) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    const std::size_t equals = records.find('=', digits);
    if (error != std::errc{} || length > records.size() || length < digits + 3 || records[digits] != ' ' ||
        records[length - 1] != '\n' || equals >= length)
      return fmt::format("the extended header at offset {} holds no \"LENGTH KEY=VALUE\"", at_);
    if (auto wrong = take_pax_record(records.substr(digits + 1, equals - digits - 1),
                                     records.substr(equals + 1, length - equals - 2), global))
      return wrong;
    records.remove_prefix(length);
  }
  return std::nullopt;
}

std::optional<std::string> TarMembers::take_pax_record(std::string_view key, std::string_view value,
                                                       bool global) {
  const bool is_path = key == "path", is_size = key == "size", is_sparse = key.starts_with("GNU.sparse.");
  if (!is_path && !is_size && !is_sparse) return std::nullopt;
  if (global) return fmt::format("the header at offset {} gives all members that follow one {}", at_, key);
  is_sparse_ |= is_sparse;
  if (is_path && !value.empty()) {
    if (!set_name(value))
      return fmt::format("the path at offset {} is longer than {} bytes", at_, kLongestTarName);
    named_by_pax_ = true;
  }
  if (is_size) {
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
    if (error != std::errc{} || end != value.data() + value.size() || bytes >> 63)
      return fmt::format("the size in the extended header at offset {} is no number", at_);
    pax_bytes_ = bytes;
  }
  return std::nullopt;
}

bool TarMembers::set_name(std::string_view name, std::string_view prefix) {
  const std::size_t slash = prefix.empty() ? 0 : 1;
  if (prefix.size() + slash + name.size() > name_.size()) return false;
  char* end = std::copy(prefix.begin(), prefix.end(), name_.data());
  if (slash) *end++ = '/';
  end = std::copy(name.begin(), name.end(), end);
  name_bytes_ = static_cast<std::size_t>(end - name_.data());
  return true;
}

}  // namespace stoker::record
