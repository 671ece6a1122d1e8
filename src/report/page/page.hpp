// This header puts facts into the page that was built from web/.
#pragma once

#include <string>
#include <string_view>

namespace otss::internal {

// Returns the page with the facts inside. `facts` is a JSON document. In the page, every < of the
// document is written as an escape of JSON, so that no name can end the script element or begin a
// comment of HTML.
std::string page_with_facts(std::string_view facts);

}  // namespace otss::internal
