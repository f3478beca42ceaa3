#!/usr/bin/env bash
# perf.sh BASE [SOURCE]: is the working tree faster than the commit BASE? Builds both alike in build-perf, measures them in turns,
# and counts the instructions of the decode routes where valgrind is there. The first says what a user feels, within the noise of
# the machine; the second shows a change of a thousandth on a busy one. ROUNDS (5), LIMIT (200 images), COUNTED (8 images).
set -euo pipefail
commit=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "perf: no commit $1" >&2; exit 2; }
work=$(pwd)/build-perf
mkdir -p "$work"

if [ "$(cat "$work/base.commit" 2> /dev/null)" != "$commit" ]; then
  rm -rf "$work/source" "$work/base.commit"
  mkdir -p "$work/source"
  git archive "$commit" | tar -xm -C "$work/source"  # -m: new to the build, whatever the commit's date
  echo "$commit" > "$work/base.commit"
fi

# build_side NAME SOURCE: stoker, and decode_count where that commit has it.
build_side() {
  local targets=(stoker)
  [ -e "$2/tests/performance/decode_count.cpp" ] && targets+=(decode_count)
  cmake -S "$2" -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSTOKER_TRAIN=OFF > "$work/$1.log" 2>&1 &&
    cmake --build "$work/$1" --parallel "${JOBS:-$(nproc)}" --target "${targets[@]}" >> "$work/$1.log" 2>&1 ||
    { cat "$work/$1.log" >&2; return 1; }
}
echo "building $(git log -1 --format='%h %s' "$commit") and the working tree"
build_side base "$work/source"
build_side change "$(pwd)"

source=${2:-}
if [ -z "$source" ]; then
  . cmake/dev/bench_data.sh
  bench_data "$work/change/stoker" "$(pwd)/build/bench"
  source=$sample
fi
python3 cmake/dev/perf_compare.py "$work" "$source"
