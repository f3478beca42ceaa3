// stoker ls SOURCE
#include <fmt/format.h>
#include <memory>

#include "stoker/record.hpp"

#include "base/cpus.hpp"
#include "base/crc.hpp"
#include "base/in_order.hpp"
#include "cli/exit_status.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

namespace {

struct Listed {
  RecordScanner::Step step = RecordScanner::Step::end;
  std::size_t index = 0;
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  std::string line;

  std::size_t bytes() const { return sample.buffer.size(); }
};

std::string as_json(const Listed& record, std::uint32_t crc) {
  Json json = json_object("ls");
  json["index"] = record.index;
  json["key"] = record.sample.key;
  json["container"] = record.info.container;
  json["offset"] = record.info.offset;
  json["labels"] = Json::array();
  for (const float label : record.sample.labels) json["labels"].push_back(exact(label));
  json["fields"] = Json::object();
  for (const Field& field : record.sample.fields) json["fields"][field.name] = field.bytes.size();
  json["crc32"] = hex32(crc);
  return json_line(json);
}

// Columns keep a usual width, for the widest cell of a source is known only at its end.
std::string as_text(std::string_view index, std::string_view offset, std::string_view crc,
                    std::string_view bytes, std::string_view labels, std::string_view key) {
  return printable(
      fmt::format("{:>7}  {:>12}  {:>8}  {:>9}  {:<12}  {}", index, offset, crc, bytes, labels, key));
}

std::string as_text(const Listed& record, std::uint32_t crc) {
  std::string labels;
  for (const float label : record.sample.labels)
    labels += fmt::format("{}{}", labels.empty() ? "" : ",", label);
  std::string bytes;
  for (const Field& field : record.sample.fields)
    bytes += fmt::format("{}{}", bytes.empty() ? "" : "+", field.bytes.size());
  return as_text(fmt::format("{}", record.index), fmt::format("{}", record.info.offset), hex32(crc), bytes,
                 labels.empty() ? "-" : labels, record.sample.key);
}

}  // namespace

int run_ls(const Call& call) {
  std::string source;
  OpenOptions open;
  CommonOptions common;
  int threads = 0;
  Options options(
      "ls", "stoker ls train.rec --json | head",
      "Lists the records of a source in their order: index, offset, CRC-32 and bytes of the main field, "
      "labels, key. Goes on past damage, tells it, and then exits with 1.");
  options.positional(source, "SOURCE");
  declare_open(options, open);
  options.threads(threads, "--threads", "that compute CRCs");
  if (!call.parse(options, common)) return kDone;

  const std::unique_ptr<RecordScanner> scanner = scan_records(source, open);
  std::size_t count = 0;
  int status = kDone;
  if (!common.json) call.out.line(as_text("index", "offset", "crc32", "bytes", "labels", "key"));
  process_in_order<Listed>(
      threads_or_allowed(threads),
      [&](Listed& record) {
        check_stop();
        record.step = scanner->next(record.sample, record.info, record.bad);
        if (record.step == RecordScanner::Step::record) record.index = count++;
        return record.step != RecordScanner::Step::end;
      },
      [&](int, Listed& record) {
        if (record.step != RecordScanner::Step::record) return;
        const std::uint32_t crc = crc32_zlib(record.sample.main());
        record.line = common.json ? as_json(record, crc) : as_text(record, crc);
      },
      [&](Listed& record) {
        if (record.step == RecordScanner::Step::record) {
          call.out.line(record.line);
          check_stop();
          return;
        }
        status = kFailed;
        call.talk.error(fmt::format("{}: {}", place_of(record.bad), record.bad.reason));
      });
  return status;
}

}  // namespace stoker::cli
