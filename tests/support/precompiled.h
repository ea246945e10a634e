// What nearly all tests include, parsed once: half of the time to compile one.
// The Makefile names it before every test's first line; tests include what they
// use all the same.

#ifndef FIRTH_TESTS_SUPPORT_PRECOMPILED_H_
#define FIRTH_TESTS_SUPPORT_PRECOMPILED_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#endif  // FIRTH_TESTS_SUPPORT_PRECOMPILED_H_
