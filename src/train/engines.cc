#include "train/engines.h"

#include "absl/strings/str_cat.h"
#include "firth/fields.h"

namespace firth {

// The first engine that fits is used.

const EngineKind& KindOf(const TrainOptions& options) {
  for (const EngineKind* const kind : {&ColumnsKind(), &ReplicasKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return LocalKindOf(options);
}

const LocalEngineKind& LocalKindOf(const TrainOptions& options) {
  for (const LocalEngineKind* const kind : {&RoundsKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return HogwildKind();
}

absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all) {
  for (const Refused& refused : all) {
    if (!refused.is_set) continue;
    const FieldEditor fields(&options);
    return absl::InvalidArgumentError(absl::StrCat(
        "distributed: ", way, " require ", refused.expected, ", but ",
        refused.name, " is ", fields.Text(refused.name)));
  }
  return absl::OkStatus();
}

}  // namespace firth
