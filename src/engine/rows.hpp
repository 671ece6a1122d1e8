// Rows is all that a learner may ask of the rows of a large log, wherever the rows are: in memory
// (cpu/), in a scratch file (file/), on several machines (mpi/), or with the workers of a cluster
// (partitions/). Each answer is a sum over the rows, or a copy of few rows. "Choose on a sample, finish
// on everything" (docs/adr/0019, docs/adr/0035) needs nothing else.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/row_samples.hpp"
#include "engine/sum_request.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// What is known about a log without asking for sums.
struct RowsFacts {
  std::size_t num_rows = 0;
  std::size_t num_counting = 0;  // the number of rows whose weight is positive
  double total_weight = 0;
  bool has_groups = false;
  bool has_times = false;
  Encoder encoder;
  Roles roles;
  std::string fingerprint;
};

// Returns the facts of a log in memory.
RowsFacts facts_of(const LoggedData& log);

// Returns Rows::counting_rows() of a log in memory.
std::vector<std::size_t> counting_rows_of(const LoggedData& log,
                                          std::span<const std::size_t> positions);

class Rows {
 public:
  virtual ~Rows() = default;

  virtual const RowsFacts& facts() const = 0;

  // Says what the sums are about. Call this function before the first sum.
  virtual void aim(const SumTarget& target) = 0;

  // Returns the sum over all rows. It consists of the sums of chunks of 8192 rows, which are added in
  // the order of the rows. So the bits do not depend on where the rows are.
  virtual std::vector<double> sum(const SumRequest& request) const = 0;

  // Returns the sum over the groups of g g', where g is the summed gradient of a group's rows
  // (group_scores.hpp). The log must have groups.
  virtual Eigen::MatrixXd group_scores(const SumRequest& at) const = 0;

  // Returns a copy of the given rows, which are numbered from 0 on in the order of the whole log.
  // `rows` must be sorted. The rows are encoded as in the whole log.
  virtual LoggedData take(std::span<const std::size_t> rows) const = 0;

  // Returns the row numbers of the given counting rows: entry i of the result is the row number of
  // the counting row number positions[i], where counting rows are numbered from 0 on.
  virtual std::vector<std::size_t> counting_rows(std::span<const std::size_t> positions) const = 0;

  // Returns the row numbers of the two samples (row_samples.hpp).
  virtual std::optional<RowSamples> samples(const SampleOptions& options) const = 0;
};

// Returns an engine that computes the loss of a mixture with this layout over all rows. `rows` must
// live longer than the engine.
std::unique_ptr<Engine> make_rows_engine(const Rows& rows, const MixtureLayout& layout);

// Returns the Gauss–Newton matrix of the summed loss at `at` (gauss_newton.hpp).
Eigen::MatrixXd gauss_newton(const Rows& rows, SumRequest at);

// Returns the sum of Pearson's statistic over the rows (RowSum::kPearson).
double pearson(const Rows& rows, SumRequest at);

}  // namespace otss::internal
