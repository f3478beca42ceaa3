#!/usr/bin/env bash
# bench.sh STOKER [DIR]: every measurement of docs/performance.md. DIR: a folder of class folders; default: the sample photos of
# the tests where they are (STOKER_DATA), else made ones. Ratios are the claims; rates depend on the machine.
set -euo pipefail
stoker=$(realpath "$1")
source=${2:-}
work=$(pwd)/build/bench
mkdir -p "$work"
data=${STOKER_DATA:-$(pwd)/../shared/data}

if [ -z "$source" ]; then
  if [ -e "$data/imagenet-sample.tar" ]; then
    source=$work/imagenet
    if [ ! -d "$source" ]; then
      # The sample is flat; a folder for each first four characters of the names keeps its order.
      mkdir -p "$work/flat" && tar -xf "$data/imagenet-sample.tar" -C "$work/flat"
      for file in "$work"/flat/*; do
        name=$(basename "$file")
        mkdir -p "$source/${name:0:4}" && mv "$file" "$source/${name:0:4}/"
      done
    fi
  else
    source=$work/photos/train
    [ -d "$source" ] || "$stoker" synth "$work/photos" --width 500 --height 375
  fi
fi

[ -e "$work/bench.rec" ] || "$stoker" pack "$source" "$work/bench.rec"
for verb in decode load; do
  printf '\n$ stoker bench %s\n' "$verb"
  "$stoker" bench "$verb" "$work/bench.rec"
done
printf '\n$ stoker bench pack\n'
"$stoker" bench pack "$source"
printf '\n$ stoker bench start\n'
"$stoker" bench start
