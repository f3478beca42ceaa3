// stoker doctor
#include "stoker/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>

#include "stoker/error.hpp"
#include "stoker/watch.hpp"

#include "bench/storage_probe.hpp"
#include "cli/child.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"
#include "show/report_json.hpp"
#include "show/report_text.hpp"

namespace stoker::cli {

namespace {

struct DoctorCall {
  std::int64_t pid = 0;
  std::vector<std::string> command;
  double seconds = 30;
  bool seconds_given = false;
  std::string trace, record, check;
  bool probe = false;
  DiagnoseOptions diagnose;
};

void declare(Options& options, DoctorCall& doctor) {
  options.rest(doctor.command, "COMMAND");
  options.custom(
      "--pid", "N", "the busiest training", "process to watch, with all it started",
      [&doctor](std::string_view text) { doctor.pid = parse_integer(text, {.low = 1, .high = 4194304}); });
  options.custom("--seconds", "T", fmt::format("{:.0f}", doctor.seconds), "how long to watch",
                 [&doctor](std::string_view text) {
                   doctor.seconds = parse_seconds(text);
                   doctor.seconds_given = true;
                 });
  options.text(doctor.check, "--check", "C,...", "exit with 3 unless it holds: gpu>=80, stall<0.1");
  options.text(doctor.trace, "--trace", "F", "a recorded trace or a GPU log instead of this machine");
  options.text(doctor.record, "--record", "F", "keep what was seen, for --trace");
  options.flag(doctor.probe, "--probe", "read and decode some of its files too: costs the training a little");
  options.custom("--batch-size", "N", "", "images a step; with a visible period it gives images/s",
                 [&doctor](std::string_view text) {
                   doctor.diagnose.batch_size =
                       static_cast<double>(parse_integer(text, {.low = 1, .high = 1e7}));
                 });
  options.custom("--images-per-s", "X", "", "what the training says itself",
                 [&doctor](std::string_view text) {
                   doctor.diagnose.images_per_s = parse_real(text, {.low = 0, .high = 1e9, .low_open = true});
                 });
  options.custom("--price", "X/h", "", "what the machine costs: tells the money lost",
                 [&doctor](std::string_view text) { doctor.diagnose.price_per_hour = parse_price(text); });
}

void refuse_contradictions(const DoctorCall& doctor) {
  if (!doctor.trace.empty()) {
    const char* other = doctor.pid != 0           ? "--pid"
                        : !doctor.command.empty() ? "a command"
                        : !doctor.record.empty()  ? "--record"
                        : doctor.probe            ? "--probe"
                        : doctor.seconds_given    ? "--seconds"
                                                  : nullptr;
    if (other != nullptr)
      throw UsageError(fmt::format("--trace is of the past: {} does not go with it", other));
  }
  if (doctor.record == "-") throw UsageError("--record writes a file: standard output is the report's");
  if (doctor.pid != 0 && !doctor.command.empty()) throw UsageError("--pid or a command, not both");
  // A condition that does not parse is told before anything is watched.
  try {
    if (!doctor.check.empty()) check_report(doctor.check, Report{});
  } catch (const Error& error) {
    const auto& parts = error.parts();
    throw UsageError(fmt::format("--check {}: found {}; allowed: {}{}", parts.object, parts.found,
                                 parts.allowed, parts.next_step.empty() ? "" : "; " + parts.next_step));
  }
}

std::string name_of(const Snapshot& snapshot, std::int64_t pid) {
  constexpr std::size_t kCommandShown = 56;  // a line, with what stands around it
  for (const ProcessSeen& process : snapshot.processes) {
    if (process.pid == pid)
      return fmt::format(
          "{} (pid {})",
          show::elided(printable(process.command.empty() ? process.name : process.command), kCommandShown),
          pid);
  }
  return pid == 0 ? "this machine" : fmt::format("pid {}", pid);
}

// What is watched, and until when.
class Watch {
 public:
  Watch(const Call& call, const DoctorCall& doctor) : call_(call), doctor_(doctor) {
    if (!doctor.command.empty()) child_ = std::make_unique<Child>(doctor.command);
    options_.pid = child_ ? child_->pid() : doctor.pid;
    if (options_.pid == 0)
      find();
    else if (!child_)
      take_training();
  }

