// The text form of a loader's state.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"

#include "load/order.hpp"

namespace stoker {

namespace {

constexpr std::string_view kStateSchema = "stoker.loader_state/1";

[[noreturn]] void refuse(std::string_view text, std::string found, std::string allowed) {
  constexpr std::size_t kShown = 80;
  throw Error(ErrorCode::invalid_argument, {.operation = "parse loader state",
                                            .object = fmt::format("'{}'", text.substr(0, kShown)),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed)});
}

std::uint64_t number(const nlohmann::json& object, const char* name, std::string_view text) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(text, fmt::format("no '{}'", name), "a state that Loader::state() gave");
  if (!found->is_number_unsigned())
    refuse(text, fmt::format("'{}' is {}", name, found->dump()), "a whole number, 0 or more");
  return found->get<std::uint64_t>();
}

}  // namespace

std::string LoaderState::to_string() const {
  return fmt::format(R"({{"schema":"{}","seed":{},"epoch":{},"samples_done":{},"dataset_size":{}}})",
                     kStateSchema, seed, epoch, samples_done, dataset_size);
}

LoaderState LoaderState::parse(std::string_view text) {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) refuse(text, "no JSON object", "a state that Loader::state() gave");
  const auto schema = object.find("schema");
  if (schema == object.end() || *schema != kStateSchema) {
    refuse(text, schema == object.end() ? "no schema" : "schema " + schema->dump(),
           fmt::format("\"{}\"", kStateSchema));
  }
  LoaderState state;
  state.seed = number(object, "seed", text);
  state.epoch = number(object, "epoch", text);
  state.samples_done = number(object, "samples_done", text);
  state.dataset_size = number(object, "dataset_size", text);
  if (state.samples_done > state.dataset_size) {
    refuse(text, fmt::format("samples_done {}", state.samples_done),
           fmt::format("0..{}", state.dataset_size));
  }
  if (state.epoch >= load::kMaxEpochs) {
    refuse(text, fmt::format("epoch {}", state.epoch), fmt::format("below {}", load::kMaxEpochs));
  }
  return state;
}

}  // namespace stoker
