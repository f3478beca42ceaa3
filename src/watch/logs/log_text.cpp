#include "watch/logs/log_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/descriptor.hpp"
#include "base/os_error.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

void append_utf8(std::string& text, std::uint32_t c) {
  const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xe0 | c >> 12);
    } else {
      put(0xf0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3f));
    }
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  const std::size_t units = bytes.size() / 2;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<std::uint8_t>(bytes[2 * i]);
    const auto second = static_cast<std::uint8_t>(bytes[2 * i + 1]);
    return static_cast<std::uint32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  const auto is_high = [](std::uint32_t c) { return (c & 0xfc00) == 0xd800; };
  const auto is_low = [](std::uint32_t c) { return (c & 0xfc00) == 0xdc00; };
  std::string text;
  text.reserve(units + units / 8);
  for (std::size_t i = 0; i < units; ++i) {
    std::uint32_t c = unit(i);
    if (is_high(c) && i + 1 < units && is_low(unit(i + 1))) {
      c = 0x10000 + ((c & 0x3ff) << 10 | (unit(++i) & 0x3ff));
    } else if (is_high(c) || is_low(c)) {
      c = 0xfffd;
    }
    if (c != 0xfeff) append_utf8(text, c);
  }
  return text;
}

// A terminal's escapes ("\x1b[32m"), which `watch` and coloured tools leave in a log.
std::string without_colours(std::string text) {
  if (text.find('\x1b') == std::string::npos) return text;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() && (text[i + 1] == ';' || (text[i + 1] >= '0' && text[i + 1] <= '9'))) ++i;
    if (i + 1 < text.size() && text[i + 1] != '\n') ++i;  // the letter that ends it
  }
  return plain;
}

}  // namespace

Result<std::string> read_log_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return tl::unexpected(os_error("open trace", path, errno));
  const auto too_long = [&path](std::string found) {
    return fail(ErrorCode::out_of_resources,
                {.operation = "read trace",
                 .object = path,
                 .found = std::move(found),
                 .allowed = "up to 64 MiB",
                 .next_step = "keep its first line and a part: (head -n 1 LOG; tail -n 100000 LOG) > PART"});
  };
  struct stat about{};
  if (fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode) &&
      static_cast<std::uint64_t>(about.st_size) > kMostBytes)
    return too_long(fmt::format("{} MiB", static_cast<std::uint64_t>(about.st_size) >> 20));
  std::string bytes;
  for (;;) {
    char part[1 << 16];
    const ssize_t got = ::read(file.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(os_error("read trace", path, errno));
    if (got == 0) return bytes;
    bytes.append(part, static_cast<std::size_t>(got));
    if (bytes.size() > kMostBytes) return too_long("more than 64 MiB");
  }
}

std::string to_utf8(std::string bytes) {
  const std::string_view text = bytes;
  // Without a mark: ASCII's upper bytes, all zero.
  const auto zero_at = [&](std::size_t i) { return text.size() >= 4 && text[i] == 0 && text[i + 2] == 0; };
  if (text.starts_with("\xff\xfe") || (zero_at(1) && !zero_at(0)))
    return without_colours(from_utf16(text, false));
  if (text.starts_with("\xfe\xff") || (zero_at(0) && !zero_at(1)))
    return without_colours(from_utf16(text, true));
  if (text.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  return without_colours(std::move(bytes));
}

bool Lines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string_view first_filled_line(std::string_view text) {
  Lines lines(text);
  std::string_view line;
  while (lines.next(line) && trimmed(line).empty()) continue;
  return line;
}

std::string quoted_words(std::string_view text, std::size_t most) {
  std::string words(trimmed(text).substr(0, most));
  for (char& c : words)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return words;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<int> gpu_index(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > 1023)
    return std::nullopt;
  return number;
}

}  // namespace stoker::watch
