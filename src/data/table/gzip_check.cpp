#include "data/table/gzip_check.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>
#include <vector>

#include "base/interrupt.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr unsigned kBufferBytes = 1U << 18;

struct Close {
  void operator()(gzFile file) const { gzclose_r(file); }
};

}  // namespace

void check_gzip_is_whole(const std::string& file, const std::string& name) {
  const std::unique_ptr<gzFile_s, Close> stream(gzopen(file.c_str(), "rb"));
  if (!stream) return;  // the code that reads the file reports why the file cannot be opened
  gzbuffer(stream.get(), kBufferBytes);
  std::vector<char> unpacked(kBufferBytes);
  int count = 0;
  do {
    check_interrupt();
    count = gzread(stream.get(), unpacked.data(), kBufferBytes);
  } while (count > 0);
  int state = Z_OK;
  const std::string reason = gzerror(stream.get(), &state);
  if (state == Z_OK || state == Z_STREAM_END) return;
  throw Error(
      ErrorCode::kInput,
      state == Z_BUF_ERROR
          ? fmt::format(
                "'{}' is incomplete: its gzip data ends early; copy or compress the file again",
                name)
          : fmt::format("'{}' is damaged: {}; copy or compress the file again", name, reason));
}

}  // namespace otss::internal
