// Headers that most files of the library and the commands include. Parsing them
// once saves a third of the compile time. The Makefile includes this file
// before the first line of every file. Each file still includes what it uses.

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
