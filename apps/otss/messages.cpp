#include "messages.hpp"

#include <cstdio>

namespace otss::app {
namespace {

bool muted = false;

}  // namespace

void mute_notes() { muted = true; }
bool are_notes_muted() { return muted; }

void write_to_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace otss::app
