#include "serve/field_error.h"

#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "cli/json.h"

namespace firth::tools {
namespace {

constexpr absl::string_view kFieldPayload = "firth/field";

}  // namespace

absl::Status FieldError(absl::string_view field, absl::string_view message,
                        absl::StatusCode code) {
  absl::Status status(code, field.empty() ? std::string(message)
                                          : absl::StrCat(field, ": ", message));
  status.SetPayload(kFieldPayload, absl::Cord(field));
  return status;
}

std::string FieldOf(const absl::Status& status) {
  const auto field = status.GetPayload(kFieldPayload);
  return field.has_value() ? std::string(*field) : "";
}

bool IsText(absl::string_view bytes) {
  if (bytes.find('\0') != absl::string_view::npos) return false;
  const Json text = std::string(bytes);
  return Json::parse(OneLine(text)) == text;
}

}  // namespace firth::tools
