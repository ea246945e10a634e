#include "vectors/word_bag_encoder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "firth/sentence_vectors.h"
#include "nlohmann/json.hpp"
#include "vectors/row_block.h"

namespace firth {
namespace {

class WordBagEncoder : public TextEncoder {
 public:
  // `vectors` must not have an encoder, which would own itself.
  WordBagEncoder(WordVectors vectors, const SentenceForm& form)
      : vectors_(std::move(vectors)), form_(form) {}

  absl::Status Check() const override { return form_.Prepare(); }

  absl::StatusOr<size_t> Encode(absl::string_view text, bool unit_words,
                                absl::Span<float> vector) const override {
    std::fill(vector.begin(), vector.end(), 0.0f);
    size_t words = 0;
    std::vector<float> row(vector.size());
    std::string scratch;
    form_.ForEachWord(text, &scratch, [&](absl::string_view word) {
      const std::optional<WordId> id = vectors_.vocabulary().Find(word);
      absl::Span<const float> values;
      std::optional<std::vector<float>> made;
      if (id.has_value() && vectors_.is_float()) {
        values = vectors_.Vector(*id);
      } else if (id.has_value()) {
        vectors_.CopyVector(*id, absl::MakeSpan(row));
        values = row;
      } else {
        made = vectors_.FromNGrams(word);
        if (!made.has_value()) return;
        values = *made;
      }
      const auto scale =
          unit_words ? static_cast<float>(InverseNorm(values)) : 1.0f;
      for (size_t d = 0; d < vector.size(); ++d) {
        vector[d] += scale * values[d];
      }
      ++words;
    });
    const float share = 1 / static_cast<float>(std::max<size_t>(words, 1));
    for (float& value : vector) value *= share;
    return words;
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
