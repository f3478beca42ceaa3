# Finds PyTorch's C++ libraries in an installed `torch` package and makes the target stoker_torch of them; where there are none,
# STOKER_TORCH_FOUND is false. Looks at STOKER_TORCH_DIR (the package's folder, a CMake variable or environment variable), else at
# the package of .venv/bin/python3, then of python3.
#
# PyTorch's own find_package(Torch) is not used: with a CUDA build of it that asks for a whole CUDA toolkit, which none of the code
# here needs.
set(STOKER_TORCH_DIR "" CACHE PATH "Folder of an installed torch package (…/site-packages/torch)")

function(stoker_find_torch RESULT)
  set(${RESULT} "" PARENT_SCOPE)
  set(chosen "${STOKER_TORCH_DIR}")
  if(NOT chosen)
    set(chosen "$ENV{STOKER_TORCH_DIR}")
  endif()
  if(chosen)
    foreach(part lib/libtorch_cpu.so lib/libc10.so include/ATen/core/Tensor.h)
      if(NOT EXISTS "${chosen}/${part}")
        message(FATAL_ERROR "STOKER_TORCH_DIR: ${chosen} has no ${part}; give the folder of an installed torch package, "
                            "for example .venv/lib/python3.11/site-packages/torch")
      endif()
    endforeach()
    set(${RESULT} "${chosen}" PARENT_SCOPE)
    return()
  endif()
  foreach(python "${PROJECT_SOURCE_DIR}/.venv/bin/python3" python3)
    execute_process(
      COMMAND "${python}" -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND folder AND EXISTS "${folder}/lib/libtorch_cpu.so" AND EXISTS "${folder}/include/ATen/core/Tensor.h")
      set(${RESULT} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(STOKER_TORCH_FOUND FALSE)
if(STOKER_TRAIN)
  stoker_find_torch(stoker_torch_folder)
  if(stoker_torch_folder)
    set(STOKER_TORCH_FOUND TRUE)
    add_library(stoker_torch INTERFACE)
    target_include_directories(stoker_torch SYSTEM INTERFACE
      "${stoker_torch_folder}/include" "${stoker_torch_folder}/include/torch/csrc/api/include")
    target_link_libraries(stoker_torch INTERFACE
      "${stoker_torch_folder}/lib/libtorch_cpu.so" "${stoker_torch_folder}/lib/libc10.so")
    # What libtorch_cpu.so itself needs is found when it is loaded, by its own path.
    target_link_options(stoker_torch INTERFACE -Wl,--allow-shlib-undefined)
    # libtorch_cuda.so is not linked but opened when a GPU is asked for (src/train/torch/device.hpp).
    if(EXISTS "${stoker_torch_folder}/lib/libtorch_cuda.so")
      message(STATUS "PyTorch for `stoker train`: ${stoker_torch_folder}, for CUDA devices and CPUs")
    else()
      message(STATUS "PyTorch for `stoker train`: ${stoker_torch_folder}, for CPUs")
    endif()
  else()
    message(STATUS "PyTorch not found: `stoker train` is left out (pip install torch==2.13.0 into .venv, or set STOKER_TORCH_DIR)")
  endif()
endif()
