#include "pack/precompute.hpp"

#include "array/chain.hpp"
#include "pack/precompute_command.hpp"

namespace stoker::packing {

namespace {

class PrecomputeSteps final : public Precompute {
 public:
  explicit PrecomputeSteps(const std::string& steps) : chain_(steps) {}

  Result<std::span<const std::byte>> run(std::string_view, std::span<const std::byte> in) override {
    return chain_.run(in);
  }

 private:
  array::Chain chain_;
};

void check_one(const PrecomputeOptions& options) {
  if (options.steps.empty() || options.command.empty()) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "precompute",
                                            .found = "steps and a command",
                                            .allowed = "--precompute or --precompute-command",
                                            .next_step = "let the command do the steps, too"});
}

}  // namespace

std::unique_ptr<Precompute> make_precompute(const PrecomputeOptions& options) {
  check_one(options);
  if (!options.steps.empty()) return std::make_unique<PrecomputeSteps>(options.steps);
  if (!options.command.empty()) return std::make_unique<PrecomputeCommand>(options);
  return nullptr;
}

std::string canonical_text(const PrecomputeOptions& options) {
  check_one(options);
  return options.steps.empty() ? options.command : array::Chain(options.steps).to_string();
}

}  // namespace stoker::packing
