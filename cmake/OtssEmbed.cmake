# otss_embed(TARGET HEADER NAMESPACE file…)
#
# Generates a header with the contents of text files as string constants: kLines for lines.sql. So SQL stays in .sql files,
# and the program needs no files at run time.
function(otss_embed target header namespace)
  set(constants "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    string(SUBSTRING ${name} 0 1 initial)
    string(TOUPPER ${initial} initial)
    string(SUBSTRING ${name} 1 -1 rest)
    file(READ ${file} text)
    string(APPEND constants "inline constexpr const char* k${initial}${rest} = R\"text(${text})text\";\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${header} @ONLY
    CONTENT "#pragma once\n\nnamespace ${namespace} {\n${constants}}  // namespace ${namespace}\n")
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()
