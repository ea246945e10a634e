#include "firth/build_info.h"

#include <openblas_config.h>
#include <unicode/uvernum.h>
#include <utf8proc.h>
#include <zstd.h>

#include <string>

#include "absl/base/config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "boost/version.hpp"
#include "firth/instruction_set.h"
#include "hwy/highway.h"
#include "nlohmann/json.hpp"

// The Makefile defines it; other builds need not.
#ifndef FIRTH_COMMIT
#define FIRTH_COMMIT "unknown"
#endif

namespace firth {
namespace {

constexpr char kCompiler[] =
#ifdef __clang__
    "clang " __clang_version__;
#else
    "GCC " __VERSION__;
#endif

constexpr char kArchitecture[] =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
        "unknown";
#endif

std::string AbseilVersion() {
#ifdef ABSL_LTS_RELEASE_VERSION
  return absl::StrCat(ABSL_LTS_RELEASE_VERSION, ".",
                      ABSL_LTS_RELEASE_PATCH_LEVEL);
#else
  return "head";
#endif
}

}  // namespace

BuildInfo GetBuildInfo() {
  absl::string_view blas = absl::StripAsciiWhitespace(OPENBLAS_VERSION);
  absl::ConsumePrefix(&blas, "OpenBLAS ");
  const std::string boost =
      absl::StrReplaceAll(BOOST_LIB_VERSION, {{"_", "."}});
  return {.version = FIRTH_VERSION,
          .commit = FIRTH_COMMIT,
          .compiler = std::string(absl::StripAsciiWhitespace(kCompiler)),
          .architecture = kArchitecture,
          .instruction_sets = InstructionSets(),
          .libraries = {{"Abseil", AbseilVersion()},
                        {"Boost", boost},
                        {"Highway", absl::StrCat(HWY_MAJOR, ".", HWY_MINOR, ".",
                                                 HWY_PATCH)},
                        {"ICU", U_ICU_VERSION},
                        {"OpenBLAS", std::string(blas)},
                        {"utf8proc", utf8proc_version()},
                        {"zstd", ZSTD_versionString()}}};
}

std::string BuildJson() {
  const BuildInfo build = GetBuildInfo();
  return DumpJson(Json{{"version", build.version},
                       {"commit", build.commit},
                       {"compiler", build.compiler},
                       {"architecture", build.architecture},
                       {"instruction-sets", build.instruction_sets},
                       {"libraries", build.libraries}});
}

}  // namespace firth
