# The code for NVIDIA GPUs (folders named cuda) is compiled if OTSS_CUDA is on (preset cuda). CUDA's runtime is linked statically, so the same
# program runs where there is no GPU and no CUDA.
option(OTSS_CUDA "Build the code for NVIDIA GPUs; needs nvcc (preset cuda)" OFF)
if(OTSS_CUDA)
  find_program(OTSS_NVCC nvcc HINTS /usr/local/cuda/bin)
  mark_as_advanced(OTSS_NVCC)
  if(NOT OTSS_NVCC)
    message(FATAL_ERROR "OTSS_CUDA is on, but nvcc is missing: install CUDA 13, or put its bin folder into PATH")
  endif()
  set(CMAKE_CUDA_COMPILER ${OTSS_NVCC})
  set(CMAKE_CUDA_ARCHITECTURES 90)  # Hopper; newer GPUs translate its code when the program starts
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  enable_language(CUDA)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know it
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  find_package(CUDAToolkit REQUIRED)
endif()

# otss_kernels(NAME FILES…): compiles .cu files as the object library NAME. Numbers too small for a normal f32 become 0 (-ftz), as in the
# vector kernels' sums they never matter, and exponentials are cheaper.
function(otss_kernels name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE -O3 -ftz=true --expt-relaxed-constexpr)
endfunction()

# otss_cuda(room folder device_files [objects…]): adds a folder with code for GPUs to a room, and tells the room's device_files that it is there.
function(otss_cuda room folder device_files)
  set(room_folder ${PROJECT_SOURCE_DIR}/src/${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${room_folder}/${folder}/*.cpp)
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON INCLUDE_DIRECTORIES "${CUDAToolkit_INCLUDE_DIRS}")
  list(TRANSFORM device_files PREPEND ${room_folder}/)
  set_source_files_properties(${device_files} PROPERTIES COMPILE_DEFINITIONS OTSS_HAS_CUDA SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(otss_${room} PRIVATE ${sources})
  foreach(objects IN LISTS ARGN)
    target_sources(otss_${room} INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:${objects}>>)
  endforeach()
  target_link_libraries(otss_${room} INTERFACE $<LINK_ONLY:CUDA::cudart_static>)
endfunction()

# The kernels of src/engine/cuda. Each number of experts is compiled by itself.
function(otss_engine_kernels out)
  set(folder ${PROJECT_SOURCE_DIR}/src/engine/cuda)
  foreach(experts RANGE 1 8)
    otss_kernels(otss_mixture_${experts} ${folder}/mixture_kernels.cu)
    target_compile_definitions(otss_mixture_${experts} PRIVATE OTSS_EXPERTS=${experts})
    otss_kernels(otss_half_${experts} ${folder}/half/half_kernels.cu)
    target_compile_definitions(otss_half_${experts} PRIVATE OTSS_EXPERTS=${experts})
    list(APPEND objects otss_mixture_${experts} otss_half_${experts})
  endforeach()
  foreach(kernel IN ITEMS general_kernel gauss_newton_kernel)
    otss_kernels(otss_${kernel} ${folder}/${kernel}.cu)
    list(APPEND objects otss_${kernel})
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
