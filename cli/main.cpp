#include "cli/program.hpp"

int main(int argc, char** argv) { return stoker::cli::run_program(argc, argv); }
