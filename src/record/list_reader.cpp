#include "record/list_reader.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/words.hpp"
#include "record/file_sample.hpp"
#include "record/line_reader.hpp"

namespace stoker::record {

namespace {

constexpr std::string_view kBlanks = " \t";

template <class T>
bool parse_whole(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

bool parse_label(std::string_view text, float& label) {
  return parse_whole(text, label) && std::isfinite(label);
}

tl::unexpected<Error> wrong(std::string found) {
  return fail(ErrorCode::invalid_argument, {.found = std::move(found)});
}

Result<void> parse_id(std::string_view text, ListLine& parsed) {
  if (!parse_whole(text, parsed.id))
    return wrong(fmt::format("'{}' as the id (a whole number from 0)", text));
  return {};
}

Result<void> parse_tabbed(const std::vector<std::string_view>& columns, ListLine& parsed) {
  if (auto id = parse_id(trimmed(columns[0], kBlanks), parsed); !id) return id;
  for (std::size_t i = 1; i + 1 < columns.size(); ++i) {
    float label = 0;
    if (!parse_label(trimmed(columns[i], kBlanks), label))
      return wrong(fmt::format("'{}' as a label in column {} (a number)", columns[i], i + 1));
    parsed.labels.push_back(label);
  }
  parsed.path = columns.back();
  return {};
}

Result<void> parse_spaced(std::string_view line, ListLine& parsed) {
  const auto next_word = [&line] {
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    line = trimmed(line, kBlanks);
    return word;
  };
  line = trimmed(line, kBlanks);
  if (auto id = parse_id(next_word(), parsed); !id) return id;
  float label = 0;
  while (true) {
    const std::size_t word_end = line.find_first_of(kBlanks);
    if (word_end == std::string_view::npos || !parse_label(line.substr(0, word_end), label)) break;
    parsed.labels.push_back(label);
    next_word();
  }
  if (parsed.labels.empty()) return wrong("no label between the id and the path");
  parsed.path = line;
  return {};
}

}  // namespace

bool is_blank_or_comment(std::string_view line) {
  const std::string_view text = trimmed(line, kBlanks);
  return text.empty() || text.starts_with('#');
}

std::optional<std::string> unescaped_path(std::string_view path) {
  constexpr std::string_view kWritten = "tnr\\";
  constexpr std::string_view kMeant = "\t\n\r\\";
  std::string out;
  bool breaks = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '\\') {
      out += path[i];
      continue;
    }
    const std::size_t which = ++i < path.size() ? kWritten.find(path[i]) : std::string_view::npos;
    if (which == std::string_view::npos) return std::nullopt;
    breaks |= kMeant[which] != '\\';
    out += kMeant[which];
  }
  if (!breaks) return std::nullopt;
  return out;
}

Result<void> parse_list_line(std::string_view line, ListLine& parsed) {
  parsed.labels.clear();
  const std::vector<std::string_view> columns = split(line, '\t');
  const Result<void> result =
      columns.size() >= 3 ? parse_tabbed(columns, parsed) : parse_spaced(line, parsed);
  if (!result) return result;
  if (trimmed(parsed.path, kBlanks).empty()) return wrong("no path");
  if (parsed.path.find('\0') != std::string_view::npos) return wrong("a zero byte in the path");
  return {};
}

void read_list(Store& store, const std::string& list, const std::function<void(const ListLine&)>& visit) {
  const auto file = store.open_read(list);
  LineReader lines(*file);
  ListLine parsed;
  bool any = false;
  while (const auto line = lines.next()) {
    if (is_blank_or_comment(*line)) continue;
    if (const Result<void> result = parse_list_line(*line, parsed); !result)
      throw Error(ErrorCode::invalid_argument, {.operation = "read list",
                                                .object = fmt::format("{}, line {}", list, lines.number()),
                                                .found = result.error().parts().found,
                                                .allowed = "id, one label or more, path, with tabs between"});
    visit(parsed);
    any = true;
  }
  if (!any)
    throw Error(ErrorCode::invalid_argument,
                {.operation = "read list", .object = list, .found = "no samples"});
}

