#include "support/shared_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stoker::test {

std::string shared_data(std::string_view relative) {
  const char* chosen = std::getenv("STOKER_DATA");
  const std::filesystem::path path = std::filesystem::path(chosen ? chosen : STOKER_DEFAULT_DATA) / relative;
  return std::filesystem::exists(path) ? std::filesystem::canonical(path).string() : "";
}

namespace {

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  while (true) {
    const std::size_t tab = line.find('\t', begin);
    cells.push_back(line.substr(begin, tab == std::string::npos ? tab : tab - begin));
    if (tab == std::string::npos) return cells;
    begin = tab + 1;
  }
}

}  // namespace

std::vector<std::map<std::string, std::string>> read_tsv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::map<std::string, std::string>> rows;
  std::string line;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> names = split_tabs(line);
  while (std::getline(file, line)) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = split_tabs(line);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> read_tar(const std::string& path, std::size_t limit) {
  constexpr std::size_t kBlock = 512;
  std::ifstream file(path, std::ios::binary);
  std::vector<std::pair<std::string, std::string>> members;
  std::string header(kBlock, '\0');
  while (members.size() < limit && file.read(header.data(), kBlock)) {
    const std::string name = header.c_str();
    if (name.empty()) break;
    const std::size_t bytes = std::stoull(header.substr(124, 11), nullptr, 8);
    std::string body((bytes + kBlock - 1) / kBlock * kBlock, '\0');
    file.read(body.data(), static_cast<std::streamsize>(body.size()));
    body.resize(bytes);
    if (header[156] == '0' || header[156] == '\0') members.emplace_back(name, std::move(body));
  }
  return members;
}

}  // namespace stoker::test
