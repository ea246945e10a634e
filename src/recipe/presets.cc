#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "firth/vector_training.h"

namespace firth {
namespace {

// docs/measurements/recipes.md describes the effect of each value of "best".
constexpr Preset kPresets[] = {
    {"best",
     "words and n-grams with two window sizes, for the best vectors overall",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--directional --views 5,12 --shared-windows 2 --negative 15 "
     "--learning-rate 0.05 --subword-step 0.4 --word-step 0.4 --word-share 0.4 "
     "--add-output 0.3"},
    {"small", "words and n-grams, for texts of fewer than a million words",
     "--arch skipgram --loss ns --subword-index buckets --min-n 2 --max-n 5 "
     "--buckets 2000000 --min-count 2 --epochs 20 --learning-rate 0.1"},
    {"fast", "the shortest training time",
     "--arch skipgram --loss ns --shared-windows 2"},
    {"word2vec", "the defaults of word2vec.c",
     "--arch cbow --loss ns --cbow-gradient word2vec --negative 5 --dim 100 "
     "--window 5 --sample 1e-3 --min-count 5 --epochs 5 --learning-rate 0.05"},
    {"fasttext", "the defaults of fastText skipgram",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--buckets 2000000 --negative 5 --noise-exponent 0.5 --dim 100 --window 5 "
     "--sample 1e-4 --min-count 5 --epochs 5 --learning-rate 0.05"}};

}  // namespace

absl::Span<const Preset> Presets() { return kPresets; }

std::vector<std::pair<std::string, std::string>> Preset::Values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const absl::string_view word : absl::StrSplit(options, ' ')) {
    if (absl::StartsWith(word, "--")) {
      values.emplace_back(word.substr(2), "true");
    } else {
      values.back().second = std::string(word);
    }
  }
  return values;
}

}  // namespace firth
