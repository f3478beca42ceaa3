#!/usr/bin/env bash
# fuzz.sh [SECONDS]: every fuzzer under libFuzzer, AddressSanitizer and UBSan, one after another, SECONDS in all (default 600).
# What was reached stays in build-fuzz/corpus and is gone on from; findings, each a file, come to lie in build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. cmake/dev/build.sh
seconds=${1:-600}
build=build-fuzz

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DSTOKER_SANITIZE=fuzzer -DSTOKER_TESTS=ON -DSTOKER_TRAIN=OFF > /dev/null
cmake --build $build --parallel "$(jobs)" --target fuzzers
rm -rf $build/fuzz/seeds
$build/fuzz/fuzz_seeds $build/fuzz/seeds

names=()
for seeds in $build/fuzz/seeds/*; do names+=("$(basename "$seeds")"); done
share=$(((seconds + ${#names[@]} - 1) / ${#names[@]}))
total=0 status=0
for name in "${names[@]}"; do
  mkdir -p $build/corpus/"$name" $build/findings/"$name"
  log=$build/findings/$name.log
  if ! $build/fuzz/"${name}"_fuzzer -max_total_time=$share -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=$build/findings/"$name"/ $build/corpus/"$name" $build/fuzz/seeds/"$name" > "$log" 2>&1; then
    status=1
    grep -E -A 12 'not so|ERROR|runtime error|SUMMARY' "$log" >&2 || tail -20 "$log" >&2
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  total=$((total + ${runs:-0}))
  printf '%-20s %12s executions in %s s\n' "$name" "${runs:-?}" "$share"
  grep '^jpeg_differential:' "$log" || true
done
printf '%-20s %12s executions\n' total "$total"
[ $status = 0 ] || echo "findings: $root/$build/findings (replay one with $build/fuzz/NAME_fuzzer FILE)" >&2
exit $status
