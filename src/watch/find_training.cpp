#include "stoker/watch.hpp"

namespace stoker {

std::optional<TrainingProcess> find_training(const WatchOptions&) { return std::nullopt; }

}  // namespace stoker