ListedFiles::ListedFiles(std::shared_ptr<Store> store, const std::string& list, const std::string& root)
    : store_(std::move(store)),
      root_(root.empty() ? std::filesystem::path(list).parent_path().string() : root) {}

std::string ListedFiles::path(std::string_view key) const {
  if (root_.empty() || key.starts_with('/')) return std::string(key);
  return root_.ends_with('/') ? root_ + std::string(key) : fmt::format("{}/{}", root_, key);
}

std::string ListedFiles::meant(std::string_view key) const {
  if (key.find('\\') == std::string_view::npos) return std::string(key);
  std::optional<std::string> unescaped = unescaped_path(key);
  // Lists of other tools hold backslashes that are part of a name: only a file that is there decides.
  if (!unescaped || store_->info(path(key)) || !store_->info(path(*unescaped))) return std::string(key);
  return std::move(*unescaped);
}

void ListedFiles::read(std::string_view key, std::span<const float> labels, Sample& sample) const {
  const std::string found = meant(key);
  try {
    read_file_sample(*store_, path(found), found, labels, sample);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found || key.starts_with('/')) throw;
    ErrorParts parts = error.parts();
    parts.next_step = fmt::format("paths are looked up in {}; name another folder with --root",
                                  root_.empty() ? "the working folder" : root_);
    throw Error(error.code(), parts);
  }
}

ListReader::ListReader(std::shared_ptr<Store> store, const std::string& list, const std::string& root,
                       std::vector<std::string> classes)
    : list_(list), files_(store, list, root), classes_(std::move(classes)) {
  read_list(*store, list, [this](const ListLine& line) { add(line); });
}

void ListReader::add(const ListLine& line) {
  if (line.labels.size() > 1 && !several_labels_) {
    several_labels_ = true;
    first_labels_ = labels_;  // so far there was one each
    for (std::size_t i = 0; i < ids_.size(); ++i) label_ends_.push_back(i + 1);
  }
  paths_ += line.path;
  path_ends_.push_back(paths_.size());
  ids_.push_back(line.id);
  labels_.insert(labels_.end(), line.labels.begin(), line.labels.end());
  if (several_labels_) {
    label_ends_.push_back(labels_.size());
    first_labels_.push_back(line.labels.front());
  }
}

void ListReader::check(std::size_t index) const {
  if (index < size()) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "read sample",
                                            .object = list_,
                                            .found = fmt::format("sample {}", index),
                                            .allowed = fmt::format("less than {}", size())});
}

std::string_view ListReader::key(std::size_t index) const {
  const std::uint64_t begin = index == 0 ? 0 : path_ends_[index - 1];
  return std::string_view(paths_).substr(begin, path_ends_[index] - begin);
}

std::span<const float> ListReader::labels(std::size_t index) const {
  if (!several_labels_) return std::span(labels_).subspan(index, 1);
  const std::uint64_t begin = index == 0 ? 0 : label_ends_[index - 1];
  return std::span(labels_).subspan(begin, label_ends_[index] - begin);
}

RecordInfo ListReader::info(std::size_t index) const {
  check(index);
  return files_.info(key(index));
}

std::optional<std::uint64_t> ListReader::known_id(std::size_t index) const {
  check(index);
  return ids_[index];
}

void ListReader::read(std::size_t index, Sample& sample) const {
  check(index);
  files_.read(key(index), labels(index), sample);
}

std::optional<SourceFingerprint> ListReader::fingerprint() const {
  PathsCrc paths;
  for (std::size_t i = 0; i < size(); ++i) paths.add({key(i)});
  return SourceFingerprint{.files = true, .records = size(), .head_crc32c = paths.crc32c()};
}

}  // namespace stoker::record
