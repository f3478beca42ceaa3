// Writes tf.train.Example.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// The bytes of an Example, in pieces, so that large values are never copied. Owns: all but values of 4 KiB
// and more, which it views. Reused, it allocates nothing once warm.
class ExampleEncoder {
 public:
  void clear();

  // What is wrong with the feature (a name that is not UTF-8, bytes that are none of its type), or none.
  std::optional<std::string> add(std::string_view name, FieldType type, std::span<const std::byte> bytes);

  std::uint64_t bytes() const;
  // Of the Example's bytes: where the value of the feature added last begins, if it is a byte string.
  // Features added later do not move it; header_bytes() does, once all are there.
  std::uint64_t value_offset() const { return value_offset_; }
  std::uint64_t header_bytes() const;  // before the first feature; value offsets are counted from behind it

  // Calls put(std::span<const std::byte>) for all pieces in order.
  template <class Put>
  void put_pieces(Put&& put) const {
    std::byte header[16];
    put(std::span<const std::byte>(header, make_header(header)));
    std::size_t begin = 0;
    const std::span<const std::byte> own(own_);
    for (const Viewed& viewed : viewed_) {
      put(own.subspan(begin, viewed.behind - begin));
      put(viewed.bytes);
      begin = viewed.behind;
    }
    put(own.subspan(begin));
  }

 private:
  struct Viewed {
    std::size_t behind;  // that many of the own bytes
    std::span<const std::byte> bytes;
  };
  std::size_t make_header(std::byte* to) const;
  void put_tag(std::uint32_t number, std::uint64_t length);
  void put_varint(std::uint64_t value);
  void put_bytes(std::span<const std::byte> bytes);

  std::vector<std::byte> own_;
  std::vector<Viewed> viewed_;
  std::uint64_t viewed_bytes_ = 0;
  std::uint64_t value_offset_ = 0;
};

}  // namespace stoker::record
