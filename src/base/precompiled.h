// What most of the library and of the commands includes, parsed once: a third
// of the time to compile them. The Makefile names it before every file's first
// line; files include what they use all the same.

#ifndef FIRTH_SRC_BASE_PRECOMPILED_H_
#define FIRTH_SRC_BASE_PRECOMPILED_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"

#endif  // FIRTH_SRC_BASE_PRECOMPILED_H_
