#include "cli/program.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include "stoker/error.hpp"

#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

namespace {

struct Verb {
  std::string_view name;  // one word, or two
  std::string_view purpose;
  int (*run)(const Call&);
};

constexpr std::array<Verb, 13> kVerbs{{
    {"synth", "make a small set of real JPEGs that a network can learn", run_synth},
    {"pack", "write a folder, list or container as a RecordIO container", run_pack},
    {"index", "find where decoding may begin within each JPEG of a source", run_index},
    {"ls", "list the records of a source", run_ls},
    {"verify", "check framing, indexes and manifest against the data", run_verify},
    {"inspect", "tell what image files are, and whether they decode", run_inspect},
    {"train", "train a ResNet on packed or plain photos", run_train},
    {"export", "write the weights of a checkpoint for PyTorch", run_export},
    {"doctor", "say why a training's GPU waits, and what a fix brings", run_doctor},
    {"bench decode", "decode routes beside plain libjpeg-turbo, one thread", run_bench_decode},
    {"bench load", "the loader at several thread numbers", run_bench_load},
    {"bench pack", "what packing costs in CPU time", run_bench_pack},
    {"bench start", "from nothing to the first batch of a large container", run_bench_start},
}};

// What verbs of two words have in common.
struct Group {
  std::string_view name;
  std::string_view example;
  std::string_view purpose;
};

constexpr std::array<Group, 1> kGroups{{
    {"bench", "stoker bench load train.rec --threads 1,2,auto",
     "Measures speed and memory, beside plain libjpeg-turbo in the same run."},
}};

std::string overview() {
  std::string text =
      "Example: stoker synth photos && stoker pack photos/train train.rec\n\n"
      "Stoker keeps GPUs fed: photos to packs to batches to a model.\n"
      "Usage: stoker VERB [arguments] [options]\n";
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<14}{}\n", verb.name, verb.purpose);
  text +=
      "  help [VERB]   this page, or a verb's own (also: stoker VERB --help)\n"
      "  --version     the program's version\n"
      "Every verb takes --json and --quiet. Data goes to standard output, talk to\n"
      "standard error. Exit: 0 done, 1 failed, 2 usage, 3 a check was not met,\n"
      "130 interrupted after a clean stop.";
  return text;
}

// "decode, load, …": the second words behind `first`; empty where `first` begins no two-word verb.
std::vector<std::string_view> second_words(std::string_view first) {
  std::vector<std::string_view> words;
  for (const Verb& verb : kVerbs) {
    if (verb.name.size() > first.size() && verb.name.starts_with(first) && verb.name[first.size()] == ' ')
      words.push_back(verb.name.substr(first.size() + 1));
  }
  return words;
}

bool asks_for_help(std::string_view argument) { return argument == "--help" || argument == "-h"; }

std::string group_page(const Group& group) {
  std::string text =
      fmt::format("Example: {}\n\n{}\nUsage: stoker {} {} [arguments] [options]\n", group.example,
                  group.purpose, group.name, fmt::join(second_words(group.name), "|"));
  for (const Verb& verb : kVerbs) {
    if (verb.name.starts_with(group.name)) text += fmt::format("  {:<14}{}\n", verb.name, verb.purpose);
  }
  return text + fmt::format("Each has a page of its own: stoker {} {} --help", group.name,
                            second_words(group.name).front());
}

// The page that belongs to no verb to run: the overview, or a group's; empty where none is asked for.
std::string page_without_verb(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "";
  const bool alone = arguments.size() == 1;
  if (alone && (asks_for_help(arguments[0]) || arguments[0] == "help")) return overview();
  if (arguments.size() != 2) return "";
  for (const Group& group : kGroups) {
    if (arguments[0] == "help" && arguments[1] == group.name) return group_page(group);
    if (arguments[0] == group.name && asks_for_help(arguments[1])) return group_page(group);
  }
  return "";
}

// An option where the verb should stand.
[[noreturn]] void refuse_option_first(Arguments arguments) {
  const std::string& first = arguments.front();
  static constexpr std::array<std::string_view, 2> kAlone{"--help", "--version"};
  if (asks_for_help(first) || first == kAlone[1])
    throw UsageError(fmt::format("'{}' stands alone, without '{}'", first, arguments[1]));
  for (const std::string& word : arguments.subspan(1)) {
    const bool is_verb =
        !second_words(word).empty() ||
        std::any_of(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) { return v.name == word; });
    if (is_verb) throw UsageError(fmt::format("options follow the verb: stoker {} ... {}", word, first));
  }
  throw UsageError(fmt::format("unknown option '{}'{}; a verb comes first, and its options follow it", first,
                               did_you_mean(nearest_spelling(first, kAlone))));
}

