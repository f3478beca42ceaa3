#include "train/checkpoint.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"

namespace stoker::training {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "STKRCKPT";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kSchema = "stoker.checkpoint/1";
constexpr std::uint64_t kMaxHeaderBytes = 16 << 20;
// Magic, version, header bytes, learner bytes, CRC-32C of the header, CRC-32C of the learner.
constexpr std::size_t kVersionAt = 8, kHeaderBytesAt = 12, kLearnerBytesAt = 16, kHeaderCrcAt = 24,
                      kLearnerCrcAt = 28, kFrontBytes = 32;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Json to_json(const TrainLine& line) {
  return {{"epoch", line.epoch},
          {"step", line.step},
          {"total_steps", line.total_steps},
          {"images_per_s", line.images_per_s},
          {"data_wait_share", line.data_wait_share},
          {"loss", line.loss},
          {"accuracy", line.accuracy},
          {"top_k_accuracy", optional_json(line.top_k_accuracy)},
          {"cost", optional_json(line.cost)}};
}

TrainLine evaluation_of(const Json& json) {
  TrainLine line{.phase = TrainPhase::eval};
  line.epoch = json.at("epoch").get<int>();
  line.step = json.at("step").get<std::uint64_t>();
  line.total_steps = json.at("total_steps").get<std::uint64_t>();
  line.images_per_s = json.at("images_per_s").get<double>();
  line.data_wait_share = json.at("data_wait_share").get<double>();
  line.loss = json.at("loss").get<double>();
  line.accuracy = json.at("accuracy").get<double>();
  line.top_k_accuracy = optional_number(json.at("top_k_accuracy"));
  line.cost = optional_number(json.at("cost"));
  return line;
}

Json to_json(const Position& position) {
  return {{"step", position.step},
          {"epoch", position.epoch},
          {"epoch_step", position.epoch_step},
          {"epochs_evaluated", position.epochs_evaluated},
          {"loader", position.loader}};
}

Json to_json(const History& history) {
  Json evaluations = Json::array();
  for (const TrainLine& line : history.evaluations) evaluations.push_back(to_json(line));
  const Stretch& training = history.training;
  const Goodput& goodput = history.goodput;
  return {{"training",
           {{"counted", training.outcome.counted},
            {"correct", training.outcome.correct},
            {"top_k_correct", training.outcome.top_k_correct},
            {"loss_sum", training.outcome.loss_sum},
            {"steps", training.steps},
            {"wait_s", training.wait_s},
            {"wall_s", training.wall_s}}},
          {"goodput",
           {{"train_s", goodput.train_s},
            {"data_wait_s", goodput.data_wait_s},
            {"evaluate_s", goodput.evaluate_s},
            {"checkpoint_s", goodput.checkpoint_s},
            {"other_s", goodput.other_s}}},
          {"wall_s", history.wall_s},
          {"evaluations", std::move(evaluations)}};
}

std::string header_text(const CheckpointHeader& header) {
  Json settings = Json::object();
  for (const auto& [name, value] : header.settings) settings[name] = value;
  const Json json{{"schema", kSchema},
                  {"network",
                   {{"num_layers", header.network.num_layers},
                    {"width", header.network.width},
                    {"num_classes", header.network.num_classes}}},
                  {"averaged", header.averaged},
                  {"position", to_json(header.position)},
                  {"history", to_json(header.history)},
                  {"settings", std::move(settings)}};
  // Bytes that are no UTF-8 (paths, for example) are replaced: a name in a message, not the data.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void read_history(const Json& json, History& history) {
  const Json& training = json.at("training");
  history.training.outcome.counted = training.at("counted").get<std::uint64_t>();
  history.training.outcome.correct = training.at("correct").get<std::uint64_t>();
  history.training.outcome.top_k_correct = training.at("top_k_correct").get<std::uint64_t>();
  history.training.outcome.loss_sum = training.at("loss_sum").get<double>();
  history.training.steps = training.at("steps").get<std::uint64_t>();
  history.training.wait_s = training.at("wait_s").get<double>();
  history.training.wall_s = training.at("wall_s").get<double>();
  const Json& goodput = json.at("goodput");
  history.goodput = {.train_s = goodput.at("train_s").get<double>(),
                     .data_wait_s = goodput.at("data_wait_s").get<double>(),
                     .evaluate_s = goodput.at("evaluate_s").get<double>(),
                     .checkpoint_s = goodput.at("checkpoint_s").get<double>(),
                     .other_s = goodput.at("other_s").get<double>()};
  history.wall_s = json.at("wall_s").get<double>();
  for (const Json& line : json.at("evaluations")) history.evaluations.push_back(evaluation_of(line));
}

// -1 where it is none, or beyond all epochs.
int whole_number(const Json& json) {
  const auto value = json.get<std::int64_t>();
  return value >= 0 && value <= kMostEpochs ? static_cast<int>(value) : -1;
}

// Throws nlohmann's exceptions where a field is missing or of another type.
CheckpointHeader header_of(const Json& json) {
  CheckpointHeader header;
  const Json& network = json.at("network");
  header.network = {.num_layers = network.at("num_layers").get<int>(),
                    .width = network.at("width").get<int>(),
                    .num_classes = network.at("num_classes").get<int>()};
  header.averaged = json.at("averaged").get<bool>();
  const Json& position = json.at("position");
  header.position = {.step = position.at("step").get<std::uint64_t>(),
                     .epoch = whole_number(position.at("epoch")),
                     .epoch_step = position.at("epoch_step").get<std::uint64_t>(),
                     .epochs_evaluated = whole_number(position.at("epochs_evaluated")),
                     .loader = position.at("loader").get<std::string>()};
  read_history(json.at("history"), header.history);
  for (const auto& [name, value] : json.at("settings").items())
    header.settings.emplace_back(name, value.get<std::string>());
  return header;
}

tl::unexpected<Error> damaged(const std::string& path, std::string found, std::string allowed = {}) {
  return fail(ErrorCode::corrupt_data, {.operation = "read checkpoint",
                                        .object = path,
                                        .found = std::move(found),
                                        .allowed = std::move(allowed),
                                        .next_step = "take an earlier checkpoint"});
}

// Whether a training can stand there.
bool is_possible(const Position& position) {
  return position.epoch >= 0 && position.epochs_evaluated >= 0 && position.epoch_step <= position.step;
}

Result<std::string> read_part(const ReadableFile& file, std::uint64_t offset, std::uint64_t bytes,
                              std::uint32_t crc, const char* part) {
  std::string text(bytes, '\0');
  if (file.read_at(offset, std::as_writable_bytes(std::span(text))) != bytes)
    return damaged(file.path(), fmt::format("its {} ends early", part));
  if (crc32c(bytes_of(text)) != crc)
    return damaged(file.path(), fmt::format("its {} does not have its checksum", part));
  return text;
}

}  // namespace

