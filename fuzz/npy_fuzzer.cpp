// A .npy file of any bytes: refused, or numbers that are the same once they were written and read again.
#include <cmath>
#include <vector>

#include "array/npy.hpp"
#include "fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  const auto read = array::read_npy(std::as_bytes(std::span(data, bytes)));
  if (!read) return 0;
  expect(array::count_of(read->shape) == read->count(), "a shape is that of the data that is there");
  expect(read->data.size() < bytes, "data lies behind a header");
  std::vector<float> numbers(read->count());
  array::copy_floats(*read, numbers);
  std::vector<std::byte> file;
  array::write_npy(read->shape, numbers, array::StoredType::float32, file);
  const auto again = array::read_npy(file);
  expect(again.has_value(), "what was written can be read");
  expect(again->shape == read->shape, "the shape is as it was");
  std::vector<float> twice(again->count());
  array::copy_floats(*again, twice);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    expect(twice[i] == numbers[i] || (std::isnan(twice[i]) && std::isnan(numbers[i])),
           "numbers are as they were");
  return 0;
}
