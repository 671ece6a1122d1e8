#include "model/onnx/onnx_weights.hpp"

#include <numbers>
#include <stdexcept>

#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

using Tensor = OnnxGraph::Tensor;
using Indices = std::vector<std::int64_t>;

std::int64_t size_of(std::size_t size) { return static_cast<std::int64_t>(size); }

// Returns a matrix with as many rows as `rows` has columns. A matrix without columns becomes a
// column of zeros, because the encoded contexts then have one column of zeros.
Tensor transposed(OnnxGraph& graph, std::span<const double> rows, std::size_t num_rows) {
  const std::size_t width = rows.size() / num_rows;
  if (width == 0) return graph.constant(std::vector<double>(num_rows), {1, size_of(num_rows)});
  std::vector<double> columns;
  for (std::size_t j = 0; j < width; ++j) {
    for (std::size_t i = 0; i < num_rows; ++i) columns.push_back(rows[i * width + j]);
  }
  return graph.constant(columns, {size_of(width), size_of(num_rows)});
}

// Returns x slopes' + intercepts. The slopes have one row per intercept.
Tensor affine(OnnxGraph& graph, const Tensor& x, std::span<const double> slopes,
              std::span<const double> intercepts) {
  const Tensor product = graph.apply("MatMul", {x, transposed(graph, slopes, intercepts.size())});
  return graph.apply("Add", {product, graph.constant(intercepts, {1, size_of(intercepts.size())})});
}

Tensor network_output(OnnxGraph& graph, const Tensor& x, const Network& network) {
  const Tensor hidden =
      graph.apply("Tanh", {affine(graph, x, network.hidden_slopes, network.hidden_intercepts)});
  return affine(graph, hidden, network.output_slopes, network.output_intercepts);
}

