#!/usr/bin/env bash
# demo.sh STOKER [DIR]: the main job on real JPEGs, in the order in which a user meets it. With DIR, on the user's own photos:
# DIR/train/CLASS/*.jpg and DIR/val/CLASS/*.jpg, or DIR/CLASS/*.jpg (every fifth photo is then kept for evaluation).
set -euo pipefail
stoker=$(realpath "$1")
photos=${2:-}
work=$(pwd)/build/demo
rm -rf "$work"
mkdir -p "$work"

title() { printf '\n== %s\n' "$1"; }
run() { printf '$ stoker %s\n' "${*//$PWD\//}"; "$stoker" "$@"; }

# Links every fifth photo of each class of $1 into val, the others into train.
split() {
  local class file n
  for class in "$1"/*/; do
    n=0
    for file in "$class"*; do
      [ -f "$file" ] || continue
      n=$((n + 1))
      local part=train
      [ $((n % 5)) = 0 ] && part=val
      mkdir -p "$work/photos/$part/$(basename "$class")"
      ln -s "$(realpath "$file")" "$work/photos/$part/$(basename "$class")/"
    done
  done
}

epochs=12
if [ -z "$photos" ]; then
  title 'Make photos: five classes of shapes, 320×240 JPEGs'
  run synth "$work/photos"
  photos=$work/photos
else
  photos=$(realpath "$photos")
  if [ ! -d "$photos/train" ] || [ ! -d "$photos/val" ]; then
    if [ "$(find -L "$photos" -mindepth 1 -maxdepth 1 -type d | wc -l)" -lt 2 ]; then
      echo "demo: $photos holds no class folders; wanted: DIR/CLASS/*.jpg with two classes or more, or DIR/train and DIR/val of such" >&2
      exit 2
    fi
    split "$photos"
    photos=$work/photos
  fi
fi

title 'Pack them: one record file a split, short side 96'
run pack "$photos/train" "$work/train.rec" --resize-short 96
run pack "$photos/val" "$work/val.rec" --resize-short 96
run verify "$work/train.rec"

title 'Load them: how fast can batches come?'
run bench load "$work/train.rec" --recipe 'random_resized_crop(64, scale=0.35..1) flip normalize(imagenet)' --threads 1,2 --seconds 2

if [ -e "$(dirname "$stoker")/libstoker_train_torch.so" ]; then
  title 'Train ResNet-8 on them'
  run train --network resnet --num-layers 8 --image-shape 3,64,64 --batch-size 32 --num-epochs $epochs \
    --data-train "$work/train.rec" --data-val "$work/val.rec"
else
  title 'No PyTorch here: training is left out (./dev demo without --no-train installs it)'
fi
