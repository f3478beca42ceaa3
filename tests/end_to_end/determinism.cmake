# Real photos through the loader.
stoker_test_program(load_end_to_end_tests LABEL unit SOURCES determinism_test.cpp LINKS stoker_load)
