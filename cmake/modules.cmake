# stoker_module(NAME LINKS targets… [PRIVATE targets…])
# Makes the library stoker_NAME from every *.cpp of the folder but *_test.cpp, and, from every *_test.cpp, the program
# NAME_tests, whose cases ctest lists under the label "unit". So a test file cannot exist without being built and run.
function(stoker_module NAME)
  cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE;TEST_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  add_library(stoker_${NAME} STATIC ${sources})
  target_link_libraries(stoker_${NAME} PUBLIC ${ARG_LINKS} PRIVATE stoker_flags ${ARG_PRIVATE})
  target_include_directories(stoker_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  if(STOKER_TESTS AND tests)
    stoker_test_program(${NAME}_tests LABEL unit SOURCES ${tests} LINKS stoker_${NAME} ${ARG_PRIVATE} ${ARG_TEST_LINKS})
  endif()
endfunction()

# stoker_test_program(NAME LABEL unit|slow|net SOURCES files… LINKS targets… [TIMEOUT seconds]): one gtest program, its cases
# listed by ctest.
function(stoker_test_program NAME)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINKS} stoker_test_support stoker_flags GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${NAME} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} DISCOVERY_TIMEOUT 60)
endfunction()
