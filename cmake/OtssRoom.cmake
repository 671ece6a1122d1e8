# otss_room(NAME [UNITE] [HEAVY] [USES room…] [LIBRARIES target…])
#
# A room is src/NAME and include/otss/NAME. Files in an isa/ folder are compiled once per instruction set, with
# OTSS_ISA_NAMESPACE naming the set; base/isa.hpp chooses among them at run time.

set(OTSS_ISA_FLAGS_baseline "")
set(OTSS_ISA_FLAGS_avx2 -mavx2 -mfma)
set(OTSS_ISA_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

# The warnings for all our targets.
function(otss_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror=return-type)
  # At -O3, g++ 12 sees writes past the end inside std::string's + and fmt's parser (GCC bug 105651); there are none.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
  otss_harden(${target})
endfunction()

# Makes errors in memory handling harder to exploit: canaries on the stack, checked library calls, and indirect jumps only to
# places that are meant to be jumped to (on processors that check it). Sanitizers replace these checks.
# tests/integration/test_binary.py reads all this from the program.
function(otss_harden target)
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(${target} PRIVATE -fcf-protection=full)
    endif()
  endif()
endfunction()

# The headers that most files include, read once for all rooms; and once more with json and Eigen, for the rooms that live
# on them: json makes every file that sees it half a second slower, used or not. Objects of an instruction set use neither,
# as a precompiled header holds for the flags it was made with.
set(OTSS_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <numeric> <optional>
  <set> <span> <string> <string_view> <thread> <unordered_map> <vector> <fmt/format.h>)
function(otss_precompile name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "// Its target holds precompiled headers.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE fmt::fmt Threads::Threads nlohmann_json::nlohmann_json Eigen3::Eigen)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  otss_compile_options(${name})
endfunction()

# Files compiled several at a time: what they all instantiate (Eigen's solvers, CLI11's parser) is then compiled once for
# all of them. In return, names in anonymous namespaces must differ within such a room.
function(otss_unite target)
  if(OTSS_UNITE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 22)
    # g++ takes a .cpp that another includes for a header, and warns of types no other file can see.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(otss_room name)
  cmake_parse_arguments(ROOM "UNITE;HEAVY" "" "USES;LIBRARIES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE isa_sources CONFIGURE_DEPENDS ${folder}/isa/*.cpp ${folder}/*/isa/*.cpp)
  list(REMOVE_ITEM sources ${isa_sources})
  list(FILTER sources EXCLUDE REGEX "/engine/mpi/")  # apps/otss_mpi compiles it
  list(FILTER sources EXCLUDE REGEX "/cuda/")  # OtssCuda.cmake adds it

  add_library(otss_${name} OBJECT ${sources})
  target_include_directories(otss_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  list(TRANSFORM ROOM_USES PREPEND otss_)
  target_link_libraries(otss_${name} PUBLIC ${ROOM_USES} ${ROOM_LIBRARIES})
  otss_compile_options(otss_${name})
  if(ROOM_HEAVY)
    target_precompile_headers(otss_${name} REUSE_FROM otss_precompiled_heavy)
  else()
    target_precompile_headers(otss_${name} REUSE_FROM otss_precompiled)
  endif()
  if(ROOM_UNITE)
    otss_unite(otss_${name})
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
