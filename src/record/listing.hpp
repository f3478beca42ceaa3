// The samples of a folder or list, listed once into a file: read again without a walk, and without memory
// that grows with their number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// What the listing is of. Format and layout: listing.cpp; a file of the program's own, no interchange.
struct ListingSource {
  RecordFormat format = RecordFormat::folder;
  std::string source;  // the folder or list
  std::string root;    // of the paths in a list
  std::vector<std::string> classes;
  std::vector<std::string> other_files;  // of a folder: OtherFiles::told()
  std::uint64_t repeated_ids = 0;        // of a list: lines with the id of an earlier one
};

// Walks the folder or list `source` and writes its listing to `path` of `to`, whole or not at all.
// `with_sizes`: the size of each file is asked for, too. `index` of folders: code-point order, as
// open_records gives it. Errors: as open_records; io and out_of_resources of the file.
struct ListingOptions {
  std::string root;                  // of a list; default: its own folder
  std::vector<std::string> classes;  // of a folder: fixes its class map; of a list: names by label
  bool with_sizes = false;
};
void write_listing(Store& source_store, RecordFormat format, const std::string& source,
                   const ListingOptions& options, Store& to, const std::string& path);

// Reads samples by a listing. Threads: every const member from many at once. Cost: two small reads a sample
// beside its own.
class ListingReader final : public RecordReader {
 public:
  // `store`: that of the samples. Errors: corrupt_data, unsupported, io.
  ListingReader(std::shared_ptr<Store> store, std::unique_ptr<ReadableFile> listing);
  ~ListingReader() override;

  const ListingSource& source() const { return source_; }

  RecordFormat format() const override { return source_.format; }
  std::size_t size() const override { return static_cast<std::size_t>(count_); }
  const std::vector<std::string>& classes() const override { return source_.classes; }
  // With the size that the file had when it was listed, if that was asked for.
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::string source_path() const override { return source_.source; }
  std::optional<SourceFingerprint> fingerprint() const override;
  std::optional<std::uint64_t> known_id(std::size_t index) const override;

 private:
  struct Entry;
  Entry entry(std::size_t index) const;

  const std::shared_ptr<Store> store_;
  const std::unique_ptr<ReadableFile> file_;
  ListingSource source_;
  std::uint64_t count_ = 0;
  std::uint64_t table_at_ = 0;
  class Files;
  std::unique_ptr<Files> files_;
};

}  // namespace stoker::record
