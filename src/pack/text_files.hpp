// The text files beside a packed shard: NAME.lst and NAME.skipped.tsv.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/pack.hpp"
#include "stoker/store.hpp"

namespace stoker::packing {

// A file written line by line in large pieces. Nothing appears before commit(). Threads: one at a time.
class LineFile {
 public:
  LineFile(Store& store, const std::string& path) : file_(store.create(path)) {}
  // Errors: as WritableFile::append.
  void add(std::string_view line);
  // Makes all of it durable, still hidden. Errors: io, out_of_resources.
  void sync();
  void commit();

 private:
  void flush();

  std::unique_ptr<WritableFile> file_;
  std::string waiting_;
};

// `text` with backslash, tab, line feed and carriage return written as \\ \t \n \r.
std::string escape_field(std::string_view text);

// What an .lst says of a record before its key: id and labels (none: 0), each with a tab behind it.
std::string list_columns(std::string_view id, std::span<const float> labels);

// One line of an .lst: the columns and the key. A key with a tab or line break in it is escaped, as
// record::unescaped_path undoes it; any other stands as it is, backslashes too.
std::string list_line(std::uint64_t id, std::span<const float> labels, std::string_view key);

// The first line of NAME.skipped.tsv, and that of a sample, both fields escaped.
inline constexpr std::string_view kSkippedHead = "key\treason\n";
std::string skipped_line(std::string_view key, std::string_view reason);

// The first line of NAME.duplicates.tsv, and that of a sample: places in the source's order.
inline constexpr std::string_view kDuplicatesHead = "sample\tsame_as\n";
std::string duplicate_line(const DuplicateSample& duplicate);

}  // namespace stoker::packing
