# Sourced by bench.sh and perf.sh: the photos that figures are taken on. Sets `sample` and `large`, folders of class folders:
# the sample photos of the tests where they are (STOKER_DATA), else made ones. Call: bench_data STOKER WORK.

bench_data() {
  local stoker=$1 work=$2 data=${STOKER_DATA:-$(pwd)/../shared/data} file name
  mkdir -p "$work"
  sample=$work/imagenet
  if [ ! -e "$data/imagenet-sample.tar" ]; then
    sample=$work/photos/train
    [ -d "$sample" ] || "$stoker" synth "$work/photos" --width 500 --height 375 --quiet
  elif [ ! -d "$sample" ]; then
    # The sample is flat; a folder for each first four characters of the names keeps its order.
    mkdir -p "$work/flat" && tar -xf "$data/imagenet-sample.tar" -C "$work/flat"
    for file in "$work"/flat/*; do
      name=$(basename "$file")
      mkdir -p "$sample/${name:0:4}" && mv "$file" "$sample/${name:0:4}/"
    done
  fi

  # Progressive photos are left out: they are libjpeg-turbo's.
  large=$work/large
  if [ ! -d "$data/large-photos" ]; then
    large=$work/large-made/train
    [ -d "$large" ] || "$stoker" synth "$work/large-made" --width 4000 --height 3000 --classes 2 --images 5 --quiet
  elif [ ! -d "$large" ]; then
    mkdir -p "$large/photos"
    for file in "$data"/large-photos/*.jpg; do
      case $file in *progressive*) ;; *) ln -s "$(realpath "$file")" "$large/photos/" ;; esac
    done
  fi
}
