#include "train/checkpoint_folder.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "stoker/error.hpp"

#include "store/leftovers.hpp"

namespace stoker::training {

namespace {

constexpr std::string_view kEnding = ".ckpt";
constexpr std::size_t kLeastEpochDigits = 4, kLeastStepDigits = 8;

// "models/flowers" → "models", "flowers".
std::pair<std::string, std::string> split(const std::string& prefix) {
  const std::size_t slash = prefix.rfind('/');
  if (slash == std::string::npos) return {".", prefix};
  return {prefix.substr(0, std::max<std::size_t>(slash, 1)), prefix.substr(slash + 1)};
}

std::optional<std::uint64_t> digits(std::string_view text, std::size_t least) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.size() < least || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What stands between the prefix and the ending: "-0003" or "-0003-00000420".
std::optional<CheckpointName> parse_name(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || !name.ends_with(kEnding) || name.size() < stem.size() + kEnding.size())
    return std::nullopt;
  name = name.substr(stem.size(), name.size() - stem.size() - kEnding.size());
  if (!name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  const std::size_t dash = name.find('-');
  const auto epoch = digits(name.substr(0, dash), kLeastEpochDigits);
  const auto step = dash == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                   : digits(name.substr(dash + 1), kLeastStepDigits);
  if (!epoch || !step || *epoch > std::uint64_t{kMostEpochs}) return std::nullopt;
  return CheckpointName{.epoch = static_cast<int>(*epoch), .step = *step};
}

std::string name_of(const ObjectInfo& object) { return object.path.substr(object.path.rfind('/') + 1); }

void remove_leftovers(Store& store, const std::string& folder, const std::string& stem) {
  store::Leftovers leftovers;
  for (const ObjectInfo& object : store.list_names(folder)) {
    const std::string name = store::final_name_of(name_of(object));
    if (parse_name(name, stem)) leftovers.remove(folder, name);
  }
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::shared_ptr<Store> store, std::string prefix)
    : store_(std::move(store)), prefix_(std::move(prefix)) {
  const auto [folder, stem] = split(prefix_);
  if (store_->info(folder)) remove_leftovers(*store_, folder, stem);
}

std::string CheckpointFolder::path_of(const Position& position) const {
  if (position.epoch_step == 0) return path_behind_epoch(position.epoch);
  return fmt::format("{}-{:04}-{:08}{}", prefix_, position.epoch, position.step, kEnding);
}

std::string CheckpointFolder::path_behind_epoch(int epochs) const {
  return fmt::format("{}-{:04}{}", prefix_, epochs, kEnding);
}

std::vector<CheckpointName> CheckpointFolder::list() const {
  const auto [folder, stem] = split(prefix_);
  std::vector<CheckpointName> found;
  if (!store_->info(folder)) return found;
  for (const ObjectInfo& object : store_->list_names(folder)) {
    const std::string name = name_of(object);
    auto parsed = parse_name(name, stem);
    if (!parsed || object.is_folder) continue;
    parsed->path = prefix_.substr(0, prefix_.size() - stem.size()) + name;
    found.push_back(std::move(*parsed));
  }
  std::ranges::sort(found, {}, [](const CheckpointName& name) { return std::pair(name.epoch, name.step); });
  return found;
}

Result<std::optional<Checkpoint>> CheckpointFolder::newest(std::vector<std::string>& skipped) const {
  for (const CheckpointName& name : list() | std::views::reverse) {
    auto checkpoint = read_checkpoint(*store_, name.path);
    if (checkpoint) return std::optional(std::move(*checkpoint));
    const Error& error = checkpoint.error();
    if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::not_found)
      return tl::unexpected(error);
    skipped.emplace_back(fmt::format("{} is passed over: {}", name.path, error.parts().found));
  }
  return std::optional<Checkpoint>();
}

void CheckpointFolder::write(const CheckpointHeader& header, const LearnerState& learner) const {
  const std::string bytes = learner.serialise();
  const std::unique_ptr<WritableFile> file = store_->create(path_of(header.position));
  write_checkpoint(*file, header, bytes);
  file->commit();
}

void CheckpointFolder::probe() const {
  // Dropped without commit(): nothing of it stays.
  store_->create(path_behind_epoch(0))->append(std::as_bytes(std::span("x", 1)));
}

void CheckpointFolder::prune(const Position& newest, int keep, const std::vector<std::string>& others) const {
  if (keep == 0) return;
  std::vector<CheckpointName> all = list();
  const std::pair last(newest.epoch, newest.epoch_step == 0 ? 0 : newest.step);
  std::erase_if(all, [&](const CheckpointName& name) { return std::pair(name.epoch, name.step) > last; });
  const std::size_t kept = std::min(all.size(), static_cast<std::size_t>(keep));
  for (const CheckpointName& name : all | std::views::take(all.size() - kept))
    if (std::ranges::find(others, name.path) == others.end()) store_->remove(name.path);
}

}  // namespace stoker::training
