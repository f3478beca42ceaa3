# Flags that every target of ours gets, as one interface library.
add_library(stoker_flags INTERFACE)
target_compile_options(stoker_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports string concatenation as overlapping (its bug 105329).
  target_compile_options(stoker_flags INTERFACE -Wno-restrict)
endif()
if(STOKER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumentation hides from GCC that a value is always set before it is read.
  target_compile_options(stoker_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(STOKER_DEVELOPER)
  target_compile_options(stoker_flags INTERFACE -Werror)
endif()
target_include_directories(stoker_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

if(STOKER_SANITIZE)
  add_compile_options(-O1)  # behind the build type's -O3: instrumented SIMD code takes minutes to optimise
endif()
if(STOKER_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(STOKER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
elseif(STOKER_SANITIZE STREQUAL "fuzzer")
  # Without the tracing of comparisons, which makes tables ten times as slow as they are.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(STOKER_SANITIZE STREQUAL "memory")
  # What a library without instrumentation wrote counts as unset: {fmt} and std::string are compiled in.
  add_compile_options(-fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer -g1)
  add_compile_definitions(FMT_HEADER_ONLY=1 _GLIBCXX_EXTERN_TEMPLATE=0)
  add_link_options(-fsanitize=memory)
elseif(STOKER_SANITIZE)
  message(FATAL_ERROR "STOKER_SANITIZE is '${STOKER_SANITIZE}'; allowed: address, thread, fuzzer, memory")
endif()

find_program(STOKER_CCACHE ccache)
if(STOKER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STOKER_CCACHE})
endif()
