# The header of libpq, PostgreSQL's client library. Only the header is needed to build: the program loads the library when a
# postgresql:// address is used (docs/adr/0036).
find_path(Libpq_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libpq
  REQUIRED_VARS Libpq_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libpq-dev (./dev build does)")
