#include "train/together.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "firth/fields.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"
#include "train/engines.h"
#include "train/training_identity.h"

namespace firth {
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

Ranks* OthersOf(const TrainOptions& options, const Hooks& hooks) {
  const bool alone =
      std::holds_alternative<NotDistributed>(options.distributed) ||
      hooks.ranks == nullptr || hooks.ranks->size() == 1;
  return alone ? nullptr : hooks.ranks;
}

absl::Status CheckShared(const TrainOptions& options, bool freeze, int ranks) {
  if (ranks == 1) return absl::OkStatus();
  return KindOf(options).CheckShared(options, freeze, ranks);
}

absl::Status CheckCanBeShared(const TrainOptions& options, const Hooks& hooks,
                              const InitialVectors& initial) {
  const bool shared =
      !std::holds_alternative<NotDistributed>(options.distributed);
  if (shared != (hooks.ranks != nullptr)) {
    return absl::InvalidArgumentError(
        shared
            ? "distributed: there are no other ranks; start several with mpirun"
            : "distributed: several ranks were started; give the way in which "
              "they share the training run");
  }
  if (OthersOf(options, hooks) == nullptr) return absl::OkStatus();
  return CheckShared(options, initial.freeze, hooks.ranks->size());
}

absl::Status CheckSameTraining(Ranks& ranks, const Training& training) {
  const auto& [corpus, options, hooks, initial, checkpointing, validation] =
      training;
  TrainOptions own = options;
  const FieldEditor fields(&own);
  NamedTexts texts;
  for (const std::string& name : fields.names()) {
    if (name == "threads") continue;
    const bool is_chosen = fields.Find(name) != nullptr;
    texts.emplace_back(name, is_chosen ? fields.Text(name) : "");
  }
  const uint64_t given = initial.vectors != nullptr ? InitialSum(initial) : 0;
  const auto flag = [](bool is_set) { return is_set ? "true" : "false"; };
  const NamedTexts others = {
      {"the checksum of the vocabulary",
       HexChecksum(VocabularySum(corpus.vocabulary))},
      {"the checksum of the vectors to start from", HexChecksum(given)},
      {"freeze-init", flag(initial.freeze)},
      {"init-others", flag(initial.keep_others)},
      {"the folder of checkpoints", checkpointing.folder},
      {"resume", flag(checkpointing.resume)},
      {"patience", absl::StrCat(validation.patience)},
      {"the checksum of the validation data", MeasuredOn(validation)}};
  texts.insert(texts.end(), others.begin(), others.end());
  return CheckSameOnAll(ranks, texts);
}

}  // namespace firth
