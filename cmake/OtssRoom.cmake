# otss_room(NAME [USES room…] [LIBRARIES target…] [PRECOMPILE header…])
#
# A room is src/NAME and include/otss/NAME. Files in an isa/ folder are compiled once per instruction set, with
# OTSS_ISA_NAMESPACE naming the set; base/isa.hpp chooses among them at run time.

set(OTSS_ISA_FLAGS_baseline "")
set(OTSS_ISA_FLAGS_avx2 -mavx2 -mfma)
set(OTSS_ISA_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

# The warnings for all our targets.
function(otss_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror=return-type)
endfunction()

function(otss_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES;PRECOMPILE" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE isa_sources CONFIGURE_DEPENDS ${folder}/isa/*.cpp ${folder}/*/isa/*.cpp)
  list(REMOVE_ITEM sources ${isa_sources})

  add_library(otss_${name} OBJECT ${sources})
  target_include_directories(otss_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  list(TRANSFORM ROOM_USES PREPEND otss_)
  target_link_libraries(otss_${name} PUBLIC ${ROOM_USES} ${ROOM_LIBRARIES})
  otss_compile_options(otss_${name})
  if(ROOM_PRECOMPILE)
    target_precompile_headers(otss_${name} PRIVATE ${ROOM_PRECOMPILE})
  endif()

  if(isa_sources)
    foreach(isa IN ITEMS baseline avx2 avx512)
      add_library(otss_${name}_${isa} OBJECT ${isa_sources})
      target_include_directories(otss_${name}_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
      target_compile_definitions(otss_${name}_${isa} PRIVATE OTSS_ISA_NAMESPACE=${isa})
      target_compile_options(otss_${name}_${isa} PRIVATE -O3 -fno-math-errno -fno-trapping-math ${OTSS_ISA_FLAGS_${isa}})
      otss_compile_options(otss_${name}_${isa})
      # g++ 12 wrongly warns about uninitialised values in its own AVX-512 intrinsics (GCC bug 105593).
      target_compile_options(otss_${name}_${isa} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
      target_sources(otss_${name} INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:otss_${name}_${isa}>>)
    endforeach()
  endif()
  set(OTSS_ROOMS ${OTSS_ROOMS} otss_${name} PARENT_SCOPE)
endfunction()
