#include "vectors/word_bag_encoder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "firth/sentence_vectors.h"
#include "nlohmann/json.hpp"
#include "simd/stored_rows.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// The vectors of the words of one text, [words, dim]. All words are looked up
// first, so that their rows arrive from memory together.
class BagRows {
 public:
  BagRows(const WordVectors& vectors, bool unit_words)
      : vectors_(vectors), unit_words_(unit_words) {}

  size_t size() const { return rows_.size(); }

  // Does nothing if the word has no vector.
  void Add(absl::string_view word) {
    const std::optional<WordId> id = vectors_.vocabulary().Find(word);
    if (id.has_value() && vectors_.is_float()) {
      const absl::Span<const float> row = vectors_.Vector(*id);
      // The processor prefetches the rest of the row when it is read.
      __builtin_prefetch(row.data());
      rows_.push_back(row.data());
    } else if (id.has_value()) {
      Keep(vectors_.CopyVector(*id));
    } else if (auto made = vectors_.FromNGrams(word); made.has_value()) {
      Keep(*std::move(made));
    }
  }

  // Sets `mean` [dim] to the mean of the rows, or to zeros if there are none.
  void Mean(absl::Span<float> mean) const {
    absl::InlinedVector<float, kUsualWords> scales;
    if (unit_words_) {
      for (const float* const row : rows_) {
        scales.push_back(InverseNorm({row, mean.size()}));
      }
    }
    SumRows(rows_.data(), unit_words_ ? scales.data() : nullptr, rows_.size(),
            1 / static_cast<float>(std::max<size_t>(rows_.size(), 1)),
            mean.size(), mean.data());
  }

 private:
  static constexpr size_t kUsualWords = 64;  // More take memory of their own.

  void Keep(std::vector<float> row) {
    rows_.push_back(made_.emplace_back(std::move(row)).data());
  }

  const WordVectors& vectors_;
  const bool unit_words_;
  absl::InlinedVector<const float*, kUsualWords> rows_;
  std::vector<std::vector<float>> made_;  // BagRows that no table contains.
};

class WordBagEncoder : public TextEncoder {
 public:
  // `vectors` must not have an encoder, which would own itself.
  WordBagEncoder(WordVectors vectors, const SentenceForm& form)
      : vectors_(std::move(vectors)), form_(form) {}

  absl::Status Check() const override { return form_.Prepare(); }

  absl::StatusOr<size_t> Encode(absl::string_view text, bool unit_words,
                                absl::Span<float> vector) const override {
    BagRows rows(vectors_, unit_words);
    std::string scratch;
    form_.ForEachWord(text, &scratch,
                      [&](absl::string_view word) { rows.Add(word); });
    rows.Mean(vector);
    return rows.size();
  }

 private:
  WordVectors vectors_;
  SentenceForm form_;
};

}  // namespace

std::string DescribeSentences(const SentenceForm& form,
                              const std::vector<int>& nested) {
  Json json = {{"lowercase", form.lowercase},
               {"split_punctuation", form.split_punctuation}};
  if (!nested.empty()) json["nested"] = nested;
  return DumpJson(json);
}

absl::StatusOr<SentenceForm> ReadSentenceForm(absl::string_view description,
                                              absl::string_view place) {
  const Json json = ParseJson(description);
  SentenceForm form;
  bool is_good = json.is_object();
  for (auto [name, value] :
       {std::pair("lowercase", &form.lowercase),
        std::pair("split_punctuation", &form.split_punctuation)}) {
    const auto member = is_good ? json.find(name) : json.end();
    is_good = is_good && member != json.end() && member->is_boolean();
    if (is_good) *value = member->get<bool>();
  }
  if (is_good) return form;
  return absl::DataLossError(absl::StrCat(
      place, ": metadata \"", kSentencesKey,
      "\": expected an object with \"lowercase\" and \"split_punctuation\", "
      "found ",
      description.substr(0, 100)));
}

WordVectors WithWordBags(WordVectors vectors, const SentenceForm& form) {
  auto encoder = std::make_shared<const WordBagEncoder>(vectors, form);
  return vectors.WithTextEncoder(std::move(encoder));
}

}  // namespace firth
