#!/usr/bin/env bash
# bench.sh STOKER [DIR]: every measurement of docs/performance.md. DIR: a folder of class folders; default: as bench_data.sh has
# it. Ratios are the claims; rates depend on the machine. The pictures of the decode tables lie in build/bench.
set -euo pipefail
stoker=$(realpath "$1")
work=$(pwd)/build/bench
. cmake/dev/bench_data.sh
bench_data "$stoker" "$work"
pack=$work/$(basename "$sample").rec
if [ -n "${2:-}" ]; then
  sample=$2
  pack=$work/given.rec
  rm -f "$pack"*
fi

[ -e "$pack" ] || "$stoker" pack "$sample" "$pack" --quiet > "$work/pack.log"
python3 cmake/dev/speed_table.py "$stoker" "$pack" "$large" "$work"
printf '\n$ stoker bench load\n'
"$stoker" bench load "$pack"
printf '\n$ stoker bench pack\n'
"$stoker" bench pack "$sample"
printf '\n$ stoker bench start\n'
"$stoker" bench start
