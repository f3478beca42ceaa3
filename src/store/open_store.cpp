#include "stoker/store.hpp"

#include "stoker/error.hpp"

#include "store/local_store.hpp"

namespace stoker {

void ReadableFile::prefetch(std::uint64_t, std::uint64_t) const {}

void Store::rename(const std::string& from, const std::string&) {
  throw Error(ErrorCode::unsupported,
              {.operation = "move", .object = from, .found = "a store that cannot move objects"});
}

std::shared_ptr<Store> open_store(std::string_view url) {
  store::local_path(url);  // refuses what is not local
  return std::make_shared<store::LocalStore>();
}

}  // namespace stoker
