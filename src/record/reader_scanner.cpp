#include "record/reader_scanner.hpp"

#include "stoker/error.hpp"

namespace stoker::record {

RecordScanner::Step ReaderScanner::next(Sample& sample, RecordInfo& info, BadRecord& bad) {
  if (index_ >= reader_->size()) return Step::end;
  const std::size_t index = index_++;
  info = {.container = reader_->source_path()};
  try {
    info = reader_->info(index);
    reader_->read(index, sample);
    if (has_own_files(reader_->format())) info.bytes = sample.main().size();
    return Step::record;
  } catch (const Error& error) {
    // Full descriptors or a server that does not answer would condemn every sample behind this one.
    if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
    bad = {.container = info.container, .offset = info.offset, .key = "", .reason = error.what()};
    return Step::damage;
  }
}

}  // namespace stoker::record
