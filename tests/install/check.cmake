# Installs the build tree into a fresh prefix, then configures, builds and runs a user's project against it, and runs the
# installed program.  cmake -DBUILD=… -DSOURCE=… -DWORK=… -DBUILD_TYPE=… -DFLAGS=… -P check.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY ${WORK})
endfunction()
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/made)
# Moved after installing: nothing in it may remember where it was put.
file(RENAME ${WORK}/made ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/user)
run(${WORK}/prefix/bin/otss version)
file(REMOVE_RECURSE ${WORK})
