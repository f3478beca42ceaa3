// The `stoker` program: finds the verb, runs it, turns what it throws into one line and an exit status.
#pragma once

namespace stoker::cli {

int run_program(int argc, char** argv);

}  // namespace stoker::cli
