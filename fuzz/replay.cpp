// Runs a fuzzer without libFuzzer: replay FOLDER ROUNDS [FIRST_ROUND], or replay FILE.
//
// Every file of the folder, then that many mutations of them, always the same ones. This is what the tests
// run, under any compiler and sanitizer; a failing round is named.
#include <algorithm>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "fuzzer.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

volatile std::sig_atomic_t running_round = -1;
const std::uint8_t* running_input = nullptr;
std::size_t running_bytes = 0;

extern "C" void leave_input(int signal) {
  char text[] = "fuzzer: round 0000000000, see ./failed-input\n";
  auto left = static_cast<unsigned>(running_round);
  for (std::size_t at = std::strlen("fuzzer: round 000000000"); left > 0; left /= 10)
    text[at--] = static_cast<char>('0' + left % 10);
  bool written = write(STDERR_FILENO, text, sizeof text - 1) > 0;
  const int file = open("failed-input", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  written = written && write(file, running_input, running_bytes) >= 0;
  std::signal(signal, SIG_DFL);
  std::raise(written ? signal : SIGABRT);
}

Bytes read_file(const std::string& path) {
  Bytes bytes;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  std::uint8_t part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, file))
    bytes.insert(bytes.end(), part, part + count);
  std::fclose(file);
  return bytes;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  DIR* listing = opendir(folder.c_str());
  if (listing == nullptr) return paths;
  while (const dirent* entry = readdir(listing))
    if (entry->d_type == DT_REG) paths.push_back(folder + "/" + entry->d_name);
  closedir(listing);
  std::sort(paths.begin(), paths.end());
  return paths;
}

void run(const Bytes& input) {
  // Memory of just this size, so that a read beyond it is noticed.
  const auto held = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), held.get());
  running_input = held.get();
  running_bytes = input.size();
  LLVMFuzzerTestOneInput(held.get(), input.size());
}

void mutate(Bytes& input, stoker::SampleRng& rng) {
  if (input.empty()) input.push_back(0);
  const std::size_t at = rng.below(input.size()), left = input.size() - at;
  const auto place = [&](std::size_t i) { return input.begin() + static_cast<std::ptrdiff_t>(i); };
  switch (rng.below(9)) {
    case 0:
    case 1:
    case 2:
      input[at] ^= static_cast<std::uint8_t>(1u << rng.below(8));
      break;
    case 3:
      input[at] = static_cast<std::uint8_t>(rng.next_u32());
      break;
    case 4: {  // numbers that tend to break things
      constexpr std::uint8_t kOdd[] = {0, 1, 0x7f, 0x80, 0xff};
      std::fill_n(place(at), std::min<std::size_t>(left, std::size_t{1} << rng.below(4)), kOdd[rng.below(5)]);
      break;
    }
    case 5:
      input.erase(place(at), place(at + std::min<std::size_t>(left, 1 + rng.below(8))));
      break;
    case 6:
      input.insert(place(at), 1 + rng.below(8), static_cast<std::uint8_t>(rng.next_u32()));
      break;
    case 7:
      input.resize(at);
      break;
    default: {
      const Bytes part(place(at), place(at + std::min<std::size_t>(left, 1 + rng.below(32))));
      input.insert(place(rng.below(input.size())), part.begin(), part.end());
      break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    run(read_file(argv[1]));
    return 0;
  }
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FOLDER ROUNDS [FIRST_ROUND] | FILE\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> paths = files_in(argv[1]);
  if (paths.empty()) {
    std::fprintf(stderr, "%s holds no seeds\n", argv[1]);
    return 1;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, leave_input);
  std::vector<Bytes> seeds;
  for (const std::string& path : paths) seeds.push_back(read_file(path));
  for (const Bytes& seed : seeds) run(seed);
  const int rounds = std::atoi(argv[2]), first = argc > 3 ? std::atoi(argv[3]) : 0;
  for (int round = first; round < rounds; ++round) {
    running_round = round;
    stoker::SampleRng rng(31, 0, static_cast<std::uint64_t>(round), 0);
    Bytes input = seeds[rng.below(seeds.size())];
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) mutate(input, rng);
    run(input);
  }
  std::fprintf(stderr, "%zu seeds, %d mutations\n", seeds.size(), rounds - first);
  return 0;
}
