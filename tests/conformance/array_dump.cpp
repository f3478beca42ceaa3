// array_dump STEPS: runs steps on .npy files, for array_oracle.py. A question is a line `IN<tab>OUT`; the
// answer a line, `ok` or `error<tab>message`, once OUT is written.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "array/chain.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: array_dump STEPS\n";
    return 2;
  }
  try {
    stoker::array::Chain chain(arguments[1]);
    std::string line;
    while (std::getline(std::cin, line)) {
      const std::size_t tab = line.find('\t');
      std::ifstream in(line.substr(0, tab), std::ios::binary);
      const std::string file{std::istreambuf_iterator<char>(in), {}};
      const auto made = chain.run(std::as_bytes(std::span(file)));
      if (made) {
        std::ofstream out(line.substr(tab + 1), std::ios::binary);
        out.write(reinterpret_cast<const char*>(made->data()), static_cast<std::streamsize>(made->size()));
      }
      std::cout << (made ? std::string("ok") : std::string("error\t") + made.error().what()) << std::endl;
    }
  } catch (const std::exception& error) {
    std::cout << "error\t" << error.what() << std::endl;
    return 1;
  }
  return 0;
}