Tensor softmax_of(OnnxGraph& graph, const Tensor& scores) {
  return graph.apply("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
}

// Returns all monomials of x up to degree two (quadratic.hpp).
Tensor monomials(OnnxGraph& graph, const Tensor& x, std::size_t num_contexts) {
  if (num_contexts == 0) return x;
  Indices left, right;
  std::vector<double> shifts, scales;
  for (std::size_t i = 0; i < num_contexts; ++i) {
    for (std::size_t j = i; j < num_contexts; ++j) {
      left.push_back(size_of(i));
      right.push_back(size_of(j));
      shifts.push_back(i == j ? 1 : 0);
      scales.push_back(i == j ? std::numbers::sqrt2 : 1);
    }
  }
  const auto picked = [&](const Indices& columns) {
    return graph.apply("Gather", {x, graph.constant(columns, {size_of(columns.size())})},
                       {{"axis", std::int64_t{1}}});
  };
  const Tensor products = graph.apply("Mul", {picked(left), picked(right)});
  const std::int64_t width = size_of(shifts.size());
  const Tensor shifted = graph.apply("Sub", {products, graph.constant(shifts, {1, width})});
  const Tensor scaled = graph.apply("Div", {shifted, graph.constant(scales, {1, width})});
  return graph.apply("Concat", {x, scaled}, {{"axis", std::int64_t{1}}});
}

Tensor scores_of(OnnxGraph& graph, const Tensor& x, const LinearGate& gate) {
  return affine(graph, x, gate.slopes(), gate.intercepts());
}

// Returns the weights of a mixture whose experts are the rows of `experts`.
struct MixtureWriter {
  OnnxGraph& graph;
  const Tensor& x;
  Tensor experts;

  Tensor mixed(const Tensor& shares) const { return graph.apply("MatMul", {shares, experts}); }
  // Returns the weights of the expert with the largest or smallest score; `op` says which. If
  // several experts have this score, the first of them counts.
  Tensor chosen(const char* op, const Tensor& scores) const {
    const Tensor best =
        graph.apply(op, {scores}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
    return graph.apply("Gather", {experts, best});
  }

  Tensor operator()(const LinearGate& gate) const {
    return mixed(softmax_of(graph, scores_of(graph, x, gate)));
  }
  Tensor operator()(const QuadraticGate& gate) const {
    const Tensor columns = monomials(graph, x, static_cast<std::size_t>(gate.num_contexts()));
    return mixed(softmax_of(graph, scores_of(graph, columns, gate.on_columns())));
  }
  Tensor operator()(const NetworkGate& gate) const {
    return mixed(softmax_of(graph, network_output(graph, x, gate.network())));
  }
  Tensor operator()(const OneHotGate& gate) const {
    return chosen("ArgMax", scores_of(graph, x, gate.scores()));
  }
  Tensor operator()(const CenterGate& gate) const {
    const auto width = static_cast<std::int64_t>(gate.num_contexts());
    if (width == 0)
      return chosen("ArgMax", affine(graph, x, {}, std::vector<double>(gate.num_experts())));
    const Tensor rows = graph.apply("Unsqueeze", {x, graph.constant(Indices{1}, {1})});
    const Tensor centers =
        graph.constant(gate.centers(), {1, static_cast<std::int64_t>(gate.num_experts()), width});
    const Tensor distances = graph.apply("ReduceSumSquare", {graph.apply("Sub", {rows, centers})},
                                         {{"axes", Indices{2}}, {"keepdims", std::int64_t{0}}});
    return chosen("ArgMin", distances);
  }
  // An average of posterior draws has hundreds of members. So members with the same number of
  // experts share their operators: the shares are rows × members × experts.
  Tensor operator()(const AverageGate& gate) const {
    std::vector<Tensor> shares;
    const auto& members = gate.members();
    for (std::size_t first = 0; first < members.size();) {
      const int width = experts_of(members[first]);
      std::vector<double> slopes, intercepts, weights;
      for (; first < members.size() && experts_of(members[first]) == width; ++first) {
        const auto& one = std::get<LinearGate>(members[first].gate);
        slopes.insert(slopes.end(), one.slopes().begin(), one.slopes().end());
        intercepts.insert(intercepts.end(), one.intercepts().begin(), one.intercepts().end());
        weights.push_back(members[first].weight);
      }
      const std::int64_t count = size_of(weights.size());
      const auto reshaped = [&](const Tensor& tensor, const Indices& sizes) {
        return graph.apply("Reshape", {tensor, graph.constant(sizes, {size_of(sizes.size())})});
      };
      const Tensor scores = reshaped(affine(graph, x, slopes, intercepts), {-1, count, width});
      const Tensor weighted =
          graph.apply("Mul", {softmax_of(graph, scores), graph.constant(weights, {1, count, 1})});
      shares.push_back(reshaped(weighted, {-1, count * width}));
    }
    return mixed(graph.apply("Concat", shares, {{"axis", std::int64_t{1}}}));
  }

  static int experts_of(const AverageGate::Member& member) {
    return std::visit([](const auto& gate) { return gate.num_experts(); }, member.gate);
  }
};

struct WeightsWriter {
  OnnxGraph& graph;
  const Tensor& x;

  Tensor operator()(const std::shared_ptr<const SoftMixture>& mixture) const {
    const auto* average = std::get_if<AverageGate>(&mixture->gate());
    if (average != nullptr && !average->is_linear()) return sum_of_members(*mixture, *average);
    return std::visit(MixtureWriter{graph, x, rows_of(*mixture, 0, mixture->num_experts())},
                      mixture->gate());
  }
  // Returns `count` experts of the mixture, from expert `first` on, one row per expert.
  Tensor rows_of(const SoftMixture& mixture, int first, int count) const {
    const auto width = static_cast<std::size_t>(mixture.num_factors());
    return graph.constant(mixture.experts().subspan(first * width, count * width),
                          {static_cast<std::int64_t>(count), static_cast<std::int64_t>(width)});
  }
  // Returns the sum, over the members of an average, of the weights of each member times its weight
  // in the average.
  Tensor sum_of_members(const SoftMixture& mixture, const AverageGate& average) const {
    Tensor sum;
    int first = 0;
    for (const AverageGate::Member& member : average.members()) {
      const int count = MixtureWriter::experts_of(member);
      const Tensor weights =
          std::visit(MixtureWriter{graph, x, rows_of(mixture, first, count)}, member.gate);
      const std::vector<double> scale{member.weight};
      const Tensor scaled = graph.apply("Mul", {weights, graph.constant(scale, {1, 1})});
      sum = first == 0 ? scaled : graph.apply("Add", {sum, scaled});
      first += count;
    }
    return sum;
  }
  Tensor operator()(const std::shared_ptr<const LinearWeights>& linear) const {
    return affine(graph, x, linear->slopes(), linear->intercepts());
  }
  Tensor operator()(const std::shared_ptr<const NetworkWeights>& map) const {
    return network_output(graph, x, map->network());
  }
  Tensor operator()(const std::shared_ptr<const TreeScorer>& /*trees*/) const {
    throw std::logic_error("weights_in was called for boosted trees, which have no weights");
  }
};

}  // namespace

Tensor weights_in(OnnxGraph& graph, const AnyScorer& scorer, const Tensor& x) {
  return std::visit(WeightsWriter{graph, x}, scorer);
}

}  // namespace otss::internal
