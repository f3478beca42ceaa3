#include "watch/trace_json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "watch/fields.hpp"

namespace stoker::watch {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTraceFamily = "stoker.trace/";

// A member that is none of ours, and where it stands: "snapshot.processes[0].pid".
struct Misfit {
  std::string place, found;
};

[[noreturn]] void refuse(const Json& json, const char* wanted) {
  constexpr std::size_t kQuoted = 40;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kQuoted) text = text.substr(0, kQuoted) + "…";
  throw Misfit{.place = {}, .found = fmt::format("{} where {} belongs", text, wanted)};
}

template <class T>
inline constexpr bool kIsReading = false;
template <class T>
inline constexpr bool kIsReading<Reading<T>> = true;

template <class T>
concept HasFields = requires(T& x) { fields(x, [](const char*, auto&) {}); };

template <class T>
Json to_json(const T& x);
template <class T>
Json to_json(const std::optional<T>& x);
template <class T>
Json to_json(const std::vector<T>& x);
// {"unknown": why}, or null where nobody asked.
template <class T>
Json to_json(const Reading<T>& x) {
  if (x.known()) return to_json(*x);
  if (x.why().empty()) return nullptr;
  return Json{{"unknown", x.why()}};
}

template <class T>
Json to_json(const std::optional<T>& x) {
  return x ? to_json(*x) : Json(nullptr);
}

template <class T>
Json to_json(const std::vector<T>& x) {
  Json json = Json::array();
  for (const T& one : x) json.push_back(to_json(one));
  return json;
}

template <class T>
Json to_json(const T& x) {
  if constexpr (HasFields<T>) {
    Json json = Json::object();
    // What is absent, empty or not asked for is left out: most of a snapshot of a log is. That a reading is
    // empty is known: no process on a GPU.
    fields(const_cast<T&>(x), [&json](const char* name, auto& member) {
      Json value = to_json(member);
      const bool empty = (value.is_string() && value.get_ref<const std::string&>().empty()) ||
                         (value.is_structured() && value.empty());
      if (value.is_null() || (empty && !kIsReading<std::remove_cvref_t<decltype(member)>>)) return;
      json[name] = std::move(value);
    });
    return json;
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, x);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(x) ? Json(x) : Json(nullptr);
  } else {
    return x;
  }
}

void from_json(const Json& json, std::string& x) {
  if (!json.is_string()) refuse(json, "a text");
  x = json.get<std::string>();
}
void from_json(const Json& json, char& x) {
  std::string text;
  from_json(json, text);
  x = text.empty() ? '?' : text[0];
}
template <class T>
  requires std::is_arithmetic_v<T>
void from_json(const Json& json, T& x) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits =
        json.is_number_integer() && (json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                               : std::in_range<T>(json.get<std::int64_t>()));
    if (!fits) refuse(json, "a whole number that fits");
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) refuse(json, "true or false");
  } else {
    if (!json.is_number()) refuse(json, "a number");
  }
  x = json.get<T>();
}
template <class T>
void from_json(const Json& json, std::optional<T>& x);
template <class T>
void from_json(const Json& json, std::vector<T>& x);
template <class T>
void from_json(const Json& json, Reading<T>& x);
template <HasFields T>
void from_json(const Json& json, T& x) {
  if (!json.is_object()) refuse(json, "an object");
  fields(x, [&json](const char* name, auto& member) {
    const auto found = json.find(name);
    if (found == json.end() || found->is_null()) return;
    try {
      from_json(*found, member);
    } catch (Misfit& misfit) {
      misfit.place = "." + (name + std::move(misfit.place));
      throw;
    }
  });
}
template <class T>
void from_json(const Json& json, std::optional<T>& x) {
  from_json(json, x.emplace());
}
template <class T>
void from_json(const Json& json, std::vector<T>& x) {
  if (!json.is_array()) refuse(json, "an array");
  x.clear();
  for (const Json& one : json) {
    try {
      from_json(one, x.emplace_back());
    } catch (Misfit& misfit) {
      misfit.place = fmt::format("[{}]{}", x.size() - 1, misfit.place);
      throw;
    }
  }
}
template <class T>
void from_json(const Json& json, Reading<T>& x) {
  if (json.is_object() && json.size() == 1 && json.contains("unknown")) {
    std::string why;
    from_json(json["unknown"], why);
    x = Reading<T>::unknown(std::move(why));
    return;
  }
  T value{};
  from_json(json, value);
  x = Reading<T>(std::move(value));
}

// Bytes of a name that are no UTF-8 come out as U+FFFD.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string head_line(std::int64_t pid) { return dump(Json{{"schema", kTraceSchema}, {"pid", pid}}); }

std::string to_line(const Snapshot& snapshot) { return dump(Json{{"snapshot", to_json(snapshot)}}); }

std::string to_line(const ProbeSeen& probe) { return dump(Json{{"probe", to_json(probe)}}); }

bool is_head_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  return schema != json.end() && schema->is_string() &&
         schema->get_ref<const std::string&>().starts_with(kTraceFamily);
}

Result<void> add_line(std::string_view line, const std::string& place, Trace& trace) {
  const auto corrupt = [&](std::string found, std::string allowed) {
    return fail(ErrorCode::corrupt_data, {.operation = "read trace",
                                          .object = place,
                                          .found = std::move(found),
                                          .allowed = std::move(allowed)});
  };
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return corrupt("no JSON object", "one object a line");
  try {
    if (const auto schema = json.find("schema"); schema != json.end()) {
      if (*schema != kTraceSchema)
        return fail(ErrorCode::unsupported, {.operation = "read trace",
                                             .object = place,
                                             .found = fmt::format("schema {}", dump(*schema)),
                                             .allowed = std::string(kTraceSchema),
                                             .next_step = "read it with the Stoker that wrote it"});
      if (const auto pid = json.find("pid"); pid != json.end()) from_json(*pid, trace.pid);
    } else if (const auto snapshot = json.find("snapshot"); snapshot != json.end()) {
      Snapshot read;
      from_json(*snapshot, read);
      trace.snapshots.push_back(std::move(read));
    } else if (const auto probe = json.find("probe"); probe != json.end()) {
      from_json(*probe, trace.probe.emplace());
    }
  } catch (const Misfit& misfit) {
    const std::string_view member = misfit.place;
    return corrupt(member.empty() ? misfit.found : fmt::format("{}: {}", member.substr(1), misfit.found),
                   "the members of docs/formats/trace.md");
  }
  return {};
}

}  // namespace stoker::watch
