#include "train/event_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "base/os_error.hpp"
#include "base/transfer.hpp"

namespace stoker::training {

namespace {

// Protocol buffers, as far as events need them: a key is field << 3 | wire type.
enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, unsigned field, WireType type) { put_varint(out, field << 3 | type); }

template <class T>
void put_fixed(std::string& out, unsigned field, T value) {
  put_key(out, field, sizeof value == 8 ? kFixed64 : kFixed32);
  std::array<std::byte, sizeof value> bytes{};
  store_le(bytes.data(), value);
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void put_integer(std::string& out, unsigned field, std::uint64_t value) {
  put_key(out, field, kVarint);
  put_varint(out, value);
}

void put_bytes(std::string& out, unsigned field, std::string_view value) {
  put_key(out, field, kBytes);
  put_varint(out, value.size());
  out += value;
}

namespace event {
constexpr unsigned kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace summary {
constexpr unsigned kValue = 1, kTag = 1, kSimpleValue = 2;
}
namespace session_log {
constexpr unsigned kStatus = 1, kStart = 1;
}

std::string begin_event(std::uint64_t step) {
  std::string out;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  put_fixed(out, event::kWallTime, now.count());
  if (step != 0) put_integer(out, event::kStep, step);
  return out;
}

// Source: TFRecord: CRCs are rotated and offset, so that a CRC of data that holds CRCs stays sound.
std::uint32_t masked_crc(std::span<const std::byte> bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

tl::unexpected<Error> refused(const std::string& path, int error) {
  return tl::unexpected(os_error("write events", path, error));
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

}  // namespace

Result<EventFile> EventFile::create(const std::string& folder, std::uint64_t first_step) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refused(folder, error.value());
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  Descriptor opened;
  std::string path;
  for (int attempt = 0; !opened && attempt < 100; ++attempt) {
    path = fmt::format("{}/events.out.tfevents.{}.{}.{}.{}", folder, seconds.count(), host_name(), ::getpid(),
                       attempt);
    opened = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (!opened && errno != EEXIST) break;
  }
  if (!opened) return refused(path, errno);
  EventFile file(path, std::move(opened));
  std::string version = begin_event(0);
  put_bytes(version, event::kFileVersion, "brain.Event:2");
  if (const auto written = file.write_record(version); !written) return tl::unexpected(written.error());
  std::string start = begin_event(first_step);
  std::string log;
  put_integer(log, session_log::kStatus, session_log::kStart);
  put_bytes(start, event::kSessionLog, log);
  if (const auto written = file.write_record(start); !written) return tl::unexpected(written.error());
  return file;
}

Result<void> EventFile::write_record(std::string_view event) {
  const auto as_bytes = [](std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  };
  std::vector<std::byte> record(8 + 4 + event.size() + 4);
  store_le(record.data(), static_cast<std::uint64_t>(event.size()));
  store_le(record.data() + 8, masked_crc({record.data(), 8}));
  std::memcpy(record.data() + 12, event.data(), event.size());
  store_le(record.data() + 12 + event.size(), masked_crc(as_bytes(event)));
  const auto write = [this](const std::byte* from, std::size_t bytes) {
    return ::write(file_.get(), from, bytes);
  };
  const Transfer done = write_full(write, record);
  if (done.error_number != 0) return refused(path_, done.error_number);
  return {};
}

Result<void> EventFile::add(std::uint64_t step, std::span<const Scalar> scalars) {
  std::string values;
  for (const Scalar& scalar : scalars) {
    std::string value;
    put_bytes(value, summary::kTag, scalar.tag);
    put_fixed(value, summary::kSimpleValue, static_cast<float>(scalar.value));
    put_bytes(values, summary::kValue, value);
  }
  std::string out = begin_event(step);
  put_bytes(out, event::kSummary, values);
  return write_record(out);
}

Result<void> add_line(EventFile& file, const TrainLine& line) {
  const bool training = line.phase == TrainPhase::train;
  std::vector<Scalar> scalars{{training ? "train/loss" : "eval/loss", line.loss},
                              {training ? "train/accuracy" : "eval/accuracy", line.accuracy},
                              {training ? "train/images_per_s" : "eval/images_per_s", line.images_per_s}};
  if (line.top_k_accuracy)
    scalars.push_back({training ? "train/top_k_accuracy" : "eval/top_k_accuracy", *line.top_k_accuracy});
  if (training) scalars.push_back({"train/data_wait_share", line.data_wait_share});
  if (line.lr) scalars.push_back({"train/lr", *line.lr});
  if (line.cost) scalars.push_back({"cost", *line.cost});
  return file.add(line.step, scalars);
}

}  // namespace stoker::training
