# Sourced by ./dev: says what is missing and how large it is, then installs it (Debian 12 and 13, Ubuntu 24.04).

packages_build=(g++ cmake ninja-build ccache pkg-config libjpeg-dev zlib1g-dev libspng-dev libwebp-dev libhwy-dev libkissfft-dev libzstd-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev libexpected-dev python3 python3-venv ca-certificates)
packages_test=(libgtest-dev libgmock-dev python3-dev)
packages_python=(python3-dev)
packages_all=(libfuse3-dev fuse3)  # a slow file system for the doctor's scenarios
packages_fuzz=(clang-19 libclang-rt-19-dev libgtest-dev libgmock-dev)
packages_lint=(git clang-19 clang-tidy-19 clang-format-19)
torch_version=2.13.0

say() { echo "dev: $*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo > /dev/null; then sudo "$@"; else
    say "installing packages needs root, and there is no sudo here; as root run: $*"
    return 1
  fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

# install_for build|test|python|all|fuzz|lint …: Debian packages, then PyTorch's libraries, then the Python packages that tests compare with.
install_for() {
  local group package missing=() virtual
  if ! command -v dpkg-query > /dev/null; then
    say "this is not a Debian or Ubuntu system: install the counterparts of ${packages_build[*]} yourself"
    return 0
  fi
  for group in "$@"; do
    local -n list=packages_$group
    for package in "${list[@]}"; do
      virtual=$package
      [ "$package" = libjpeg-dev ] && is_installed libjpeg62-turbo-dev && virtual=libjpeg62-turbo-dev
      is_installed "$virtual" || missing+=("$package")
    done
  done
  if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
  if [ "$with_train" = 1 ]; then install_torch; fi
  case " $* " in *" test "*) install_python_packages requirements.txt "about 55 MB to download, 320 MB on disk" ;; esac
  case " $* " in *" all "*)
    { install_python_packages requirements_all.txt "about 300 MB to download, 1.6 GB on disk" &&
      install_python_packages requirements_alone.txt "about 50 MB to download, 200 MB on disk" --no-deps &&
      install_python_packages requirements_examples.txt "about 130 MB to download, 570 MB on disk" --no-deps; } ||
      say "they could not be installed; going on without the tests that need them" ;;
  esac
  if [ "$install_allowed" = 0 ] && [ "$anything_missing" = 1 ]; then
    say "nothing was installed (--no-install)"
    exit 0
  fi
}

anything_missing=0

install_packages() {
  anything_missing=1
  say "missing Debian packages: $*"
  if [ "$install_allowed" = 1 ] && ! apt-cache show "$1" > /dev/null 2>&1; then as_root apt-get update -qq; fi
  local sizes
  sizes=$(LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2> /dev/null |
    grep -E '^(Need to get|After this operation)|Download size|Space needed' | tr -s '\n ' ' ') || true
  say "size: ${sizes:-not known before the package lists are fetched (about 90 MB to download, 350 MB on disk)}"
  [ "$install_allowed" = 1 ] || return 0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}

# Prints the torch package to build against, if there is one: STOKER_TORCH_DIR, our own copy, or an importable one.
find_torch() {
  local candidate
  for candidate in "${STOKER_TORCH_DIR:-}" "$root/.deps/site/torch" \
    "$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' 2> /dev/null)"; do
    if [ -n "$candidate" ] && [ -e "$candidate/lib/libtorch_cpu.so" ]; then echo "$candidate"; return 0; fi
  done
  return 1
}

# Only the C++ libraries of the wheel are used, and those are the same for every Python: so one wheel serves all systems, and the
# Python packages that it depends on are left out. A CUDA build's CPU library still wants two small CUDA libraries.
install_torch() {
  if find_torch > /dev/null; then return 0; fi
  anything_missing=1
  say "missing: PyTorch $torch_version (for \`stoker train\` only; --no-train does without it)"
  say "size: 0.2 GB to download and 0.8 GB on disk where pip serves a CPU build; where it serves a CUDA build, 0.6 and 1.2 GB"
  say "      (STOKER_TORCH_INDEX chooses an index of CPU builds, STOKER_TORCH_DIR an installed torch)"
  [ "$install_allowed" = 1 ] || return 0
  make_venv
  rm -rf .deps/partial
  if pip_into_partial --no-deps "torch==$torch_version" && install_cuda_libraries; then
    rm -rf .deps/site
    mv .deps/partial .deps/site
  else
    say "PyTorch could not be installed; going on without \`stoker train\`"
    rm -rf .deps/partial
    with_train=0
  fi
}

pip_into_partial() {
  local index=()
  [ -n "${STOKER_TORCH_INDEX:-}" ] && index=(--index-url "$STOKER_TORCH_INDEX")
  .venv/bin/python3 -m pip install -q --disable-pip-version-check --no-compile --only-binary=:all: --python-version 3.11 \
    "${index[@]}" --upgrade --target .deps/partial "$@"
}

install_cuda_libraries() {
  grep -q libcupti .deps/partial/torch/lib/libtorch_cpu.so || return 0
  local version
  version=$(sed -n 's/^Requires-Dist: cuda-toolkit\[.*\]==\([0-9.]*\).*/\1/p' .deps/partial/torch-*.dist-info/METADATA | head -1)
  pip_into_partial "cuda-toolkit[cudart,cupti]==$version"
}

make_venv() { [ -x .venv/bin/python3 ] && .venv/bin/python3 -m pip --version > /dev/null 2>&1 || python3 -m venv .venv; }

# install_python_packages FILE SIZES [options of pip]: the independent programs that Stoker is compared with.
install_python_packages() {
  local wanted=tests/$1 sizes=$2 installed=.venv/${1%.txt}.done
  shift 2
  [ -e "$wanted" ] || return 0
  if [ -e "$installed" ] && cmp -s "$wanted" "$installed"; then return 0; fi
  anything_missing=1
  say "missing Python packages: $(grep -v '^#' "$wanted" | tr '\n' ' ')($sizes, into .venv)"
  [ "$install_allowed" = 1 ] || return 0
  make_venv
  .venv/bin/python3 -m pip install -q --disable-pip-version-check "$@" -r "$wanted" || return 1
  cp "$wanted" "$installed"
}
