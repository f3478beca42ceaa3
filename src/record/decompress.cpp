#include "record/decompress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <zlib.h>
#include <zstd.h>

#include "stoker/error.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 19;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, in a gzip wrapper
constexpr int kLargestZstdWindowLog = 27;

Error no_memory(const ReadableFile& file) {
  return Error(ErrorCode::out_of_resources,
               {.operation = "unpack", .object = file.path(), .found = "no memory"});
}

// The bytes of a file in pieces.
class Pieces {
 public:
  explicit Pieces(const ReadableFile& file)
      : file_(file), piece_(std::make_unique_for_overwrite<std::byte[]>(kPieceBytes)) {}

  // The piece behind the last one; empty at the end.
  std::span<const std::byte> next() {
    const std::size_t got = file_.read_at(offset_, std::span(piece_.get(), kPieceBytes));
    offset_ += got;
    return std::span<const std::byte>(piece_.get(), got);
  }
  // Behind the piece given last.
  std::uint64_t offset() const { return offset_; }

 private:
  const ReadableFile& file_;
  std::unique_ptr<std::byte[]> piece_;
  std::uint64_t offset_ = 0;
};

// Whether nothing but zero bytes is left: tape drives and copies by blocks leave such.
bool only_padding(std::span<const std::byte> rest, Pieces& pieces) {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
  while (!rest.empty()) {
    if (!std::all_of(rest.begin(), rest.end(), is_zero)) return false;
    rest = pieces.next();
  }
  return true;
}

class Inflater {
 public:
  explicit Inflater(const ReadableFile& file) {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw no_memory(file);
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

std::optional<Damage> gunzip(const ReadableFile& file, const ByteSink& sink) {
  Pieces pieces(file);
  Inflater inflater(file);
  z_stream& stream = inflater.stream();
  const auto out = std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);
  const auto offset = [&] { return pieces.offset() - stream.avail_in; };
  bool in_member = true;
  while (true) {
    if (stream.avail_in == 0) {
      const auto piece = pieces.next();
      if (piece.empty())
        return in_member ? std::optional(Damage{offset(), "the gzip stream ends early"}) : std::nullopt;
      // zlib reads from it; its interface is older than const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    if (!in_member) {
      if (stream.next_in[0] == 0) {
        const std::uint64_t at = offset();
        const std::span rest(reinterpret_cast<const std::byte*>(stream.next_in), stream.avail_in);
        if (only_padding(rest, pieces)) return std::nullopt;
        return Damage{at, "bytes behind the end of the gzip stream that are no gzip"};
      }
      ::inflateReset(&stream);
      in_member = true;
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.get());
    stream.avail_out = kPieceBytes;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    if (const std::size_t made = kPieceBytes - stream.avail_out; made > 0 && !sink({out.get(), made}))
      return std::nullopt;
    if (status == Z_STREAM_END) {
      in_member = false;
    } else if (status == Z_MEM_ERROR) {
      throw no_memory(file);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return Damage{offset(),
                    fmt::format("the gzip stream is damaged ({})", stream.msg ? stream.msg : "unknown")};
    }
  }
}

std::optional<Damage> unzstd(const ReadableFile& file, const ByteSink& sink) {
  Pieces pieces(file);
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) throw no_memory(file);
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kLargestZstdWindowLog);
  const auto out = std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);
  ZSTD_inBuffer in{};
  bool in_frame = true;
  while (true) {
    if (in.pos == in.size) {
      const auto piece = pieces.next();
      if (piece.empty())
        return in_frame ? std::optional(Damage{pieces.offset(), "the zstd stream ends early"}) : std::nullopt;
      in = {.src = piece.data(), .size = piece.size(), .pos = 0};
    }
    ZSTD_outBuffer made{.dst = out.get(), .size = kPieceBytes, .pos = 0};
    std::size_t status = 0;
    do {
      made.pos = 0;
      status = ZSTD_decompressStream(stream.get(), &made, &in);
      if (ZSTD_isError(status))
        return Damage{pieces.offset() - (in.size - in.pos),
                      fmt::format("the zstd stream is damaged ({})", ZSTD_getErrorName(status))};
      if (made.pos > 0 && !sink({out.get(), made.pos})) return std::nullopt;
    } while (made.pos == made.size);  // more may wait inside
    in_frame = status != 0;
  }
}

}  // namespace

std::string_view to_string(Compression compression) {
  return compression == Compression::gzip ? "gzip" : "zstd";
}

bool is_gzip(std::span<const std::byte> head) {
  return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
}

std::optional<Damage> decompress(Compression compression, const ReadableFile& file, const ByteSink& sink) {
  return compression == Compression::gzip ? gunzip(file, sink) : unzstd(file, sink);
}

}  // namespace stoker::record
