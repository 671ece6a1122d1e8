# Writes a C++ file with the report page as a string constant: cmake -DPAGE=FILE -DSOURCE=FILE -P WriteBuiltPage.cmake
file(READ ${PAGE} page)
string(REGEX MATCHALL "OTSS_FACTS" places "${page}")
list(LENGTH places count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${PAGE} has ${count} places for the facts (OTSS_FACTS) instead of one; build the page again with npm run build in web/")
endif()
file(WRITE ${SOURCE} "#include \"report/page/built_page.hpp\"\n\nnamespace otss::internal {\n\n"
  "const std::string_view kBuiltPage = R\"page42(${page})page42\";\n\n}  // namespace otss::internal\n")
