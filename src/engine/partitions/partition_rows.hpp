// PartitionRows are the rows of a log whose partitions are elsewhere, such as in the workers of a
// cluster. A function carries requests to the partitions and brings back their answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/rows.hpp"

namespace otss::internal {

// Sends requests (PartitionRequest) to the partitions and returns their answers, in the order of the
// partitions. One request goes to every partition; otherwise there is one request per partition, and
// a partition with an empty request is not asked and has an empty answer.
using SendToPartitions = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

// Returns the rows of all partitions, in their order. A group must not be in two partitions; if one
// is, throws an Error. `encoder` and `roles` are those of the whole log.
std::unique_ptr<Rows> make_partition_rows(const Encoder& encoder, const Roles& roles,
                                          const SendToPartitions& ask);

}  // namespace otss::internal
