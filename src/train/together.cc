#include "train/together.h"

#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/checksum.h"
#include "firth/fields.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"
#include "train/training_identity.h"

namespace firth {
namespace {

// An option under which ranks cannot share the training.
struct Refused {
  bool is_so = false;
  absl::string_view name;  // of the option whose value is shown as found
  std::string expected;
};

absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all) {
  for (const Refused& refused : all) {
    if (!refused.is_so) continue;
    const FieldEditor fields(&options);
    return absl::InvalidArgumentError(absl::StrCat(
        "distributed: ", way, " require ", refused.expected, ", but ",
        refused.name, " is ", fields.Text(refused.name)));
  }
  return absl::OkStatus();
}

absl::Status CheckColumns(const TrainOptions& options, bool freeze, int ranks) {
  if (freeze) {
    return absl::InvalidArgumentError(
        "distributed: columns cannot be combined with freeze-init");
  }
  return CheckNone(
      "columns", options,
      {{!std::holds_alternative<SkipGramOptions>(options.architecture), "arch",
        "arch skipgram"},
       {!std::holds_alternative<NegativeSamplingOptions>(options.objective),
        "loss", "loss ns"},
       {!std::holds_alternative<NoSubwords>(options.subwords), "subword-index",
        "subword-index none"},
       {!options.views.empty(), "views", "no views"},
       {options.add_output != 0, "add-output", "add-output 0"},
       {options.deterministic, "deterministic",
        "deterministic false (one rank gives the same file each time)"},
       {options.threads > 1, "threads", "threads 1 (start more ranks instead)"},
       {options.dim < ranks, "dim",
        absl::StrCat("dim ", ranks, " or more, one column for each rank")}});
}

absl::Status CheckReplicas(const TrainOptions& options) {
  return CheckNone("replicas", options,
                   {{!options.views.empty(), "views", "no views"},
                    {options.deterministic, "deterministic",
                     "deterministic false (columns are deterministic)"}});
}

}  // namespace

bool IsByColumns(const TrainOptions& options) {
  return std::holds_alternative<ColumnsOptions>(options.distributed);
}

Ranks* OthersOf(const TrainOptions& options, const Hooks& hooks) {
  const bool alone =
      std::holds_alternative<NotDistributed>(options.distributed) ||
      hooks.ranks == nullptr || hooks.ranks->size() == 1;
  return alone ? nullptr : hooks.ranks;
}

absl::Status CheckShared(const TrainOptions& options, bool freeze, int ranks) {
  if (ranks == 1) return absl::OkStatus();
  return IsByColumns(options) ? CheckColumns(options, freeze, ranks)
                              : CheckReplicas(options);
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

absl::Status CheckSameTraining(Ranks& ranks, const TrainOptions& options,
                               const Corpus& corpus,
                               const InitialVectors& initial,
                               const Checkpointing& checkpointing,
                               const Validation& validation) {
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

absl::StatusOr<std::shared_ptr<const TokenStream>> PlaceStream(
    Ranks& ranks, const std::shared_ptr<const TokenStream>& own) {
  std::vector<uint64_t> sizes(static_cast<size_t>(ranks.size()));
  sizes[static_cast<size_t>(ranks.rank())] = own->tokens().size();
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sizes)));
  StreamPlace place = own->place();
  place.first_position =
      std::accumulate(sizes.begin(), sizes.begin() + ranks.rank(), uint64_t{0});
  return std::make_shared<const TokenStream>(own->tokens(), own->num_words(),
                                             own, place);
}

}  // namespace firth
