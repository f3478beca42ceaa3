// What the tests of record formats share: small containers and their bytes. Tests only.
#pragma once

#include <cstring>
#include <gmock/gmock.h>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "support/temp_dir.hpp"

namespace stoker::record {

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline const std::string kMagicText = "\x0a\x23\xd7\xce";

// One part as it stands in a container.
inline std::string part(std::uint32_t kind, std::string_view data) {
  const std::uint32_t word = kind << 29 | static_cast<std::uint32_t>(data.size());
  std::string framed = kMagicText + std::string(4, '\0') + std::string(data);
  std::memcpy(framed.data() + 4, &word, sizeof word);
  framed.resize((framed.size() + 3) & ~std::size_t{3}, '\0');
  return framed;
}

// Image header: flag, label, id, id2.
inline std::string image_header(std::uint32_t flag, float label, std::uint64_t id) {
  std::string header(24, '\0');
  std::memcpy(header.data(), &flag, sizeof flag);
  std::memcpy(header.data() + 4, &label, sizeof label);
  std::memcpy(header.data() + 8, &id, sizeof id);
  return header;
}

// Image records "payload 0", "payload 1", … with label = i % 3 and id = 100 + i.
inline std::string image_container(int count) {
  std::string container;
  for (int i = 0; i < count; ++i)
    container += part(0, image_header(0, static_cast<float>(i % 3), 100u + static_cast<unsigned>(i)) +
                             "payload " + std::to_string(i));
  return container;
}

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, {});
}

inline testing::AssertionResult says(const Error& error, ErrorCode code,
                                     std::initializer_list<std::string_view> words) {
  if (error.code() != code)
    return testing::AssertionFailure() << to_string(error.code()) << ": " << error.what();
  for (const std::string_view word : words)
    if (std::string_view(error.what()).find(word) == std::string_view::npos)
      return testing::AssertionFailure() << "'" << word << "' is not in: " << error.what();
  return testing::AssertionSuccess();
}

// The main fields of all samples.
inline std::vector<std::string> payloads(const RecordReader& reader) {
  std::vector<std::string> all;
  Sample sample;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    reader.read(i, sample);
    all.push_back(text_of(sample.main()));
  }
  return all;
}

// A scan's story, one line a step: "record 0 'abc'", "damage 16 reason".
inline std::vector<std::string> story(RecordScanner& scanner) {
  std::vector<std::string> lines;
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  while (true) {
    switch (scanner.next(sample, info, bad)) {
      case RecordScanner::Step::record:
        lines.push_back("record " + std::to_string(info.offset) + " '" + text_of(sample.main()) + "'");
        break;
      case RecordScanner::Step::damage:
        lines.push_back("damage " + std::to_string(bad.offset) + " " + bad.reason);
        break;
      case RecordScanner::Step::end:
        return lines;
    }
  }
}

}  // namespace stoker::record
