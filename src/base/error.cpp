#include "stoker/error.hpp"

#include <utility>

namespace stoker {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::corrupt_data:
      return "corrupt_data";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::io:
      return "io";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::out_of_resources:
      return "out_of_resources";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

namespace {

std::string sentence(const ErrorParts& parts) {
  std::string text = parts.operation;
  if (!parts.object.empty()) text += (text.empty() ? "" : " ") + parts.object;
  if (!parts.found.empty()) text += (text.empty() ? "" : ": ") + parts.found;
  if (!parts.allowed.empty()) text += (text.empty() ? "allowed: " : "; allowed: ") + parts.allowed;
  if (!parts.next_step.empty()) text += (text.empty() ? "" : "; ") + parts.next_step;
  return text;
}

}  // namespace

Error::Error(ErrorCode code, ErrorParts parts)
    : code_(code), parts_(std::move(parts)), message_(sentence(parts_)) {}

}  // namespace stoker
