// What the bench verbs share.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "bench/spread.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

// {"min": …, "median": …, "max": …}
Json spread_json(const bench::Spread& spread);
// "0.982 (0.97-0.99)"
std::string told(const bench::Spread& spread);

void print(const Table& table, Output& out);

// What a measurement says while it runs: a bar over its runs, or a note before each of its parts.
class BenchTalk {
 public:
  explicit BenchTalk(Talk& talk) : talk_(talk), bar_(talk, "runs") {}
  void operator()(int done, int total);
  void operator()(const std::string& part) { talk_.note(part); }

 private:
  Talk& talk_;
  Progress bar_;
};

// What `measure` reports, its progress told meanwhile. Errors: those of `measure`.
template <typename Report, typename Bench, typename Callback>
Report measure_with_talk(const Call& call, const Bench& bench,
                         Report (*measure)(const Bench&, const Callback&, const std::atomic<bool>*)) {
  BenchTalk talk(call.talk);  // gone, and its bar with it, before anything is printed
  return measure(bench, std::ref(talk), &stop_requested());
}

// The report as JSON or for people.
template <typename Report>
void print_report(const Call& call, const CommonOptions& common, const Report& report,
                  Json (*to_json)(const Report&), void (*tell)(const Report&, Output&)) {
  if (common.json) {
    call.out.line(json_line(to_json(report)));
  } else {
    tell(report, call.out);
  }
}

// How a bench verb ends: measures, then prints. Errors: those of `measure`.
template <typename Report, typename Bench, typename Callback>
int measure_and_print(const Call& call, const CommonOptions& common, const Bench& bench,
                      Report (*measure)(const Bench&, const Callback&, const std::atomic<bool>*),
                      Json (*to_json)(const Report&), void (*tell)(const Report&, Output&)) {
  print_report(call, common, measure_with_talk(call, bench, measure), to_json, tell);
  return kDone;
}

}  // namespace stoker::cli
