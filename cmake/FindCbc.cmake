# COIN-OR CBC and the libraries it needs, as installed by coinor-libcbc-dev, which has no CMake configuration files.
find_path(Cbc_INCLUDE_DIR CbcModel.hpp PATH_SUFFIXES coin coin-or)
set(libraries "")
set(variables "")
foreach(part IN ITEMS Cbc Cgl OsiClp Clp Osi CoinUtils)
  find_library(Cbc_${part}_LIBRARY ${part})
  mark_as_advanced(Cbc_${part}_LIBRARY)
  list(APPEND libraries ${Cbc_${part}_LIBRARY})
  list(APPEND variables Cbc_${part}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cbc
  REQUIRED_VARS ${variables} Cbc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install coinor-libcbc-dev (./dev build does)")
if(Cbc_FOUND AND NOT TARGET Cbc::Cbc)
  add_library(Cbc::Cbc INTERFACE IMPORTED)
  set_target_properties(Cbc::Cbc PROPERTIES
    INTERFACE_LINK_LIBRARIES "${libraries}"
    INTERFACE_INCLUDE_DIRECTORIES ${Cbc_INCLUDE_DIR})
endif()
