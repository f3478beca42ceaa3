#!/usr/bin/env bash
# lint.sh BUILD: formatting, clang-tidy and clang's thread-safety analysis over every source that BUILD compiles.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
status=0

mapfile -t sources < <(git ls-files -co --exclude-standard '*.cpp' '*.hpp')
clang-format-19 --dry-run --Werror "${sources[@]}" || status=1

# Torch's headers take clang-tidy minutes a file; the two files that include them are compiled with -Werror and left at that.
mapfile -t units < <(git ls-files -co --exclude-standard 'src/*.cpp' 'cli/*.cpp' | grep -v -e '_test\.cpp$' | xargs grep -L -e '#include <torch/' -e '#include <ATen/')
printf '%s\0' "${units[@]}" | xargs -0 -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p "$build" --warnings-as-errors='*' \
  --extra-arg=-Wthread-safety --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-gnu-zero-variadic-macro-arguments 2> >(grep -v 'warnings generated\|Suppressed\|^Use -' >&2) || status=1

[ $status = 0 ] && echo "lint: clean (${#sources[@]} files formatted, ${#units[@]} analysed)"
exit $status
