// stoker verify SOURCE
#include <fmt/format.h>

#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"
#include "pack/verify_source.hpp"

namespace stoker::cli {

namespace {

constexpr std::size_t kBadTold = 20;  // to people; JSON has all

Json to_json(const packing::VerifyReport& report) {
  Json json = json_object("verify");
  json["records"] = report.records;
  json["ok"] = report.ok;
  json["warned"] = report.warned;
  json["bad"] = Json::array();
  for (const BadRecord& bad : report.bad) {
    json["bad"].push_back({{"container", bad.container},
                           {"offset", bad.offset},
                           {"key", bad.key.empty() ? Json(nullptr) : Json(bad.key)},
                           {"reason", bad.reason}});
  }
  return json;
}

void tell(const packing::VerifyReport& report, const Call& call) {
  for (std::size_t i = 0; i < report.bad.size() && i < kBadTold; ++i) {
    const BadRecord& bad = report.bad[i];
    call.tell(fmt::format("bad: {}: {}", place_of(bad), bad.reason));
  }
  if (report.bad.size() > kBadTold)
    call.out.line(fmt::format("and {} more; --json has all", report.bad.size() - kBadTold));
  if (!report.first_warning.empty()) call.tell(fmt::format("first warning: {}", report.first_warning));
  call.out.line(fmt::format("{}: {} ok, {} warned, {} bad", counted(report.records, "record"),
                            grouped(report.ok), grouped(report.warned), report.bad.size()));
}

}  // namespace

int run_verify(const Call& call) {
  packing::VerifyOptions verify;
  CommonOptions common;
  Options options("verify", "stoker verify train.rec --decode",
                  "Reads a source whole, shards side by side, and checks framing, CRCs, indexes, list and "
                  "dataset manifest "
                  "against the data. Exits with 3 if anything is bad.");
  options.positional(verify.source, "SOURCE");
  options.flag(verify.decode, "--decode", "decode every image too");
  options.threads(verify.threads, "--threads", "shards side by side; decoders");
  declare_max_pixels(options, verify.max_pixels);
  declare_open(options, verify.open);
  if (!call.parse(options, common)) return kDone;

  packing::VerifyReport report;
  {
    Progress progress(call.talk, "records");
    report =
        verify_source(verify, [&](std::uint64_t records) { progress.update(records, 0); }, stop_requested());
  }
  if (common.json) {
    call.out.line(json_line(to_json(report)));
  } else {
    tell(report, call);
  }
  return report.bad.empty() ? kDone : kCheckNotMet;
}

}  // namespace stoker::cli
