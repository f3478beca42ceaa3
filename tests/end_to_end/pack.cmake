# Real photos through the packer.
stoker_test_program(pack_end_to_end_tests LABEL slow SOURCES pack_photos_test.cpp LINKS stoker_pack)
