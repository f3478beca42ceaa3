#include "array/npy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace stoker::array {

namespace {

constexpr std::string_view kExample = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 2560), }";

struct Descr {
  std::string_view text;  // without the order of its bytes
  NumberType type;
};
constexpr std::array<Descr, 11> kDescrs{{{"f2", NumberType::f2},
                                         {"f4", NumberType::f4},
                                         {"f8", NumberType::f8},
                                         {"i1", NumberType::i1},
                                         {"i2", NumberType::i2},
                                         {"i4", NumberType::i4},
                                         {"i8", NumberType::i8},
                                         {"u1", NumberType::u1},
                                         {"u2", NumberType::u2},
                                         {"u4", NumberType::u4},
                                         {"u8", NumberType::u8}}};

// Walks the text once, from left to right; the first thing that does not fit ends it.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  Result<NpyHeader> read() {
    if (!take('{')) return wrong("no '{'");
    while (!take('}')) {
      if (auto entry = read_entry(); !entry) return tl::unexpected(entry.error());
      if (take(',')) continue;
      if (!take('}')) return wrong("neither ',' nor '}'");
      break;
    }
    skip_blanks();
    if (at_ != text_.size()) return wrong("more text behind '}'");
    if (!has_descr_ || !has_order_ || !has_shape_) return wrong("not all of descr, fortran_order and shape");
    return std::move(header_);
  }

 private:
  tl::unexpected<Error> wrong(std::string found, ErrorCode code = ErrorCode::corrupt_data) const {
    return fail(code, {.operation = "read .npy",
                       .object = fmt::format("header, byte {}", offset_ + at_),
                       .found = std::move(found),
                       .allowed = std::string(kExample)});
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::optional<std::string_view> take_string() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<void> read_entry() {
    const auto key = take_string();
    if (!key) return wrong("no quoted name");
    if (!take(':')) return wrong("no ':' behind a name");
    if (*key == "descr") return read_descr();
    if (*key == "fortran_order") return read_order();
    if (*key == "shape") return read_shape();
    return wrong(fmt::format("the name '{}'", key->substr(0, 40)));
  }

  Result<void> read_descr() {
    if (std::exchange(has_descr_, true)) return wrong("descr twice");
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[')
      return wrong("an array of records (a structured dtype)", ErrorCode::unsupported);
    const auto descr = take_string();
    if (!descr) return wrong("descr is no quoted text");
    const char order = descr->empty() ? ' ' : descr->front();
    const auto known = std::find_if(kDescrs.begin(), kDescrs.end(), [&](const Descr& candidate) {
      return descr->size() == 3 && descr->substr(1) == candidate.text;
    });
    const bool single = known != kDescrs.end() && bytes_of(known->type) == 1;
    if (known == kDescrs.end() || !(order == '<' || order == '>' || (order == '|' && single))) {
      return fail(ErrorCode::unsupported,
                  {.operation = "read .npy",
                   .found = fmt::format("numbers of the type '{}'", descr->substr(0, 40)),
                   .allowed = "float16, float32, float64, and integers of 8, 16, 32 and 64 bits",
                   .next_step = "save the array as array.astype('<f4')"});
    }
    header_.type = known->type;
    header_.big_endian = order == '>' && !single;
    return {};
  }

  Result<void> read_order() {
    if (std::exchange(has_order_, true)) return wrong("fortran_order twice");
    header_.fortran_order = take_word("True");
    if (!header_.fortran_order && !take_word("False")) return wrong("neither True nor False");
    return {};
  }

  Result<void> read_shape() {
    if (std::exchange(has_shape_, true)) return wrong("shape twice");
    if (!take('(')) return wrong("no '(' before a shape");
    while (!take(')')) {
      skip_blanks();
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), length);
      if (error != std::errc()) return wrong("no length of an axis");
      if (header_.shape.size() == kMaxAxes) return wrong(fmt::format("more than {} axes", kMaxAxes));
      at_ = static_cast<std::size_t>(end - text_.data());
      take_word("L");  // Python 2 wrote its long integers so
      header_.shape.push_back(length);
      const bool comma = take(',');
      if (comma) continue;
      if (header_.shape.size() == 1) return wrong("one length without a ',' behind it is no tuple");
      if (!take(')')) return wrong("neither ',' nor ')'");
      break;
    }
    return {};
  }

  const std::string_view text_;
  const std::size_t offset_;
  std::size_t at_ = 0;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
  NpyHeader header_;
};

}  // namespace

Result<NpyHeader> read_npy_header(std::string_view text, std::size_t offset) {
  return HeaderReader(text, offset).read();
}

}  // namespace stoker::array
