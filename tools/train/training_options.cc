#include "train/training_options.h"

#include <cstddef>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace firth::tools {
namespace {

// Calls visit(alternative) with a default value of every alternative.
template <class Variant, class Visit, size_t... I>
void ForEachAlternative(Visit visit, std::index_sequence<I...>) {
  (visit(std::variant_alternative_t<I, Variant>{}), ...);
}
template <class Variant, class Visit>
void ForEachAlternative(Visit visit) {
  ForEachAlternative<Variant>(
      visit, std::make_index_sequence<std::variant_size_v<Variant>>());
}

// The names of all alternatives, as choices of an option.
template <class Variant>
std::vector<std::pair<std::string, std::string>> Names() {
  std::vector<std::pair<std::string, std::string>> names;
  ForEachAlternative<Variant>([&](const auto& alternative) {
    names.emplace_back(alternative.kName, alternative.kName);
  });
  return names;
}

template <class Variant>
Variant MakeAlternative(absl::string_view name) {
  Variant made;
  ForEachAlternative<Variant>([&](const auto& alternative) {
    if (alternative.kName == name) made = alternative;
  });
  return made;
}

// The names of the alternatives that `has` a field, for a message.
template <class Variant, class Has>
std::string NamesOf(Has has) {
  std::vector<absl::string_view> names;
  ForEachAlternative<Variant>([&](const auto& alternative) {
    if (has(alternative)) names.push_back(alternative.kName);
  });
  return absl::StrJoin(names, " or ");
}

constexpr auto kHasGradient = [](const auto& options) {
  return requires { options.gradient; };
};
constexpr auto kHasSharedWindows = [](const auto& options) {
  return requires { options.shared_windows; };
};
constexpr auto kHasContextWeights = [](const auto& options) {
  return requires { options.context_weights; };
};
constexpr auto kHasDirectional = [](const auto& options) {
  return requires { options.directional; };
};
constexpr auto kHasNegatives = [](const auto& options) {
  return requires { options.negatives; };
};
constexpr auto kHasBatch = [](const auto& options) {
  return requires { options.batch; };
};

constexpr auto kHasNGrams = [](const auto& options) {
  return requires { options.min_n; };
};
constexpr auto kHasBuckets = [](const auto& options) {
  return requires { options.buckets; };
};
constexpr auto kHasHashes = [](const auto& options) {
  return requires { options.hashes; };
};
constexpr auto kHasMinCount = [](const auto& options) {
  return requires { options.min_count; };
};

// Of every architecture, and of CBOW's historic gradient.
std::string DefaultLearningRates() {
  std::vector<std::string> rates;
  ForEachAlternative<ArchitectureOptions>([&](const auto& architecture) {
    TrainOptions options;
    options.architecture = architecture;
    rates.push_back(absl::StrCat(DefaultLearningRate(options), " with ",
                                 architecture.kName));
  });
  TrainOptions historic;
  historic.architecture = CbowOptions{CbowGradient::kWord2vec};
  rates.push_back(absl::StrCat(DefaultLearningRate(historic),
                               " with --cbow-gradient word2vec"));
  return absl::StrJoin(rates, ", ");
}

}  // namespace

