// Text in CBOR that need not be UTF-8: paths, keys and class names as the file system has them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stoker::record {

inline nlohmann::ordered_json bytes_json(const std::string& text) {
  return nlohmann::ordered_json::binary({text.begin(), text.end()});
}
inline nlohmann::ordered_json bytes_json(const std::vector<std::string>& texts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& text : texts) list.push_back(bytes_json(text));
  return list;
}

// Errors (thrown): nlohmann's, where it is something else.
inline std::string text_of_bytes(const nlohmann::ordered_json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}
inline std::vector<std::string> texts_of_bytes(const nlohmann::ordered_json& list) {
  std::vector<std::string> texts;
  for (const nlohmann::ordered_json& item : list) texts.push_back(text_of_bytes(item));
  return texts;
}

}  // namespace stoker::record
