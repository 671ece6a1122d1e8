# XGBoost's C library and header. Debian's CMake configuration for XGBoost is broken: it names files that the package
# does not install.
find_path(XGBoost_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBoost_LIBRARY xgboost)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost
  REQUIRED_VARS XGBoost_LIBRARY XGBoost_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libxgboost-dev (./dev build does)")
if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  add_library(XGBoost::XGBoost SHARED IMPORTED)
  set_target_properties(XGBoost::XGBoost PROPERTIES
    IMPORTED_LOCATION ${XGBoost_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${XGBoost_INCLUDE_DIR})
endif()
