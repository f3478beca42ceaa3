// stoker inspect FILE...
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "base/cpus.hpp"
#include "base/in_order.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"
#include "image/decoder.hpp"
#include "image/sniff.hpp"

namespace stoker::cli {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;  // no image that this build reads is larger

struct Inspected {
  std::string path;
  std::optional<Error> unreadable;  // the file, not its content
  std::vector<std::byte> content;
  std::optional<ImageInfo> info;
  std::string status;
  std::string reason;
  std::optional<std::array<double, 3>> mean_rgb;

  std::size_t bytes() const { return content.size(); }
};

void read_file(Inspected& file) {
  try {
    const std::unique_ptr<ReadableFile> opened = open_store(file.path)->open_read(file.path);
    if (opened->bytes() > kMaxFileBytes) {
      throw Error(ErrorCode::out_of_resources,
                  {.operation = "read",
                   .object = file.path,
                   .found = fmt::format("{} bytes", opened->bytes()),
                   .allowed = fmt::format("at most {} for one image", kMaxFileBytes)});
    }
    file.content.resize(opened->bytes());
    file.content.resize(opened->read_at(0, file.content));
  } catch (const Error& error) {
    file.unreadable = error;
  }
}

std::array<double, 3> mean_of(const image::RgbView& pixels) {
  std::array<std::uint64_t, 3> sums{};
  for (int y = 0; y < pixels.height; ++y) {
    const std::uint8_t* row = pixels.data + static_cast<std::size_t>(y) * pixels.stride;
    for (int x = 0; x < pixels.width; ++x) {
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += row[static_cast<std::size_t>(x) * 3 + c];
    }
  }
  const double count = static_cast<double>(pixels.width) * pixels.height;
  std::array<double, 3> mean{};
  for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = static_cast<double>(sums[c]) / count;
  return mean;
}

void refuse(Inspected& file, const Error& error) {
  file.status = error.code() == ErrorCode::unsupported ? "unsupported" : "reject";
  file.reason = error.what();
}

void inspect_content(image::Decoder& decoder, std::uint64_t max_pixels, Inspected& file) {
  const Result<ImageInfo> info = decoder.info(file.content);
  if (info) {
    file.info = *info;
  } else {
    file.info =
        ImageInfo{.kind = image::sniff(file.content)};  // all that is known of a header that does not read
  }
  DecodeSpec spec;
  spec.max_pixels = max_pixels;
  const Result<image::Decoded> decoded = decoder.decode(file.content, spec);
  if (!decoded) return refuse(file, decoded.error());
  file.mean_rgb = mean_of(decoded->pixels);
  file.status = decoded->warning.empty() ? "ok" : "warn";
  file.reason = decoded->warning;
}

// What is not known is null, never 0 or "".
std::string as_json(const Inspected& file) {
  const ImageInfo info = file.info.value_or(ImageInfo{});
  const bool known = info.kind != ImageKind::unknown;
  const bool jpeg = info.kind == ImageKind::jpeg && info.width > 0;  // its header was read
  const auto or_null = [](bool is_known, const auto& value) {
    return is_known ? Json(value) : Json(nullptr);
  };
  Json json = json_object("inspect");
  json["path"] = file.path;
  json["kind"] = or_null(known, std::string(to_string(info.kind)));
  json["process"] = or_null(!info.process.empty(), info.process);
  json["width"] = or_null(info.width > 0, info.width);
  json["height"] = or_null(info.height > 0, info.height);
  json["components"] = or_null(info.components > 0, info.components);
  json["sampling"] = or_null(!info.sampling.empty(), info.sampling);
  json["restart_interval"] = or_null(jpeg, info.restart_interval);
  json["orientation"] = or_null(jpeg, info.orientation);
  json["status"] = file.status;
  json["reason"] = or_null(!file.reason.empty(), file.reason);
  json["mean_rgb"] = nullptr;
  if (file.mean_rgb)
    json["mean_rgb"] = {measured((*file.mean_rgb)[0]), measured((*file.mean_rgb)[1]),
                        measured((*file.mean_rgb)[2])};
  return json_line(json);
}

std::string as_text(const Inspected& file) {
  std::string text = file.path + ": " + file.status;
  if (file.info) {
    const ImageInfo& info = *file.info;
    if (info.kind != ImageKind::unknown) text += fmt::format(", {}", to_string(info.kind));
    if (!info.process.empty()) text += " " + info.process;
    if (info.width > 0 && info.height > 0) text += fmt::format(", {}x{}", info.width, info.height);
    if (info.components > 0)
      text += fmt::format(", {}", counted(static_cast<std::size_t>(info.components), "component"));
    if (!info.sampling.empty()) text += " " + info.sampling;
    if (info.restart_interval > 0) text += fmt::format(", restarts every {} MCUs", info.restart_interval);
    if (info.orientation > 1) text += fmt::format(", orientation {}", info.orientation);
  }
  if (file.mean_rgb)
    text += fmt::format(", mean {:.1f} {:.1f} {:.1f}", (*file.mean_rgb)[0], (*file.mean_rgb)[1],
                        (*file.mean_rgb)[2]);
  if (!file.reason.empty()) text += ": " + file.reason;
  return text;
}

}  // namespace

int run_inspect(const Call& call) {
  std::vector<std::string> paths;
  CommonOptions common;
  int threads = 0;
  std::uint64_t max_pixels = kDefaultMaxPixels;
  Options options(
      "inspect", "stoker inspect photos/*.jpg --json",
      "Tells what each image file is by its content, and decodes it: ok, warn (decoded with a complaint), "
      "reject (damaged or too large) or unsupported. A refused image is an answer; a file that cannot be "
      "read exits with 1.");
  options.positionals(paths, "FILE");
  declare_max_pixels(options, max_pixels);
  options.threads(threads, "--threads", "decoders");
  if (!call.parse(options, common)) return kDone;

  const int workers =
      std::min<int>(threads_or_allowed(threads), static_cast<int>(std::min<std::size_t>(paths.size(), 1024)));
  std::vector<image::Decoder> decoders(static_cast<std::size_t>(workers));
  std::size_t next = 0;
  int status = kDone;
  process_in_order<Inspected>(
      workers,
      [&](Inspected& file) {
        check_stop();
        if (next == paths.size()) return false;
        file = Inspected{};
        file.path = paths[next++];
        read_file(file);
        return true;
      },
      [&](int thread, Inspected& file) {
        if (!file.unreadable && !stop_requested().load(std::memory_order_relaxed))
          inspect_content(decoders[static_cast<std::size_t>(thread)], max_pixels, file);
      },
      [&](Inspected& file) {
        check_stop();
        if (file.unreadable) {
          status = kFailed;
          call.talk.error(file.unreadable->what());
          return;
        }
        if (common.json) {
          call.out.line(as_json(file));
        } else {
          call.tell(as_text(file));
        }
      },
      {.items = 32});
  return status;
}

}  // namespace stoker::cli
