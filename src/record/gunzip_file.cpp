#include "record/gunzip_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "stoker/error.hpp"

#include "record/decompress.hpp"
#include "record/record_index.hpp"

namespace stoker::record {

namespace {

// The temporary file is given out in pieces, so that files of unknown size can grow in it side by side. A
// piece that stays part empty takes no room on the disk.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

class UnpackedFile final : public ReadableFile {
 public:
  UnpackedFile(std::shared_ptr<const NamelessFile> file, std::string path, std::vector<std::uint64_t> pieces,
               std::uint64_t bytes)
      : file_(std::move(file)), path_(std::move(path)), pieces_(std::move(pieces)), bytes_(bytes) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_) return 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytes_ - offset));
    for (std::size_t done = 0; done < wanted;) {
      const std::uint64_t at = offset + done, inside = at % kPieceBytes;
      const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(wanted - done, kPieceBytes - inside));
      file_->read_at(pieces_[at / kPieceBytes] + inside, out.subspan(done, run));
      done += run;
    }
    return wanted;
  }
  std::uint64_t bytes() const override { return bytes_; }
  const std::string& path() const override { return path_; }

 private:
  const std::shared_ptr<const NamelessFile> file_;
  const std::string path_;
  const std::vector<std::uint64_t> pieces_;  // where each lies in the temporary file
  const std::uint64_t bytes_;
};

std::string folder_for(const std::string& index_dir) {
  if (!index_dir.empty()) return index_dir;
  if (std::string cache = user_index_folder("unpacked"); !cache.empty()) return cache;
  return std::filesystem::temp_directory_path().string();
}

Error no_space(const ReadableFile& packed, const std::string& folder, const Error& error) {
  return Error(
      ErrorCode::out_of_resources,
      {.operation = "unpack",
       .object = packed.path(),
       .found = fmt::format("no room in {}: {}", folder, error.parts().found),
       .next_step = fmt::format("free space there, name another folder for indexes (--index-dir), or "
                                "unpack the file yourself: gunzip {}",
                                packed.path())});
}

Error damaged(const ReadableFile& packed, const Damage& damage) {
  return Error(ErrorCode::corrupt_data,
               {.operation = "unpack",
                .object = fmt::format("{} at offset {}", packed.path(), damage.offset),
                .found = damage.reason,
                .next_step = "copy or fetch the file again"});
}

}  // namespace

GunzipArea::GunzipArea(const std::string& index_dir) : folder_(folder_for(index_dir)) {}

std::shared_ptr<NamelessFile> GunzipArea::file() {
  const MutexLock lock(mutex_);
  if (!file_) file_ = std::make_shared<NamelessFile>(folder_);
  return file_;
}

std::unique_ptr<ReadableFile> GunzipArea::unpack(const ReadableFile& packed) {
  const std::shared_ptr<NamelessFile> file = this->file();
  std::vector<std::uint64_t> pieces;
  std::uint64_t bytes = 0;
  const auto sink = [&](std::span<const std::byte> run) {
    while (!run.empty()) {
      const std::uint64_t inside = bytes % kPieceBytes;
      if (inside == 0) pieces.push_back(next_piece_.fetch_add(1) * kPieceBytes);
      const auto part = run.first(std::min<std::size_t>(run.size(), kPieceBytes - inside));
      file->write_at(pieces.back() + inside, part);
      bytes += part.size();
      run = run.subspan(part.size());
    }
    return true;
  };
  try {
    if (const auto damage = decompress(Compression::gzip, packed, sink)) throw damaged(packed, *damage);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources || error.parts().object != file->folder()) throw;
    throw no_space(packed, folder_, error);
  }
  return std::make_unique<UnpackedFile>(file, packed.path(), std::move(pieces), bytes);
}

std::vector<std::byte> gunzip_head(const ReadableFile& packed, std::size_t bytes) {
  std::vector<std::byte> head;
  const auto damage = decompress(Compression::gzip, packed, [&](std::span<const std::byte> run) {
    const auto part = run.first(std::min(run.size(), bytes - head.size()));
    head.insert(head.end(), part.begin(), part.end());
    return head.size() < bytes;
  });
  if (damage) throw damaged(packed, *damage);
  return head;
}

}  // namespace stoker::record
