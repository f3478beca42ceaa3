// The samples that a .lst names: "id \t label… \t path" a line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

#include "base/result.hpp"

namespace stoker::record {

// One line of a list.
struct ListLine {
  std::uint64_t id = 0;
  std::vector<float> labels;  // one or more
  std::string_view path;
};

// Parses a line that is neither blank nor a comment ('#' first). With two tabs or more, the last column is
// the path and all between are labels; else words are labels as long as they are numbers and another word
// follows, and the path is the rest. Errors: invalid_argument (what is wrong, without the file's name).
Result<void> parse_list_line(std::string_view line, ListLine& parsed);

bool is_blank_or_comment(std::string_view line);

// What the packer meant by a path that it escaped, since a tab or line break stands in it: \t \n \r and
// \\ undone. None where the path holds none of the first three, or a backslash before anything else: it was
// not escaped.
std::optional<std::string> unescaped_path(std::string_view path);

// Calls `visit` for each sample that a list names, which views it until the next.
// Errors: invalid_argument (a line that does not parse: its number is named; no samples), io.
void read_list(Store& store, const std::string& list, const std::function<void(const ListLine&)>& visit);

// The files that the paths of a list lead to. Threads: every const member from many at once.
class ListedFiles {
 public:
  // `root`: default: the folder of the list.
  ListedFiles(std::shared_ptr<Store> store, const std::string& list, const std::string& root);

  RecordInfo info(std::string_view key) const { return {.container = path(meant(key))}; }
  // Errors: as read_file_sample; where a file is not there, the root is named.
  void read(std::string_view key, std::span<const float> labels, Sample& sample) const;

 private:
  std::string path(std::string_view key) const;
  // The key as it was before the packer escaped it. A path that stands as it is written is taken so.
  std::string meant(std::string_view key) const;

  std::shared_ptr<Store> store_;
  std::string root_;
};

// Threads: every const member from many at once. Cost: the paths, and 20 bytes a sample.
class ListReader final : public RecordReader {
 public:
  // Errors: as read_list.
  ListReader(std::shared_ptr<Store> store, const std::string& list, const std::string& root,
             std::vector<std::string> classes);

  RecordFormat format() const override { return RecordFormat::list; }
  std::size_t size() const override { return ids_.size(); }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::string source_path() const override { return list_; }
  std::optional<SourceFingerprint> fingerprint() const override;
  std::span<const float> known_labels() const override { return several_labels_ ? first_labels_ : labels_; }
  std::optional<std::uint64_t> known_id(std::size_t index) const override;

 private:
  void add(const ListLine& line);
  void check(std::size_t index) const;
  std::string_view key(std::size_t index) const;
  std::span<const float> labels(std::size_t index) const;

  std::string list_;
  ListedFiles files_;
  std::vector<std::string> classes_;
  std::string paths_;                     // one behind another
  std::vector<std::uint64_t> path_ends_;  // of each sample, in paths_
  std::vector<std::uint64_t> ids_;
  std::vector<float> labels_;    // of all samples, one behind another
  bool several_labels_ = false;  // some sample has more than one: only then the two below are filled
  std::vector<std::uint64_t> label_ends_;  // of each sample, in labels_
  std::vector<float> first_labels_;
};

}  // namespace stoker::record
