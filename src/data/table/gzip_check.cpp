#include "data/table/gzip_check.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>
#include <new>
#include <stdexcept>
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

std::string gzip_file_of(const std::string& text) {
  constexpr int kGzipFormat = 16 + MAX_WBITS;
  constexpr int kMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipFormat, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int ended = deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::logic_error("gzip: the output buffer is too small");
  return bytes;
}

}  // namespace otss::internal
