# otss_page(TARGET)
#
# Builds the report page from web/ with npm, and compiles it into the target as a string, so that the program needs no files
# at run time. The page is built again when a file of web/ changes.

set(OTSS_REPORT_PAGE "" CACHE FILEPATH "The built report page (web/dist/index.html), if it was built elsewhere; empty: npm builds it")

function(otss_page target)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(page ${OTSS_REPORT_PAGE})
  if(NOT page)
    find_program(OTSS_NPM npm DOC "npm, which builds the report page")
    if(NOT OTSS_NPM)
      message(FATAL_ERROR "npm is missing, which builds the report page: install nodejs and npm (./dev does this), or give -DOTSS_REPORT_PAGE=FILE")
    endif()
    set(page ${web}/dist/index.html)
    set(installed ${web}/node_modules/.package-lock.json)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/plugins/*)
    add_custom_command(OUTPUT ${installed} DEPENDS ${web}/package-lock.json WORKING_DIRECTORY ${web}
      COMMAND ${OTSS_NPM} ci --no-audit --no-fund COMMAND ${CMAKE_COMMAND} -E touch ${installed}
      COMMENT "Installing the packages of web/ with npm")
    add_custom_command(OUTPUT ${page} DEPENDS ${installed} ${sources} ${web}/index.html ${web}/vite.config.ts ${web}/package.json
      WORKING_DIRECTORY ${web} COMMAND ${OTSS_NPM} run --silent build COMMAND ${CMAKE_COMMAND} -E touch ${page}
      COMMENT "Building the report page with npm")
  endif()
  set(source ${PROJECT_BINARY_DIR}/embedded/report/built_page.cpp)
  set(writer ${PROJECT_SOURCE_DIR}/cmake/WriteBuiltPage.cmake)
  add_custom_command(OUTPUT ${source} DEPENDS ${page} ${writer}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DSOURCE=${source} -P ${writer} COMMENT "Embedding the report page")
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
