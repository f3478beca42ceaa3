// A value that a probe read, or why there is none: unknown is never 0.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace stoker {

template <class T>
class Reading {
 public:
  // Unknown, for no told reason: a probe that never ran.
  Reading() = default;
  Reading(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): a value is a reading
  // `why` is a fragment for people: "needs root", "no PSI in this kernel".
  static Reading unknown(std::string why) {
    Reading reading;
    reading.why_ = std::move(why);
    return reading;
  }

  bool known() const { return value_.has_value(); }
  explicit operator bool() const { return known(); }
  // Only where known().
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  T value_or(T other) const { return value_.value_or(std::move(other)); }
  const std::optional<T>& optional() const { return value_; }
  // Empty where the value is known, or where nobody asked.
  const std::string& why() const { return why_; }

  bool operator==(const Reading&) const = default;

 private:
  std::optional<T> value_;
  std::string why_;
};

}  // namespace stoker
