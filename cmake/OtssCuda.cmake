# The engine for NVIDIA GPUs (src/engine/cuda) is built where CUDA's compiler is at hand. CUDA's runtime is linked statically, so the same
# program runs where there is no GPU and no CUDA.
find_program(OTSS_NVCC nvcc HINTS /usr/local/cuda/bin)
mark_as_advanced(OTSS_NVCC)
option(OTSS_CUDA "Build the engine for NVIDIA GPUs (needs nvcc)" OFF)
if(OTSS_CUDA)
  if(NOT OTSS_NVCC)
    message(FATAL_ERROR "OTSS_CUDA is on, but nvcc is missing: install CUDA 12.4 or newer, or put its bin folder into PATH")
  endif()
  set(CMAKE_CUDA_COMPILER ${OTSS_NVCC})
  set(CMAKE_CUDA_ARCHITECTURES 90)  # Hopper; newer cards translate its code when the program starts
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  enable_language(CUDA)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know it
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  find_package(CUDAToolkit REQUIRED)
endif()

# otss_cuda(room): adds src/engine/cuda to the room.
function(otss_cuda room)
  set(folder ${PROJECT_SOURCE_DIR}/src/engine/cuda)
  # Each number of experts takes half a minute to compile.
  foreach(experts RANGE 1 8)
    add_library(otss_cuda_${experts} OBJECT ${folder}/mixture_kernel.cu)
    target_compile_definitions(otss_cuda_${experts} PRIVATE OTSS_EXPERTS=${experts})
    list(APPEND kernels otss_cuda_${experts})
  endforeach()
  add_library(otss_cuda_general OBJECT ${folder}/general_kernel.cu)
  foreach(kernel IN ITEMS ${kernels} otss_cuda_general)
    target_include_directories(${kernel} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${kernel} PRIVATE -O3 --expt-relaxed-constexpr)
    target_sources(${room} INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:${kernel}>>)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  target_sources(${room} PRIVATE ${sources})
  target_link_libraries(${room} PUBLIC CUDA::cudart_static)
  target_compile_definitions(${room} PUBLIC OTSS_HAS_CUDA)
endfunction()
