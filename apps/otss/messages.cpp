#include "messages.hpp"

#include <cstdio>

namespace otss::app {

void write_to_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace otss::app