void write_checkpoint(WritableFile& file, const CheckpointHeader& header, std::string_view learner) {
  const std::string text = header_text(header);
  std::array<std::byte, kFrontBytes> front{};
  std::memcpy(front.data(), kMagic.data(), kMagic.size());
  store_le(front.data() + kVersionAt, kVersion);
  store_le(front.data() + kHeaderBytesAt, static_cast<std::uint32_t>(text.size()));
  store_le(front.data() + kLearnerBytesAt, static_cast<std::uint64_t>(learner.size()));
  store_le(front.data() + kHeaderCrcAt, crc32c(bytes_of(text)));
  store_le(front.data() + kLearnerCrcAt, crc32c(bytes_of(learner)));
  file.append(front);
  file.append(bytes_of(text));
  file.append(bytes_of(learner));
}

bool is_checkpoint(std::string_view bytes) { return bytes.starts_with(kMagic); }

bool is_checkpoint(Store& store, const std::string& path) {
  std::string front(kMagic.size(), '\0');
  store.open_read(path)->read_at(0, std::as_writable_bytes(std::span(front)));
  return is_checkpoint(front);
}

Result<Checkpoint> read_checkpoint(Store& store, const std::string& path) try {
  const std::unique_ptr<ReadableFile> file = store.open_read(path);
  std::array<std::byte, kFrontBytes> front{};
  if (file->read_at(0, front) != front.size())
    return damaged(path, fmt::format("{} bytes", file->bytes()), fmt::format("{} and more", kFrontBytes));
  if (std::memcmp(front.data(), kMagic.data(), kMagic.size()) != 0)
    return damaged(path, "it does not begin as a checkpoint of stoker train");
  if (const auto version = load_le<std::uint32_t>(front.data() + kVersionAt); version != kVersion)
    return fail(ErrorCode::unsupported, {.operation = "read checkpoint",
                                         .object = path,
                                         .found = fmt::format("version {}", version),
                                         .allowed = fmt::format("{}", kVersion)});
  const auto header_bytes = load_le<std::uint32_t>(front.data() + kHeaderBytesAt);
  const auto learner_bytes = load_le<std::uint64_t>(front.data() + kLearnerBytesAt);
  // Before anything is allocated: the sizes must be those of the file.
  const std::uint64_t behind = file->bytes() - kFrontBytes;
  if (header_bytes > kMaxHeaderBytes || header_bytes > behind || learner_bytes != behind - header_bytes)
    return damaged(
        path, fmt::format("{} bytes", file->bytes()),
        fmt::format("{} + {} + {}, which its front announces", kFrontBytes, header_bytes, learner_bytes));
  const auto text = read_part(*file, kFrontBytes, header_bytes,
                              load_le<std::uint32_t>(front.data() + kHeaderCrcAt), "header");
  if (!text) return tl::unexpected(text.error());
  auto learner = read_part(*file, kFrontBytes + header_bytes, learner_bytes,
                           load_le<std::uint32_t>(front.data() + kLearnerCrcAt), "state of the network");
  if (!learner) return tl::unexpected(learner.error());
  try {
    CheckpointHeader header = header_of(Json::parse(*text));
    if (!is_possible(header.position)) return damaged(path, "its position is none that a training can have");
    return Checkpoint{std::move(header), std::move(*learner)};
  } catch (const Json::exception& error) {
    return damaged(path, fmt::format("its header: {}", error.what()));
  }
} catch (const Error& error) {
  return tl::unexpected(error);
}

}  // namespace stoker::training