  // How it came that this process is watched, and not another one; empty where it was named.
  const std::string& chosen() const { return chosen_; }
  Child* child() const { return child_.get(); }

  Trace run() {
    Trace trace;
    trace.source = "live";
    trace.kind = "stoker";
    trace.pid = options_.pid;
    Watcher watcher = look();
    std::unique_ptr<TraceWriter> record;
    if (!doctor_.record.empty()) record = std::make_unique<TraceWriter>(doctor_.record, options_.pid);
    const auto keep = [&](Snapshot snapshot) {
      if (record) record->append(snapshot);
      trace.snapshots.push_back(std::move(snapshot));
    };
    keep(watcher.first());
    call_.talk.note(fmt::format("watching {} for {:.0f} s",
                                printable(name_of(trace.snapshots.front(), options_.pid)), doctor_.seconds));
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(doctor_.seconds - 0.5);
    while (std::chrono::steady_clock::now() < end && !stop_requested().load() && lives(watcher))
      keep(watcher.next());
    if (doctor_.probe && !stop_requested().load()) {
      trace.probe = probe(files_of(trace));
      if (record && trace.probe) record->append(*trace.probe);
    }
    return trace;
  }

 private:
  Watcher look() {
    try {
      return Watcher(options_);
    } catch (const Error&) {
      if (!child_ || !child_->ended()) throw;
      throw Error(ErrorCode::not_found, {.operation = "watch",
                                         .object = doctor_.command[0],
                                         .found = child_->ended()->text() + " before anything could be seen",
                                         .allowed = "",
                                         .next_step = ""});
    }
  }

  void find() {
    const std::optional<TrainingProcess> found = find_training(options_);
    if (!found) {
      chosen_ = "no training was found on this machine: it is watched as a whole; --pid names a process";
      call_.talk.note(chosen_);
      return;
    }
    options_.pid = found->pid;
    chosen_ = fmt::format("nobody named a process: pid {} was taken because it {}; --pid names another",
                          found->pid, found->why);
    call_.talk.note(fmt::format("found {} (pid {}): {}", printable(found->command), found->pid, found->why));
  }

  void take_training() {
    const TrainingProcess training = training_of(options_);
    if (training.why.empty()) return;
    options_.pid = training.pid;
    chosen_ = fmt::format("{}: pid {} is watched", training.why, training.pid);
    call_.talk.note(chosen_);
  }

  bool lives(const Watcher& watcher) {
    if (child_ && child_->ended()) {
      call_.talk.note("the command " + child_->ended()->text());
      return false;
    }
    if (options_.pid == 0 || watcher.watched_process_lives()) return true;
    call_.talk.note(fmt::format("the watched process (pid {}) ended", options_.pid));
    return false;
  }

  std::optional<ProbeSeen> probe(const std::vector<std::string>& files) {
    if (files.empty()) {
      call_.talk.note("--probe: no file of the data set was seen open, so nothing is read or decoded");
      return std::nullopt;
    }
    try {
      return bench::probe_training(files, {}, &stop_requested());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) return std::nullopt;  // what was seen is told all the same
      throw;
    }
  }

  static std::vector<std::string> files_of(const Trace& trace) {
    std::vector<std::string> files;
    for (const Snapshot& snapshot : trace.snapshots) {
      for (const ProcessSeen& process : snapshot.processes)
        for (const FileSeen& file : process.files) files.push_back(file.path);
    }
    return files;
  }