void TrainingOptions::Declare(OptionSet* options) {
  options->Section("Model");
  options
      ->Choice("arch", &architecture_, Names<ArchitectureOptions>(),
               "what predicts what: each context word the center, or the "
               "mean of the context the center")
      .Everyday();
  options->Choice("loss", &objective_, Names<ObjectiveOptions>(),
                  "what predicting means: negative sampling, noise-contrastive "
                  "estimation, hierarchical softmax, full softmax");
  options->Choice<CbowGradient>(
      "cbow-gradient", &cbow_gradient_,
      {{"corrected", CbowGradient::kCorrected},
       {"word2vec", CbowGradient::kWord2vec}},
      "what each context word gets of the step: its share, or all of it as in "
      "word2vec.c; with --arch cbow");
  options->Choice<ContextWeights>(
      "context-weights", &context_weights_,
      {{"equal", ContextWeights::kEqual},
       {"distance", ContextWeights::kDistance},
       {"position", ContextWeights::kPosition}},
      "what context words are multiplied by: nothing, less with distance, or a "
      "learnt vector for each position; with --arch cbow");
  options->Switch("directional", &directional_,
                  "words before and after the center predict it with weights "
                  "of their own, so that order is learnt; with --arch skipgram "
                  "and --loss ns; of --views, in the narrowest");
  options->Integer("dim", &options_.dim, 1, 65536, "values a vector")
      .Everyday();
  options
      ->Integer("window", &options_.window, 1, 1000,
                "context words to each side")
      .Everyday();
  options->Integers("views", &options_.views, 1, 1000,
                    "train once with each of these windows, and join the "
                    "results by their principal components: better vectors "
                    "for so many times the work");
  options
      ->Integer("view-dim", &options_.view_dim, 1, 65536,
                "values a vector in each of --views, at least --dim")
      .default_text = "twice --dim";
  options->Choice<bool>(
      "dynamic-window", &options_.dynamic_window,
      {{"on", true}, {"off", false}},
      "draw the reach from 1 to --window at each position, so that near words "
      "count more");
  options->Integer("negative", &negatives_, 1, 1000,
                   "noise words a window; with --loss ns or nce");
  options->Integer("shared-windows", &shared_windows_, 1, 2,
                   "neighbouring windows that share their noise words; 2 is a "
                   "fifth faster and costs about half a point of analogies; "
                   "with --arch skipgram and --loss ns or nce");
  options->Real("noise-exponent", &noise_exponent_, -10, 10,
                "noise words are drawn by count to this power; with --loss ns "
                "or nce");
  options->Integer("batch", &batch_, 1, 4096,
                   "windows a matrix product; with --loss softmax");
  options->Section("Subwords");
  options
      ->Choice("subword-index", &subword_index_, Names<SubwordOptions>(),
               "learn character n-grams too: hashed to --buckets rows as "
               "fastText has them; each with a row of its own; or to few "
               "rows, of which each n-gram has several, as floret has them")
      .default_text = "buckets with --min-n, --max-n or --buckets, else none";
  options->Integer("min-n", &min_n_, 1, 100,
                   "characters of the shortest n-grams of <word>");
  options->Integer("max-n", &max_n_, 1, 100, "and of the longest");
  options
      ->Integer("buckets", &buckets_, 1, SubwordIndex::kNoRow - 1,
                "hashes that n-grams have; with --subword-index buckets or "
                "floret")
      .default_text = absl::StrCat(BucketSubwords().buckets, ", ",
                                   FloretSubwords().buckets, " with floret");
  options->Integer("hashes", &hashes_, 1, 4,
                   "rows of an n-gram; with --subword-index floret");
  options
      ->Integer("ngram-min-count", &n_gram_min_count_, 1,
                std::numeric_limits<uint64_t>::max(),
                "least count of an n-gram in the text; with --subword-index "
                "explicit")
      .range.clear();
  options->Real("subword-step", &options_.subword_step, 1e-6, 1,
                "share of a word's step that the row of each of its n-grams "
                "gets");
  options->Real("word-step", &options_.word_step, 1e-6, 1000,
                "share of its step that the row of the word itself gets; with "
                "--subword-index buckets or explicit");
  options->Section("Training");
  options->Real("word-share", &options_.word_share, 0, 1,
                "at the end, multiply the row of each word itself by this: "
                "what its n-grams do not say counts less; with "
                "--subword-index buckets or explicit");
  options->Real("add-output", &options_.add_output, 0, 10,
                "at the end, add this share of each word's output vector, "
                "centered and as long, to its vector: more of what words are "
                "used with; with --loss ns, nce or softmax");
  options->Real("sample", &options_.sample, 0, 1,
                "thin out words more frequent than this share of the text; 0: "
                "none");
  options->Integer("epochs", &options_.epochs, 1, 10000, "passes over the text")
      .Everyday();
  constexpr double kAny = std::numeric_limits<double>::max();
  options
      ->Real("learning-rate", &options_.learning_rate, 1e-9, kAny,
             "at the start; it falls linearly")
      .default_text = DefaultLearningRates();
  options->Real("min-learning-rate", &options_.min_learning_rate, 0, kAny,
                "at the end");
  options
      ->Integer("seed", &options_.seed, 0, std::numeric_limits<uint64_t>::max(),
                "of all random numbers; the same seed and --threads 1 give "
                "the same file")
      .range.clear();
  options->Switch("deterministic", &options_.deterministic,
                  "the same seed gives the same file with any number of "
                  "threads, at about half the speed; --loss softmax works on "
                  "one thread then");
}

