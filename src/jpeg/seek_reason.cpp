#include "jpeg/seek_reason.hpp"

namespace stoker::jpeg {

SeekReason seek_reason(NotMine reason) {
  switch (reason) {
    case NotMine::process:
      return SeekReason::process;
    case NotMine::precision:
      return SeekReason::precision;
    case NotMine::components:
      return SeekReason::components;
    case NotMine::scans:
      return SeekReason::scans;
    case NotMine::tables:
      return SeekReason::tables;
    case NotMine::sampling:
      return SeekReason::sampling;
    case NotMine::structure:
      return SeekReason::structure;
    case NotMine::entropy:
      return SeekReason::entropy;
  }
  return SeekReason::not_said;
}

std::string_view to_string(SeekReason reason) {
  switch (reason) {
    case SeekReason::not_said:
      return "not said";
    case SeekReason::process:
      return to_string(NotMine::process);
    case SeekReason::precision:
      return to_string(NotMine::precision);
    case SeekReason::components:
      return to_string(NotMine::components);
    case SeekReason::scans:
      return to_string(NotMine::scans);
    case SeekReason::tables:
      return to_string(NotMine::tables);
    case SeekReason::sampling:
      return to_string(NotMine::sampling);
    case SeekReason::structure:
      return to_string(NotMine::structure);
    case SeekReason::entropy:
      return to_string(NotMine::entropy);
    case SeekReason::restart_markers:
      return "restart markers";
    case SeekReason::no_jpeg:
      return "no JPEG";
  }
  return "not said";
}

}  // namespace stoker::jpeg
