# nix-build -E 'with import <nixpkgs> { }; callPackage ./package.nix { }'
# tools/package/fill_in fills in the names between @.
{
  lib,
  stdenv,
  fetchurl,
  fetchFromGitHub,
  esbuild,
  pkg-config,
  abseil-cpp,
  boost,
  hnswlib,
  icu,
  libedit,
  libhwy,
  libmicrohttpd,
  nlohmann_json,
  openblas,
  utf8proc,
  zstd,
}:

let
  owner = "@OWNER@";
  # nixpkgs has no libmurmurhash.
  murmurhash = fetchFromGitHub {
    owner = "kloetzl";
    repo = "libmurmurhash";
    rev = "v1.5";
    hash = "sha256-UEVbFk+iQwP7ZpZ5yKEvuuZrJFmvMeO1jOmz0sOjNPA=";
  };
in
stdenv.mkDerivation rec {
  pname = "firth";
  version = "@VERSION@";

  src = fetchurl {
    url = "https://github.com/${owner}/firth/releases/download/v${version}/firth-${version}.tar.gz";
    hash = "@SRI@";
  };

  nativeBuildInputs = [
    esbuild
    pkg-config
  ];

  buildInputs = [
    abseil-cpp
    boost
    hnswlib
    icu
    libedit
    libhwy
    libmicrohttpd
    nlohmann_json
    openblas
    utf8proc
    zstd
  ];

  enableParallelBuilding = true;

  preBuild = ''
    patchShebangs mk tools/package
    tools/package/murmurhash ${murmurhash} $out
    export PKG_CONFIG_PATH=$out/lib/pkgconfig:$PKG_CONFIG_PATH
  '';

  makeFlags = [
    "CXX=${stdenv.cc.targetPrefix}c++"
    "CC=${stdenv.cc.targetPrefix}cc"
    "DEPS=skip"
    "PREFIX=${placeholder "out"}"
  ];

  # These are loaded by name when they are needed.
  postFixup = ''
    for file in $out/bin/firth $out/lib/libfirth.so.*.* $out/lib/libfirth_c.so.1; do
      patchelf --add-rpath ${
        lib.makeLibraryPath [
          icu
          libmicrohttpd
          openblas
        ]
      } $file
    done
  '';

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/firth demo --output demo.safetensors
  '';

  meta = {
    description = "Trains word embeddings and uses them in language models and taggers";
    homepage = "https://github.com/${owner}/firth";
    license = lib.licenses.asl20;
    mainProgram = "firth";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
  };
}
