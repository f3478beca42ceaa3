#include "record/brace_expansion.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

namespace stoker::record {

namespace {

using Names = std::vector<std::string>;

// The numbers of a range, if `inside` is one.
struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t digits = 0;  // at least so many
};

std::optional<Range> parse_range(std::string_view inside) {
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view first = inside.substr(0, dots), last = inside.substr(dots + 2);
  Range range;
  const auto is_number = [](std::string_view text, std::uint64_t& value) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && status == std::errc() && end == text.data() + text.size();
  };
  if (!is_number(first, range.first) || !is_number(last, range.last)) return std::nullopt;
  const auto is_padded = [](std::string_view text) { return text.size() > 1 && text.starts_with('0'); };
  if (is_padded(first) || is_padded(last)) range.digits = std::max(first.size(), last.size());
  return range;
}

// The alternatives between the commas that stand in no inner brace.
std::vector<std::string_view> alternatives(std::string_view inside) {
  std::vector<std::string_view> all;
  std::size_t depth = 0, begin = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '{') ++depth;
    if (inside[i] == '}' && depth > 0) --depth;
    if (inside[i] != ',' || depth > 0) continue;
    all.push_back(inside.substr(begin, i - begin));
    begin = i + 1;
  }
  all.push_back(inside.substr(begin));
  return all;
}

// Where the brace that opens at `open` closes.
std::size_t closing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

class Expander {
 public:
  Expander(std::string_view whole, std::size_t most) : whole_(whole), most_(most) {}

  Result<Names> expand(std::string_view text, int depth = 0) const {
    constexpr int kDeepest = 32;
    if (depth > kDeepest) return refuse("braces in braces, more than 32 deep", "fewer");
    Names names = {""};
    std::size_t done = 0;
    while (done < text.size()) {
      const std::size_t open = std::min(text.find('{', done), text.size());
      append(names, text.substr(done, open - done));
      if (open == text.size()) break;
      const std::size_t close = closing(text, open);
      std::optional<Result<Names>> inner;
      if (close != std::string_view::npos) inner = group(text.substr(open + 1, close - open - 1), depth);
      if (!inner) {  // no group: the brace is a letter
        append(names, "{");
        done = open + 1;
        continue;
      }
      if (!*inner) return *inner;
      if (auto wrong = multiply(names, **inner)) return std::move(*wrong);
      done = close + 1;
    }
    return names;
  }

 private:
  static void append(Names& names, std::string_view text) {
    if (text.empty()) return;
    for (std::string& name : names) name += text;
  }

  std::optional<Result<Names>> group(std::string_view inside, int depth) const {
    if (const auto range = parse_range(inside)) return numbers(inside, *range);
    const auto parts = alternatives(inside);
    if (parts.size() < 2) return std::nullopt;
    Names names;
    for (const std::string_view part : parts) {
      Result<Names> of_part = expand(part, depth + 1);
      if (!of_part) return of_part;
      if (names.size() + of_part->size() > most_) return Result<Names>(too_many());
      std::move(of_part->begin(), of_part->end(), std::back_inserter(names));
    }
    return names;
  }

  Result<Names> numbers(std::string_view inside, Range range) const {
    if (range.last < range.first)
      return refuse(fmt::format("the falling range {{{}}}", inside), "a range that rises");
    if (range.last - range.first >= most_) return too_many();
    Names names;
    for (std::uint64_t n = range.first;; ++n) {
      names.push_back(fmt::format("{:0{}}", n, range.digits));
      if (n == range.last) return names;
    }
  }

  std::optional<Result<Names>> multiply(Names& names, const Names& by) const {
    if (by.size() > most_ / names.size()) return Result<Names>(too_many());
    Names product;
    product.reserve(names.size() * by.size());
    for (const std::string& name : names)
      for (const std::string& tail : by) product.push_back(name + tail);
    names = std::move(product);
    return std::nullopt;
  }

  tl::unexpected<Error> too_many() const {
    return refuse("a pattern of more names", fmt::format("at most {}", most_));
  }
  tl::unexpected<Error> refuse(std::string found, std::string allowed) const {
    return fail(ErrorCode::invalid_argument, {.operation = "open records",
                                              .object = std::string(whole_),
                                              .found = std::move(found),
                                              .allowed = std::move(allowed)});
  }

  const std::string_view whole_;
  const std::size_t most_;
};

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

}  // namespace

Result<Names> expand_braces(std::string_view text, std::size_t most) {
  return Expander(text, most).expand(text);
}

bool matches_wildcard(std::string_view name, std::string_view pattern) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0, p = 0;
  std::size_t star = kNone, star_at = 0;  // the last `*`, and how far it reaches
  while (at < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_at = at;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      do ++at;
      while (at < name.size() && continues_code_point(name[at]));
    } else if (p < pattern.size() && pattern[p] == name[at]) {
      ++p;
      ++at;
    } else if (star != kNone) {
      p = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace stoker::record
