// What nearly all tests include, parsed once: half of the time to compile one.
// The Makefile names it before every test's first line; tests include what they
// use all the same.

#ifndef FIRTH_TESTS_SUPPORT_PRECOMPILED_H_
#define FIRTH_TESTS_SUPPORT_PRECOMPILED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#endif  // FIRTH_TESTS_SUPPORT_PRECOMPILED_H_
