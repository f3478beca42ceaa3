// The store of this machine's file systems.
#pragma once

#include <string>
#include <string_view>

#include "stoker/store.hpp"

#include "store/leftovers.hpp"

namespace stoker::store {

// The scheme of a URL ("s3" of s3://bucket), or "" of a plain path.
std::string_view scheme_of(std::string_view url);

// The path behind a plain path or a file:// URL (%XX decoded).
// Errors: unsupported (another scheme, or a file URL that names another host), invalid_argument (a zero
// byte).
std::string local_path(std::string_view url);

// Threads: safe from many.
class LocalStore final : public Store {
 public:
  std::unique_ptr<ReadableFile> open_read(const std::string& path) override;
  std::optional<ObjectInfo> info(const std::string& path) override;
  std::vector<ObjectInfo> list(const std::string& folder) override;
  std::vector<ObjectInfo> list_names(const std::string& folder) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override;
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;

 private:
  Leftovers leftovers_;
};

}  // namespace stoker::store
