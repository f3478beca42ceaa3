#include <cctype>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "store/local_store.hpp"

namespace stoker::store {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Error unsupported(std::string_view url, std::string found) {
  return Error(ErrorCode::unsupported, {.operation = "open store",
                                        .object = std::string(url),
                                        .found = std::move(found),
                                        .allowed = "a plain path, or file:///path",
                                        .next_step = "copy the data to a local or mounted folder"});
}

}  // namespace

// Source: RFC 3986, 3.1 (a scheme is a letter, then letters, digits, '+', '-' or '.').
std::string_view scheme_of(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = url.substr(0, end);
  if (!std::isalpha(static_cast<unsigned char>(scheme[0]))) return {};
  for (const char c : scheme)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '+' && c != '-' && c != '.') return {};
  return scheme;
}

std::string local_path(std::string_view url) {
  const std::string_view scheme = scheme_of(url);
  std::string path;
  if (scheme.empty()) {
    path = url;
  } else if (scheme == "file") {
    const std::string_view rest = url.substr(scheme.size() + 3);
    const std::size_t slash = rest.find('/');
    const std::string_view host = rest.substr(0, slash);
    if (!host.empty() && host != "localhost")
      throw unsupported(url, fmt::format("a file of the host '{}'", host));
    path = percent_decoded(slash == std::string_view::npos ? std::string_view{} : rest.substr(slash));
  } else {
    throw unsupported(url, fmt::format("the scheme '{}://', which this build does not read", scheme));
  }
  if (path.empty() || path.find('\0') != std::string::npos)
    throw Error(ErrorCode::invalid_argument,
                {.operation = "open store",
                 .object = fmt::format("'{}'", url),
                 .found = path.empty() ? "an empty path" : "a zero byte in the path",
                 .allowed = "a path"});
  return path;
}

}  // namespace stoker::store