std::vector<TrainingOptions::Dependency> TrainingOptions::Dependencies() const {
  const auto& objective = options_.objective;
  const bool noise = std::visit(kHasNegatives, objective);
  const std::string with_noise =
      absl::StrCat("--loss ", NamesOf<ObjectiveOptions>(kHasNegatives));
  const bool n_grams = std::visit(kHasNGrams, options_.subwords);
  const std::string with_n_grams =
      absl::StrCat("--subword-index ", NamesOf<SubwordOptions>(kHasNGrams));
  return {
      {"cbow-gradient", std::visit(kHasGradient, options_.architecture),
       absl::StrCat("--arch ", NamesOf<ArchitectureOptions>(kHasGradient))},
      {"context-weights", std::visit(kHasContextWeights, options_.architecture),
       absl::StrCat("--arch ",
                    NamesOf<ArchitectureOptions>(kHasContextWeights))},
      {"directional",
       std::holds_alternative<NegativeSamplingOptions>(objective) &&
           std::visit(kHasDirectional, options_.architecture),
       absl::StrCat("--arch ", NamesOf<ArchitectureOptions>(kHasDirectional),
                    " and --loss ", NegativeSamplingOptions::kName)},
      {"shared-windows",
       noise && std::visit(kHasSharedWindows, options_.architecture),
       absl::StrCat("--arch ", NamesOf<ArchitectureOptions>(kHasSharedWindows),
                    " and ", with_noise)},
      {"negative", noise, with_noise},
      {"noise-exponent", noise, with_noise},
      {"batch", std::visit(kHasBatch, objective),
       absl::StrCat("--loss ", NamesOf<ObjectiveOptions>(kHasBatch))},
      {"min-n", n_grams, with_n_grams},
      {"max-n", n_grams, with_n_grams},
      {"subword-step", n_grams, with_n_grams},
      {"word-step", n_grams && WordsHaveRows(options_.subwords),
       "--subword-index buckets or explicit"},
      {"word-share", n_grams && WordsHaveRows(options_.subwords),
       "--subword-index buckets or explicit"},
      {"buckets", std::visit(kHasBuckets, options_.subwords),
       absl::StrCat("--subword-index ", NamesOf<SubwordOptions>(kHasBuckets))},
      {"hashes", std::visit(kHasHashes, options_.subwords),
       absl::StrCat("--subword-index ", NamesOf<SubwordOptions>(kHasHashes))},
      {"ngram-min-count", std::visit(kHasMinCount, options_.subwords),
       absl::StrCat("--subword-index ",
                    NamesOf<SubwordOptions>(kHasMinCount))}};
}

