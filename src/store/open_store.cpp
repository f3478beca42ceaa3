#include "stoker/store.hpp"

#include "store/local_store.hpp"

namespace stoker {

void ReadableFile::prefetch(std::uint64_t, std::uint64_t) const {}

std::shared_ptr<Store> open_store(std::string_view url) {
  store::local_path(url);  // refuses what is not local
  return std::make_shared<store::LocalStore>();
}

}  // namespace stoker
