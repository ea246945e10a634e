#!/bin/bash
set -euxo pipefail
tools/package/murmurhash murmurhash "$PREFIX"
mkdir -p build/headers
cp -r hnswlib/hnswlib build/headers/
# `make install` strips what it installs with a strip of this name.
mkdir -p build/tools
ln -s "$(command -v "$STRIP")" build/tools/strip
export PATH="$PWD/build/tools:$PATH"
# What is loaded by name is found beside the libraries of the environment.
make -j"$CPU_COUNT" DEPS=skip CXX="$CXX" CC="$CC" AR="$AR" LD="$LD" PREFIX="$PREFIX" \
  CXXFLAGS="-I$PWD/build/headers -I$PREFIX/include" \
  LDFLAGS="$LDFLAGS -L$PREFIX/lib -Wl,-rpath,$PREFIX/lib" install
