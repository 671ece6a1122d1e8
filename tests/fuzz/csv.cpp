// Fuzz target: a CSV file, read by the table reader as contexts, factor map, overrides or text.
// DuckDB, which scans the file, is not instrumented, so this target is slow and blind inside of it.
#include "decide/milp/plan_builder.hpp"
#include "otss/data/encoder.hpp"
#include "promises.hpp"
#include "scratch_folder.hpp"
#include "served.hpp"

namespace otss::fuzz {
namespace {

void read_contexts(const TableSource& source) {
  static const Fitted fitted = load_model(std::string(OTSS_FUZZ) + "/served.json");
  const Encoder& encoder = fitted.encoder();
  const TableReader reader(encoder.as_trained(source));
  encoder.require_columns(reader);
  reader.read(encoder.context_requests(), [&](const TableChunk& chunk) {
    std::vector<double> x(chunk.num_rows * encoder.num_encoded());
    encoder.encode(chunk, x, {.table = reader.name()});
    require_finite(x, "encoded contexts are finite");
  });
}

void read_everything(const TableSource& source) {
  TableReader reader(source);
  std::vector<ColumnRequest> as_text, as_it_is;
  for (const ColumnInfo& column : reader.columns()) {
    as_text.push_back({column.name, true});
    as_it_is.push_back({column.name, false});
  }
  const Table texts = read_table(reader, as_text);
  accepts([&] {
    require(read_table(reader, as_it_is).num_rows == texts.num_rows,
            "both readings have the same rows");
  });
  reader.settle_kinds();
}

void read_plan_tables(const TableSource& source) {
  static const MilpPlan plan =
      internal::read_lp("plan.lp", "Maximize\n a + b\nSubject To\n size: a + b <= 1\nEnd\n");
  const TableReader reader(source);
  if (reader.has_column("kind")) {
    read_milp_overrides(reader, plan);
  } else {
    read_factor_map(reader, {"price", "health"});
  }
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  if (size == 0) return 0;
  static const fuzz::ScratchFolder folder("csv");
  folder.write("table.csv", fuzz::text_of(data + 1, size - 1));
  const TableSource source{.path = folder.path("table.csv"), .threads = 1};
  fuzz::accepts([&] {
    switch (data[0] % 3) {
      case 0: return fuzz::read_contexts(source);
      case 1: return fuzz::read_everything(source);
      default: return fuzz::read_plan_tables(source);
    }
  });
  return 0;
}
