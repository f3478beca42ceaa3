// An opened source, and long calls that Ctrl-C ends.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "stoker/record.hpp"

#include "bindings.hpp"

namespace stoker::python {

struct Records {
  std::shared_ptr<const RecordReader> reader;
  std::shared_ptr<const std::vector<std::uint64_t>> selection;  // places in the whole source; null: all of it
};

// Runs a call without the GIL; its progress, from this same thread, looks for signals.
class Interruptible {
 public:
  std::atomic<bool> cancel{false};

  template <typename Call>
  auto operator()(const Call& call) {
    try {
      const nb::gil_scoped_release release;
      return call();
    } catch (...) {
      if (PyErr_Occurred()) throw nb::python_error();
      throw;
    }
  }
  // What a signal's handler, or `then`, raises in Python ends the call.
  template <typename Then>
  void look(const Then& then) {
    const nb::gil_scoped_acquire acquire;
    if (cancel) return;
    if (PyErr_CheckSignals() != 0) {
      cancel = true;
      return;
    }
    try {
      then();
    } catch (nb::python_error& error) {
      error.restore();
      cancel = true;
    }
  }
  void look() {
    look([] {});
  }
};

}  // namespace stoker::python
