#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite expect them: for each
# reader of tests/fuzz, $OUT/READER_fuzzer with its seed corpus and its options.
#
# The environment has CC, CXX, CXXFLAGS, SANITIZER, LIB_FUZZING_ENGINE and
# OUT. On a plain Debian, where CXXFLAGS is empty, the flags follow from SANITIZER:
#
#   OUT=/tmp/out CC=clang-14 CXX=clang++-14 tests/fuzz/oss-fuzz/build.sh
: "${OUT:?names no folder for the targets}" "${CC:=clang}" "${CXX:=clang++}"
: "${SANITIZER:=address}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${CXXFLAGS:=}" "${WORK:=$OUT/work}"
cd "$(dirname "$0")/../../.."
# shellcheck source=tests/fuzz/limits.sh
. tests/fuzz/limits.sh
mkdir -p "$OUT/lib" "$WORK"

flags=${CXXFLAGS:--gline-tables-only -fsanitize=$SANITIZER,fuzzer-no-link -fno-sanitize-recover=all}
# The packages of the distribution, which Firth is linked with, use its C++ library.
flags=${flags//-stdlib=libc++/}
# OSS-Fuzz's clang has no OpenMP of its own; the distribution's has the same interface.
openmp=$(find /usr/lib -name omp.h -path '*/include/*' -print -quit 2>/dev/null || true)
if ! echo '#include <omp.h>' | $CXX -fopenmp -fsyntax-only -x c++ - 2>/dev/null; then
  [ -n "$openmp" ] || { echo "build.sh: omp.h is missing; install libomp-dev" >&2; exit 1; }
  mkdir -p "$WORK/openmp"
  cp "$openmp" "$WORK/openmp/"
  flags="$flags -isystem $WORK/openmp"
  library=$(find /usr/lib -name libomp.so -print -quit)
  LDFLAGS="${LDFLAGS:-} -L$(dirname "$library")"
fi

# Libraries that the machine which runs the targets may lack are carried beside them.
# The old kind of path also holds for those that a carried library needs.
make -j"${JOBS:-$(nproc)}" DEPS=skip FLAVOUR=fuzz BUILD="$WORK/build" CC="$CC" CXX="$CXX" \
  SANITIZE="$flags" CXXFLAGS= COVERAGE= FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
  LDFLAGS="${LDFLAGS:-} -Wl,--disable-new-dtags,-rpath,'\$\$ORIGIN/lib'" fuzzer
program=$WORK/build/fuzzer
ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|ld-linux[^/]*|libpthread|libdl|librt|libresolv)\.so' |
  xargs -I{} cp -L {} "$OUT/lib/"

seeds=$WORK/seeds
rm -rf "$seeds"
first=
FIRTH_FUZZ_SEEDS=$seeds "$program"
for folder in "$seeds"/*/; do
  reader=$(basename "$folder")
  target=$OUT/${reader}_fuzzer
  # One program under several names, which select the reader. It is large: the others
  # are links to the first.
  [ -n "$first" ] || { first=$target; rm -f "$first"; cp "$program" "$first"; }
  [ "$target" -ef "$first" ] || ln -f "$first" "$target"
  kept=tests/fuzz/corpus/$reader
  if [ -d "$kept" ]; then cp "$kept"/* "$folder"; fi
  rm -f "${target}_seed_corpus.zip"
  (cd "$folder" && zip -q -r "${target}_seed_corpus.zip" .)
  limits_of "$reader"
  printf '[libfuzzer]\nmax_len = %s\nmalloc_limit_mb = %s\nrss_limit_mb = 1024\ntimeout = 25\n' \
    "$longest" "$most_at_once" >"$target.options"
done
echo "$(find "$OUT" -maxdepth 1 -name '*_fuzzer' | wc -l) fuzz targets in $OUT"