  const Call& call_;
  const DoctorCall& doctor_;
  std::unique_ptr<Child> child_;  // the command outlives the watching, and is waited for
  WatchOptions options_;
  std::string chosen_;
};

show::TextStyle style_of_terminal() {
  show::TextStyle style;
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    style.columns = size.ws_col;
  const char* no_colour = std::getenv("NO_COLOR");
  style.colours = terminal && (no_colour == nullptr || *no_colour == '\0');
  return style;
}

// Of the command as the report is written: it may run on.
std::string told(const Child& command, const std::optional<Child::End>& end) {
  return fmt::format("the command (pid {}) {}", command.pid(), end ? end->text() : "still runs");
}

Json command_json(const Child& command, const std::optional<Child::End>& end) {
  Json json = {{"pid", command.pid()}, {"running", !end}, {"exit_status", nullptr}, {"signal", nullptr}};
  if (end && end->exit_status()) json["exit_status"] = *end->exit_status();
  if (end && end->signal()) json["signal"] = *end->signal();
  return json;
}

// The answer is out: the command runs on, and what is sent to us is meant for it too.
void wait_for(const Call& call, Child& command) {
  if (command.ended()) return;
  call.talk.note(fmt::format("waiting for the command (pid {}) to end", command.pid()));
  const Child::End end = command.wait([&](int signal) {
    call.talk.note(
        fmt::format("passed SIG{} on to the command (pid {})", sigabbrev_np(signal), command.pid()));
  });
  call.talk.note("the command " + end.text());
}

void tell(const Call& call, const Trace& trace, const Report& report, const std::vector<Check>& checks) {
  std::string subject = fmt::format("{} ({})", trace.source, trace.kind);
  if (trace.source == "live" || trace.kind == "stoker") {
    subject = trace.snapshots.empty() ? trace.source : name_of(trace.snapshots.front(), trace.pid);
    if (trace.source != "live") subject = fmt::format("{}: {}", trace.source, subject);
  }
  for (const std::string& line : show::report_text(report, subject, style_of_terminal())) call.out.line(line);
  for (const Check& check : checks)
    // As it is: `images_per_s` is the name of a quantity here, and of no option.
    call.out.line(
        printable(fmt::format("check {}: {}, {}", check.text, check.met ? "met" : "NOT met", check.found)));
}

}  // namespace

int run_doctor(const Call& call) {
  DoctorCall doctor;
  CommonOptions common;
  Options options(
      "doctor", "stoker doctor --pid 4711",
      "Says why a training's GPU waits, and what a fix would bring. Watches from outside: nothing "
      "is changed or slowed. A COMMAND is started, and watched.");
  declare(options, doctor);
  if (!call.parse(options, common)) return kDone;
  refuse_contradictions(doctor);

  std::unique_ptr<Watch> watch;  // a started command is waited for when the answer is out
  Trace trace;
  if (doctor.trace.empty()) {
    watch = std::make_unique<Watch>(call, doctor);
    trace = watch->run();
  } else {
    trace = read_trace(doctor.trace == "-" ? "/dev/stdin" : doctor.trace);
  }
  Report report = diagnose(trace, doctor.diagnose);
  if (watch && !watch->chosen().empty()) report.causes.insert(report.causes.begin(), watch->chosen());
  Child* const command = watch ? watch->child() : nullptr;
  const std::optional<Child::End> end = command ? command->ended() : std::nullopt;
  std::vector<Check> checks;
  if (!doctor.check.empty()) checks = check_report(doctor.check, report);
  if (common.json) {
    Json json = show::report_json(report, checks);
    json["command"] = command ? command_json(*command, end) : Json(nullptr);
    call.out.line(json_line(json));
  } else {
    tell(call, trace, report, checks);
    if (command) call.tell(told(*command, end));
  }
  call.out.flush();
  if (command) wait_for(call, *command);
  watch.reset();
  if (interrupted()) return kInterrupted;
  const bool met = std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.met; });
  return met ? kDone : kCheckNotMet;
}

}  // namespace stoker::cli