void TrainingOptions::FillVariants() {
  options_.architecture = MakeAlternative<ArchitectureOptions>(architecture_);
  options_.objective = MakeAlternative<ObjectiveOptions>(objective_);
  options_.subwords = MakeAlternative<SubwordOptions>(subword_index_);
  const auto fill = [this](auto& chosen) {
    if constexpr (requires { chosen.gradient; }) {
      chosen.gradient = cbow_gradient_;
    }
    if constexpr (requires { chosen.context_weights; }) {
      chosen.context_weights = context_weights_;
    }
    if constexpr (requires { chosen.directional; }) {
      // A preset's, too, which may not go with the objective that is given.
      chosen.directional =
          directional_ &&
          std::holds_alternative<NegativeSamplingOptions>(options_.objective);
    }
    if constexpr (requires { chosen.shared_windows; }) {
      chosen.shared_windows = shared_windows_;
    }
    if constexpr (requires { chosen.negatives; }) {
      chosen.negatives = negatives_;
      chosen.noise_exponent = noise_exponent_;
    }
    if constexpr (requires { chosen.batch; }) chosen.batch = batch_;
    if constexpr (requires { chosen.min_n; }) {
      chosen.min_n = min_n_;
      chosen.max_n = max_n_;
    }
    if constexpr (requires { chosen.buckets; }) {
      if (buckets_ > 0) chosen.buckets = static_cast<uint32_t>(buckets_);
      buckets_ = chosen.buckets;
    }
    if constexpr (requires { chosen.hashes; }) chosen.hashes = hashes_;
    if constexpr (requires { chosen.min_count; }) {
      chosen.min_count = n_gram_min_count_;
    }
  };
  std::visit(fill, options_.architecture);
  std::visit(fill, options_.objective);
  std::visit(fill, options_.subwords);
  if (!has_subwords() || !WordsHaveRows(options_.subwords)) {
    options_.word_share = 1;
  }
}

absl::Status TrainingOptions::Finish(const OptionSet& given, int threads) {
  if (!given.Given("subword-index") &&
      (given.Given("min-n") || given.Given("max-n") ||
       given.Given("buckets"))) {
    subword_index_ = std::string(BucketSubwords::kName);
  }
  FillVariants();
  for (const Dependency& dependency : Dependencies()) {
    if (given.Given(dependency.option) && !dependency.applies) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", dependency.option, " goes with ", dependency.needs,
                       ", found --arch ", architecture_, " --loss ", objective_,
                       " --subword-index ", subword_index_));
    }
  }
  const bool views = !options_.views.empty();
  if (given.Given(views ? "window" : "view-dim")) {
    return absl::InvalidArgumentError(
        views ? "--window: the windows are those of --views"
              : "--view-dim goes with --views");
  }
  options_.threads = threads;
  if (options_.learning_rate == 0) {
    options_.learning_rate = DefaultLearningRate(options_);
  }
  if (options_.min_learning_rate > options_.learning_rate) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--min-learning-rate: expected at most the learning rate, ",
        options_.learning_rate, ", found ", options_.min_learning_rate));
  }
  return options_.Validate();
}

absl::Status TrainingOptions::SetDim(const OptionSet& given, size_t dim) {
  if (given.Given("dim") && static_cast<size_t>(options_.dim) != dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dim ", options_.dim, ": the vectors of --init have ",
                     dim, " dimensions; leave --dim out or give ", dim));
  }
  options_.dim = static_cast<int>(dim);
  return options_.Validate();
}

bool TrainingOptions::has_subwords() const {
  return !std::holds_alternative<NoSubwords>(options_.subwords);
}

int TrainingOptions::total_epochs() const {
  const auto trainings = static_cast<int>(options_.views.size());
  return options_.epochs * (trainings > 0 ? trainings : 1);
}

std::vector<std::string> TrainingOptions::Unused() const {
  std::vector<std::string> unused;
  for (const Dependency& dependency : Dependencies()) {
    if (!dependency.applies) unused.push_back(dependency.option);
  }
  if (options_.views.empty()) {
    unused.insert(unused.end(), {"views", "view-dim"});
  } else {
    unused.emplace_back("window");
  }
  return unused;
}

}  // namespace firth::tools
