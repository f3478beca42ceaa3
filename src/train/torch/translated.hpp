// What PyTorch throws, as an Error.
#pragma once

#include <c10/util/Exception.h>
#include <exception>
#include <new>
#include <string>

#include "stoker/error.hpp"

namespace stoker::training {

// Whether that is what the allocators of PyTorch, oneDNN and CUDA say.
inline bool tells_of_memory(const std::string& text) {
  return text.find("allocate memory") != std::string::npos ||
         text.find("not enough memory") != std::string::npos ||
         text.find("out of memory") != std::string::npos;
}

// Runs `body`; Errors pass.
template <class Body>
auto translated(const char* operation, const Body& body) {
  const auto fail = [&](const std::string& found) {
    const bool no_memory = tells_of_memory(found);
    return Error(no_memory ? ErrorCode::out_of_resources : ErrorCode::internal,
                 {.operation = operation,
                  .object = "network",
                  .found = found,
                  .next_step = no_memory ? "use a smaller --batch-size or --image-shape"
                                         : "report it with the options that you used"});
  };
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw fail("not enough memory");
  } catch (const c10::Error& error) {
    throw fail(error.what_without_backtrace());
  } catch (const std::exception& error) {  // oneDNN's
    throw fail(error.what());
  }
}

}  // namespace stoker::training
