#include "engine/sum_journal.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/ranks/message.hpp"
#include "data/log/fingerprint.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr const char* kJournalFormat = "otss-checkpoint-1";
// The file is written after this many new sums. Each is a pass over all rows, and the file is small.
constexpr std::size_t kSumsPerSave = 3;

[[noreturn]] void refuse_journal(const std::string& path, std::string_view problem) {
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: {}; remove the file, or give --checkpoint another name", path, problem));
}

// The answer to one request. The hash of the request shows that a later run asks the same.
struct Answer {
  std::uint64_t request = 0;
  std::vector<double> sums;
};

std::uint64_t hash_of(const SumRequest& request) {
  MessageWriter writer;
  put(writer, request);
  return hash_text(std::move(writer).take());
}

class FileJournal final : public JournalledRows {
 public:
  FileJournal(Rows& rows, std::string path) : rows_(rows), path_(std::move(path)) { load(); }

  const RowsFacts& facts() const override { return rows_.facts(); }
  void aim(const SumTarget& target) override { rows_.aim(target); }
  Eigen::MatrixXd group_scores(const SumRequest& at) const override {
    return rows_.group_scores(at);
  }
  LoggedData take(std::span<const std::size_t> rows) const override { return rows_.take(rows); }
  std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const override {
    return rows_.counting_rows(positions);
  }
  std::optional<RowSamples> samples(const SampleOptions& options) const override {
    return rows_.samples(options);
  }

  std::size_t num_known() const override { return answers_.size(); }

  std::vector<double> sum(const SumRequest& request) const override {
    const std::uint64_t hash = hash_of(request);
    if (num_used_ < answers_.size()) {
      const Answer& known = answers_[num_used_++];
      if (known.request != hash)
        refuse_journal(path_, "the checkpoint was written by a fit with other options");
      return known.sums;
    }
    answers_.push_back({hash, rows_.sum(request)});
    num_used_ = answers_.size();
    if (answers_.size() % kSumsPerSave == 0) save();
    return answers_.back().sums;
  }

 private:
  std::string described() const {
    return fmt::format("{} {} rows {}", kJournalFormat, facts().num_rows, facts().fingerprint);
  }

  void save() const {
    MessageWriter writer;
    writer.put(described());
    writer.put(answers_.size());
    for (const Answer& answer : answers_) {
      writer.put(answer.request);
      writer.put(answer.sums);
    }
    std::string bytes = std::move(writer).take();
    MessageWriter end;
    end.put(hash_text(bytes));
    AtomicFile file(path_);
    file.write(bytes + std::move(end).take());
    file.commit();
  }

  void load() {
    if (!std::filesystem::exists(path_)) return;
    std::ifstream file(path_, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    constexpr std::size_t kEnd = sizeof(std::uint64_t);
    if (bytes.size() < kEnd ||
        MessageReader(std::string_view(bytes).substr(bytes.size() - kEnd)).get<std::uint64_t>() !=
            hash_text(std::string_view(bytes).substr(0, bytes.size() - kEnd)))
      refuse_journal(path_, "this is not a checkpoint of otss, or it is damaged");
    MessageReader reader(bytes);
    if (reader.get<std::string>() != described())
      refuse_journal(path_, "the checkpoint was written for another log or other columns");
    answers_.resize(reader.get<std::size_t>());
    for (Answer& answer : answers_) {
      answer.request = reader.get<std::uint64_t>();
      answer.sums = reader.get<std::vector<double>>();
    }
  }

  Rows& rows_;
  std::string path_;
  mutable std::vector<Answer> answers_;
  mutable std::size_t num_used_ = 0;  // answers before this one were asked for in this run
};

}  // namespace

std::unique_ptr<JournalledRows> with_journal(Rows& rows, const std::string& path) {
  return std::make_unique<FileJournal>(rows, path);
}

}  // namespace otss::internal