struct Found {
  const Verb* verb = nullptr;
  Arguments rest;
};

// Errors: UsageError, with the nearest verb.
Found find_verb(Arguments arguments) {
  const std::string& first = arguments.front();
  if (first.starts_with("-")) refuse_option_first(arguments);
  const std::vector<std::string_view> seconds = second_words(first);
  if (!seconds.empty()) {
    const std::string allowed = fmt::format("allowed: {}", fmt::join(seconds, ", "));
    if (arguments.size() < 2 || arguments[1].starts_with("-"))
      throw UsageError(fmt::format("'{}' needs a second word; {}", first, allowed));
    for (const Verb& verb : kVerbs) {
      if (verb.name == first + " " + arguments[1]) return {&verb, arguments.subspan(2)};
    }
    throw UsageError(fmt::format("unknown verb '{} {}'; {}{}", first, arguments[1], allowed,
                                 did_you_mean(nearest_spelling(arguments[1], seconds))));
  }
  std::vector<std::string_view> names{"help", "bench"};
  for (const Verb& verb : kVerbs) {
    if (verb.name == first) return {&verb, arguments.subspan(1)};
    names.push_back(verb.name);
  }
  names.emplace_back("--version");
  throw UsageError(fmt::format("unknown verb '{}'{}", first, did_you_mean(nearest_spelling(first, names))));
}

// `help VERB` is `VERB --help`.
std::vector<std::string> without_help_verb(std::vector<std::string> arguments) {
  if (arguments.size() < 2 || arguments[0] != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

// Runs `body` and turns what it throws into words and a status.
template <class Body>
int guarded(const std::string& name, const Output& out, Talk& talk, const Body& body) {
  try {
    return body();
  } catch (const UsageError& error) {
    talk.error(fmt::format("{}; see stoker {}{}--help", error.what(), name, name.empty() ? "" : " "));
    return kUsage;
  } catch (const Error& error) {
    const bool reader_left = error.code() == ErrorCode::cancelled && out.closed() && !interrupted();
    if (reader_left) return kDone;
    const bool told = error.code() != ErrorCode::cancelled || error.parts().operation == "interrupted";
    const std::string words = talk.options().told(error);
    talk.error(told ? words : "interrupted: " + words);
    return exit_status(error, talk.options());
  } catch (const std::bad_alloc&) {
    talk.error("out of memory");
    return kFailed;
  } catch (const std::exception& error) {
    talk.error(fmt::format("internal fault: {}", error.what()));
    return kFailed;
  }
}

int run_found(const Found& found) {
  const std::string name(found.verb->name);
  Output out;
  Talk talk(name);
  const int status = guarded(
      name, out, talk, [&] { return found.verb->run({.arguments = found.rest, .out = out, .talk = talk}); });
  // What was found before a failure is still told; only then does a failure to tell it count.
  return guarded(name, out, talk, [&] {
    out.flush();
    return out.closed() && interrupted() ? static_cast<int>(kInterrupted) : status;
  });
}

// A data file must never be opened under the number of a standard stream that the caller had closed.
void occupy_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened =
        open("/dev/null", O_RDONLY);  // lowest free number; writing to it fails, as to a closed one
    if (opened > 2) close(opened);
  }
}

}  // namespace

bool Call::parse(Options& options, CommonOptions& common) const {
  declare_common(options, common);
  talk.set_options(OptionWords(options.names(), arguments));
  if (!options.parse(arguments)) {
    std::string text = help_text(options.page());
    text.pop_back();
    out.line(text);
    return false;
  }
  talk.set_quiet(common.quiet);
  return true;
}

void Call::tell(std::string_view text) const { out.line(talk.options().spelled(printable(text))); }

void check_stop() {
  if (stop_requested().load(std::memory_order_relaxed))
    throw Error(ErrorCode::cancelled, {.operation = "interrupted"});
}

int run_program(int argc, char** argv) {
  occupy_standard_streams();
  install_signal_handlers();
  const std::vector<std::string> given(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string page = page_without_verb(given);
  const std::vector<std::string> arguments = without_help_verb(given);
  Output out;
  Talk talk("");
  Found found;
  const int status = guarded("", out, talk, [&] {
    if (arguments.empty()) throw UsageError("a verb is missing");
    if (!page.empty()) {
      out.line(page);
    } else if (arguments.size() == 1 && arguments[0] == "--version") {
      out.line("stoker " STOKER_VERSION);
    } else {
      found = find_verb(arguments);
    }
    out.flush();
    return static_cast<int>(kDone);
  });
  return found.verb != nullptr && status == kDone ? run_found(found) : status;
}

}  // namespace stoker::cli
