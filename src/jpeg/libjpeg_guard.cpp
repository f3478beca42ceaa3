#include "jpeg/libjpeg_guard.hpp"

#include <csetjmp>
#include <jerror.h>

namespace stoker::jpeg {

namespace {

ErrorCode code_of(int message) {
  switch (message) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
      return ErrorCode::unsupported;
    case JERR_NO_BACKING_STORE:
    case JERR_OUT_OF_MEMORY:
      return ErrorCode::out_of_resources;
    case JERR_BAD_BUFFER_MODE:
    case JERR_BAD_CROP_SPEC:
    case JERR_BAD_LIB_VERSION:
    case JERR_BAD_POOL_ID:
    case JERR_BAD_STATE:
    case JERR_BAD_STRUCT_SIZE:
    case JERR_BAD_VIRTUAL_ACCESS:
    case JERR_VIRTUAL_BUG:
      return ErrorCode::internal;
    default:
      return ErrorCode::corrupt_data;
  }
}

LibjpegGuard& guard_of(j_common_ptr common) { return *static_cast<LibjpegGuard*>(common->client_data); }

}  // namespace

LibjpegGuard::LibjpegGuard() {
  jpeg_std_error(&manager_);
  manager_.error_exit = on_error;
  manager_.emit_message = on_message;
  manager_.output_message = [](j_common_ptr) {};  // the library never prints
}

bool LibjpegGuard::run_trapped(void (*body)(void*), void* context) {
  std::jmp_buf here;
  if (setjmp(here) != 0) {
    jump_ = nullptr;
    return false;
  }
  jump_ = &here;
  body(context);
  jump_ = nullptr;
  return true;
}

void LibjpegGuard::give_up(ErrorCode code, const char* text) {
  code_ = code;
  std::snprintf(error_, sizeof error_, "%s", text);
  // Invariant: libjpeg is called inside run() alone, so there is somewhere to return to.
  std::longjmp(*static_cast<std::jmp_buf*>(jump_), 1);
}

void LibjpegGuard::on_error(j_common_ptr common) {
  char text[JMSG_LENGTH_MAX];
  common->err->format_message(common, text);
  guard_of(common).give_up(code_of(common->err->msg_code), text);
}

void LibjpegGuard::on_message(j_common_ptr common, int level) {
  if (level >= 0) return;  // traces
  ++common->err->num_warnings;
  LibjpegGuard& guard = guard_of(common);
  if (guard.warning_[0] == '\0') common->err->format_message(common, guard.warning_);
}

Error LibjpegGuard::error(std::string_view operation) const {
  return Error(code_, {.operation = std::string(operation), .found = error_});
}

void LibjpegGuard::clear() {
  manager_.num_warnings = 0;
  error_[0] = '\0';
  warning_[0] = '\0';
}

}  // namespace stoker::jpeg
