#include "otss/report/report.hpp"

#include <optional>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "report/json/facts_json.hpp"
#include "report/page/gather_facts.hpp"
#include "report/page/page.hpp"

namespace otss {

using namespace internal;

Report report(const Fitted& fitted, const ReportOptions& options) {
  const Facts facts = gather_facts(fitted, options);
  Report result;
  result.facts = json_text(facts_to_json(facts));
  result.page = page_with_facts(result.facts);
  if (facts.trust.unseen) result.unknown = *facts.trust.unseen;
  return result;
}

void write_report(const Report& report, const std::string& page_path,
                  const std::string& facts_path) {
  std::optional<AtomicFile> page, facts;
  if (!page_path.empty()) page.emplace(page_path).write(report.page);
  if (!facts_path.empty()) facts.emplace(facts_path).write(report.facts + '\n');
  if (facts) facts->commit();
  if (page) page->commit();
}

}  // namespace otss
