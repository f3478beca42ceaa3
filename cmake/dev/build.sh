# Sourced by ./dev: configure, build, test.

jobs() {
  if [ -n "${JOBS:-}" ]; then echo "$JOBS"; return; fi
  # One compile per CPU and per 1.5 GB of free memory: PyTorch's headers take that much.
  local cpus memory
  cpus=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  [ "$cpus" -lt "$memory" ] && echo "$cpus" || echo "$memory"
}

# build_all FOLDER TYPE [cmake options…]
build_all() {
  local folder=$1 type=$2 torch=''
  shift 2
  if [ "$with_train" = 1 ] && [ "${STOKER_TRAIN_OPTION:-ON}" = ON ]; then torch=$(find_torch) || true; fi
  local python=''
  [ -x "$root/.venv/bin/python3" ] && python=$root/.venv/bin/python3
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DSTOKER_DEVELOPER=ON -DSTOKER_TRAIN="${STOKER_TRAIN_OPTION:-$([ "$with_train" = 1 ] && echo ON || echo OFF)}" \
    -DSTOKER_TORCH_DIR="$torch" -DSTOKER_PYTHON="$python" "$(tests_option)" "$@" > "$folder.configure.log" 2>&1 || {
    cat "$folder.configure.log" >&2
    return 1
  }
  rm -f "$folder.configure.log"
  cmake --build "$folder" --parallel "$(jobs)"
}

# Tests are built for the verbs that run them; demo, build and bench need no gtest.
tests_option() {
  case $verb in test | asan | tsan | lint) echo -DSTOKER_TESTS=ON ;; *) echo -DSTOKER_TESTS=OFF ;; esac
}

# run_ctest FOLDER [ctest options…]: the slow ones and all of the doctor's scenarios only with --all.
run_ctest() {
  local folder=$1
  shift
  local chosen=("$@")
  [ "$all" = 1 ] || chosen+=(-LE 'slow|net|scenario')
  ctest --test-dir "$folder" --parallel "$(nproc)" --output-on-failure --no-tests=error "${chosen[@]}"
}
