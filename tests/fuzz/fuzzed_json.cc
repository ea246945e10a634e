#include "fuzz/fuzzed_json.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr int kFewLevels = 3;

// Levels of arrays and objects.
template <class SomeJson>
int LevelsOf(const SomeJson& json) {
  if (!json.is_structured()) return 0;
  int most = 0;
  for (const SomeJson& part : json) most = std::max(most, LevelsOf(part));
  return most + 1;
}

template <class SomeJson>
JsonFaults CheckReading(absl::string_view bytes) {
  JsonFaults faults;
  const auto read = ReadJson<SomeJson>(bytes, kMostJsonLevels, &faults);
  const auto parsed = SomeJson::parse(bytes.begin(), bytes.end(), nullptr,
                                      /*allow_exceptions=*/false);
  // The library ignores the bytes after a zero byte.
  const bool is_json = !parsed.is_discarded() && bytes.find('\0') == bytes.npos;
  FIRTH_CHECK(read.is_discarded() == !is_json);
  FIRTH_CHECK(faults.too_deep || read.is_discarded() || read == parsed);
  const auto flat = ReadJson<SomeJson>(bytes, kFewLevels, &faults);
  FIRTH_CHECK(flat.is_discarded() == !is_json);
  FIRTH_CHECK(LevelsOf(flat) <= kFewLevels + 1);
  FIRTH_CHECK(read.is_discarded() == (faults.error_place > 0));
  return faults;
}

}  // namespace

absl::Status ReadJsonText(absl::string_view bytes) {
  const JsonFaults faults = CheckReading<Json>(bytes);
  const JsonFaults ordered = CheckReading<OrderedJson>(bytes);
  FIRTH_CHECK(faults.twice == ordered.twice);
  FIRTH_CHECK(faults.too_deep == ordered.too_deep);
  FIRTH_CHECK(faults.error_place == ordered.error_place);
  if (faults.error_place == 0) return absl::OkStatus();
  return absl::InvalidArgumentError("not JSON");
}

std::vector<std::string> JsonSeeds() {
  return {R"({"b":[1,-2,1.5e3,true,null,"x\u00e9"],"a":{"c":{},"d":[]}})",
          R"({"a":1,"b":{"a":2,"a":3},"a":[{}]})", "[[[[[{\"a\":[]}]],1]]]",
          " 3 "};
}

}  // namespace firth
