# cmake --install: the program, libotss.a with its public headers, DuckDB's library, and the files for find_package(otss).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(OTSS_PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/otss)
set(OTSS_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/otss)

# A static library does not contain the libraries it uses, so its users must link them too. In the build tree the rooms
# declare them; the installed library declares them here.
foreach(library IN ITEMS otss::duckdb otss::xgboost otss::cbc fmt::fmt OpenSSL::Crypto ZLIB::ZLIB TBB::tbb Threads::Threads)
  target_link_libraries(otss INTERFACE $<INSTALL_INTERFACE:${library}>)
endforeach()
target_compile_features(otss INTERFACE cxx_std_20)
install(TARGETS otss EXPORT otssTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/otss DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${DuckDB_LIBRARY} DESTINATION ${OTSS_PRIVATE_LIBDIR})

install(TARGETS otss_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${OTSS_SBOM} DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT otssTargets NAMESPACE otss:: DESTINATION ${OTSS_CONFIG_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/otssConfig.cmake.in ${PROJECT_BINARY_DIR}/otssConfig.cmake
  INSTALL_DESTINATION ${OTSS_CONFIG_DIR} PATH_VARS OTSS_PRIVATE_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/otssConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/otssConfig.cmake ${PROJECT_BINARY_DIR}/otssConfigVersion.cmake
  DESTINATION ${OTSS_CONFIG_DIR})
