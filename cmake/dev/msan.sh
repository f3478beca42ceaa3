#!/usr/bin/env bash
# msan.sh: the own decoder, seek points and the seek index under MemorySanitizer, on the fuzzers' seeds and mutations of them.
# libjpeg has no instrumentation, so the seeds are made by a build without it and what calls it is left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/dev/build.sh
rounds=${1:-100000}
names=(own_decoder seek_points seek_index)
clang=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DSTOKER_TESTS=ON -DSTOKER_TRAIN=OFF)

cmake -S . -B build-seeds "${clang[@]}" > /dev/null
cmake --build build-seeds --parallel "$(jobs)" --target fuzz_seeds
cmake -S . -B build-msan "${clang[@]}" -DSTOKER_SANITIZE=memory > /dev/null
cmake --build build-msan --parallel "$(jobs)" --target "${names[@]/%/_replay}"
rm -rf build-msan/seeds
build-seeds/fuzz/fuzz_seeds build-msan/seeds
for name in "${names[@]}"; do
  printf '%-20s ' "$name"
  build-msan/fuzz/"${name}"_replay build-msan/seeds/"$name" "$rounds" 2>&1
done
