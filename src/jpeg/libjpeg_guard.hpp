// libjpeg's errors as values: the only place where its longjmp lives. Private to src/jpeg.
#pragma once

#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace stoker::jpeg {

// Error and warning handler of one libjpeg struct. Stays where it was made: the struct points to it.
class LibjpegGuard {
 public:
  LibjpegGuard();
  LibjpegGuard(const LibjpegGuard&) = delete;
  LibjpegGuard& operator=(const LibjpegGuard&) = delete;

  // Makes this the handler of `common`; before jpeg_create_*.
  template <class LibjpegStruct>
  void attach(LibjpegStruct& common) {
    common.err = &manager_;
    common.client_data = this;
  }

  // Runs `body`, which calls libjpeg; false if libjpeg gave up, and then error() tells why.
  // `body` may own nothing: what a longjmp leaves behind is never destroyed. It may touch what its caller
  // owns.
  template <class Body>
  bool run(Body&& body) {
    return run_trapped([](void* context) { (*static_cast<std::remove_reference_t<Body>*>(context))(); },
                       &body);
  }

  // Gives up from a callback that libjpeg called inside run().
  [[noreturn]] void give_up(ErrorCode code, const char* text);

  Error error(std::string_view operation) const;
  // The first complaint since the last clear(); empty: none.
  std::string_view warning() const { return warning_; }
  void clear();

 private:
  bool run_trapped(void (*body)(void*), void* context);
  static void on_error(j_common_ptr common);
  static void on_message(j_common_ptr common, int level);

  jpeg_error_mgr manager_{};
  void* jump_ = nullptr;  // the jmp_buf of the run() in progress
  ErrorCode code_ = ErrorCode::internal;
  char error_[JMSG_LENGTH_MAX] = "";
  char warning_[JMSG_LENGTH_MAX] = "";
};

}  // namespace stoker::jpeg
