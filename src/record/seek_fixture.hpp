// Sources with seek indexes whose points are noise, which is all the same to this room. Tests only.
#pragma once

#include <cstdlib>
#include <random>

#include "record/record_fixture.hpp"
#include "record/seek_index_writer.hpp"

namespace stoker::record {

// A container of ten records, "image 0 …", of a few hundred bytes each.
inline std::string seek_container(int records = 10) {
  std::string container;
  for (int i = 0; i < records; ++i)
    container += part(0, image_header(0, 1, static_cast<unsigned>(i)) + "image " + std::to_string(i) +
                             std::string(300 + static_cast<unsigned>(i) * 7, 'x'));
  return container;
}

// What an index holds of record i in these tests: every fifth record has none.
inline std::string packed_of(std::size_t record, unsigned points) {
  std::mt19937 random(static_cast<unsigned>(record));
  std::string bytes(points * 4, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}
inline bool is_indexable(std::size_t record) { return record % 5 != 4; }

class SeekIndexTest : public testing::Test {
 protected:
  // The user's own cache must not see these tests.
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", folder_.path("xdg").c_str(), 1);
    folder_.write("data/x.rec", seek_container());
  }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string container() const { return folder_.path("data/x.rec"); }
  std::string beside() const { return folder_.path("data/x.rec.seek"); }
  std::string index_bytes() const { return test::read_file(beside()); }

  std::unique_ptr<RecordReader> open(OpenOptions options = {}) const {
    return open_records(container(), options);
  }

  // Adds entries of records [first, last) with `points` points each.
  static void add(SeekIndexWriter& writer, const RecordReader& reader, std::size_t first, std::size_t last,
                  unsigned points = 20) {
    Sample sample;
    for (std::size_t i = first; i < last; ++i) {
      reader.read(i, sample);
      SeekEntry entry = describe_image(reader, i, sample);
      if (!is_indexable(i)) {
        entry.reason = 3;
        writer.add(i, entry, {});
        continue;
      }
      entry.points = points;
      writer.add(i, entry, bytes_of(packed_of(i, points)));
    }
  }
  SeekIndexPublished publish_all(const std::string& source, OpenOptions options = {}, unsigned points = 20) {
    const std::shared_ptr<RecordReader> reader = open_records(source, options);
    SeekIndexWriter writer(reader, options.index_dir);
    add(writer, *reader, 0, reader->size(), points);
    return writer.publish();
  }

  // The points that the reader gives with record i.
  static std::string points_of(const RecordReader& reader, std::size_t i) {
    Sample sample;
    reader.read(i, sample);
    return text_of(sample.seek_points);
  }
  static std::string expected_points(std::size_t i, unsigned points = 20) {
    return is_indexable(i) ? packed_of(i, points) : "";
  }

  test::TempDir folder_;
};

}  // namespace stoker::record
