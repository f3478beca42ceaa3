// Side files: there or not.
#pragma once

#include <memory>
#include <string>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

namespace stoker::record {

// An object that may be absent or unreadable: then none. Errors: out_of_resources, unavailable (used-up
// descriptors and servers that do not answer are no answer to whether there is one).
inline std::unique_ptr<ReadableFile> open_if_there(Store& store, const std::string& path) {
  try {
    return store.open_read(path);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
    return nullptr;
  }
}

}  // namespace stoker::record
