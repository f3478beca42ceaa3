// Values out of JSON that strangers wrote.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stoker::record {

// Takes values out of a JSON object; the first one of a wrong type is remembered.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {}

  void text(const char* name, std::string& value) {
    if (const nlohmann::json* field = find(name)) {
      if (field->is_string())
        value = field->get<std::string>();
      else
        complain(name, "text");
    }
  }
  template <class T>
  void count(const char* name, T& value) {
    if (const nlohmann::json* field = find(name)) {
      if (field->is_number_unsigned() && field->get<std::uint64_t>() <= std::numeric_limits<T>::max())
        value = field->get<T>();
      else
        complain(name, "a whole number that fits");
    }
  }
  // Calls visit(element, index) for the elements of an array.
  template <class Visit>
  void array(const char* name, Visit&& visit) {
    if (const nlohmann::json* field = find(name)) {
      if (!field->is_array()) return complain(name, "an array");
      for (std::size_t i = 0; i < field->size() && wrong_.empty(); ++i) visit((*field)[i], i);
    }
  }
  template <class Visit>
  void object(const char* name, Visit&& visit) {
    if (const nlohmann::json* field = find(name)) {
      if (!field->is_object()) return complain(name, "an object");
      for (auto item = field->begin(); item != field->end() && wrong_.empty(); ++item)
        visit(item.key(), item.value());
    }
  }
  void complain(std::string_view name, std::string_view allowed) {
    if (wrong_.empty()) wrong_ = fmt::format("'{}{}' is not {}", where_, name, allowed);
  }
  void take_complaint(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }
  const std::string& wrong() const { return wrong_; }
  // Null: there is none of that name.
  const nlohmann::json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

 private:
  const nlohmann::json& object_;
  const std::string where_;
  std::string wrong_;
};

}  // namespace stoker::record
