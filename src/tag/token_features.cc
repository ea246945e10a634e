// Static vectors are looked up for each batch. Contextual vectors are far more
// expensive, so those of as many sentences as fit into the memory are kept when
// they are first computed; the others are computed again for each batch.

#include "tag/token_features.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "lm/model/character_ids.h"
#include "lm/read/network_model.h"

namespace firth {
namespace {

LoadOptions AsTheyAre() { return {.only_vectors = true, .keep_form = true}; }

TokenFeatures<float> Sized(const FeatureChoice& choice, size_t static_dim,
                           size_t contextual_dim, size_t tokens) {
  TokenFeatures<float> features;
  if (choice.words) features.words.Resize(tokens, static_dim);
  features.layers.resize(choice.layers.size());
  for (Matrix<float>& layer : features.layers) {
    layer.Resize(tokens, contextual_dim);
  }
  return features;
}

// Numbers the distinct tokens of some sentences, and sets the features of each.
class Speller {
 public:
  // Borrows both arguments, and all tokens.
  Speller(const FeatureChoice& choice, TokenFeatures<float>* features)
      : choice_(choice), features_(*features) {}

  void Add(const std::string& token) {
    const auto [at, is_new] = numbers_.try_emplace(
        token, static_cast<uint32_t>(features_.casings.size()));
    features_.spelled_as.push_back(at->second);
    if (!is_new) return;
    features_.casings.push_back(static_cast<uint32_t>(CasingOf(token)));
    if (choice_.max_characters == 0) return;
    AppendCharacterIds(token, choice_.max_characters, &features_.characters);
  }

 private:
  const FeatureChoice& choice_;
  TokenFeatures<float>& features_;
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;
};

}  // namespace

bool CopyTokenVector(const WordVectors& vectors, const std::string& token,
                     absl::Span<float> to) {
  std::optional<WordId> word = vectors.vocabulary().Find(token);
  if (!word.has_value()) word = vectors.vocabulary().Find(Lowercase(token));
  if (word.has_value()) {
    vectors.CopyVector(*word, to);
    return true;
  }
  const auto made = vectors.FromNGrams(token);
  std::fill(to.begin(), to.end(), 0.0f);
  if (made.has_value()) std::copy(made->begin(), made->end(), to.begin());
  return made.has_value();
}

absl::StatusOr<TokenFeatureSource> TokenFeatureSource::Load(
    const TaggerInputs& inputs, int threads) {
  TokenFeatureSource source;
  source.threads_ = threads;
  if (!inputs.vectors.empty()) {
    FIRTH_ASSIGN_OR_RETURN(VectorFile file,
                           LoadVectorFile(inputs.vectors, AsTheyAre()));
    source.vectors_ = std::move(file.vectors);
  }
  if (!inputs.contextualizer.empty()) {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                           LoadContextualizer(inputs.contextualizer));
    source.contextualizer_ = std::move(contextualizer);
  }
  return source;
}

absl::StatusOr<TokenFeatureSource> TokenFeatureSource::Load(
    const WholeVectors& vectors, const MappedFilePtr& contextualizer,
    int threads) {
  TokenFeatureSource source;
  source.threads_ = threads;
  if (vectors.file != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(VectorFile file,
                           LoadWholeVectors(vectors, AsTheyAre()));
    source.vectors_ = std::move(file.vectors);
  }
  if (contextualizer != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer loaded,
                           LoadContextualizer(contextualizer));
    source.contextualizer_ = std::move(loaded);
  }
  return source;
}

FeatureChoice TokenFeatureSource::All() const {
  FeatureChoice all{vectors_.has_value(), {}};
  for (size_t j = 0; j < num_layers(); ++j) all.layers.push_back(j);
  return all;
}

absl::StatusOr<std::vector<TokenVectors>> TokenFeatureSource::Embed(
    absl::Span<const std::vector<std::string>* const> sentences) {
  std::vector<Contextualizer::Sentence> views;
  for (const std::vector<std::string>* sentence : sentences) {
    views.emplace_back(sentence->begin(), sentence->end());
  }
  return contextualizer_->Embed(views, {.threads = threads_});
}

// Returns the vectors of the sentences that are not kept, in their order.
absl::StatusOr<std::vector<TokenVectors>> FeatureStore::EmbedMissing(
    absl::Span<const size_t> which) {
  std::vector<const std::vector<std::string>*> missing;
  for (const size_t s : which) {
    if (kept_[s] == nullptr) missing.push_back(sentences_[s]);
  }
  if (missing.empty()) return std::vector<TokenVectors>();
  return source_->Embed(missing);
}

absl::StatusOr<TokenFeatures<float>> FeatureStore::Get(
    absl::Span<const size_t> which, const FeatureChoice& choice) {
  size_t tokens = 0;
  for (const size_t s : which) tokens += length(s);
  TokenFeatures<float> features =
      Sized(choice, source_->static_dim(), source_->contextual_dim(), tokens);
  std::vector<TokenVectors> made;
  if (!choice.layers.empty()) {
    FIRTH_ASSIGN_OR_RETURN(made, EmbedMissing(which));
  }
  Speller speller(choice, &features);
  size_t row = 0, next_made = 0;
  for (const size_t s : which) {
    const size_t first = row;
    features.lengths.push_back(length(s));
    for (const std::string& token : *sentences_[s]) {
      if (choice.words) {
        CopyTokenVector(
            *source_->vectors(), token,
            absl::MakeSpan(features.words.Row(row), features.words.cols()));
      }
      if (choice.spelling()) speller.Add(token);
      ++row;
    }
    if (choice.layers.empty()) continue;
    std::shared_ptr<const TokenVectors> vectors = kept_[s];
    if (vectors == nullptr) {
      vectors = std::make_shared<TokenVectors>(std::move(made[next_made++]));
      const uint64_t bytes = vectors->values.size() * sizeof(float);
      if (bytes <= memory_left_) {
        memory_left_ -= bytes;
        kept_[s] = vectors;
      }
    }
    for (size_t j = 0; j < choice.layers.size(); ++j) {
      const float* const layer = vectors->Vector(choice.layers[j], 0).data();
      std::copy_n(layer, vectors->tokens * vectors->dim,
                  features.layers[j].Row(first));
    }
  }
  return features;
}

Casing CasingOf(absl::string_view token) {
  size_t letters = 0, capitals = 0;
  bool digit = false, initial = false;
  for (size_t i = 0; i < token.size();) {
    const CodePoint point = DecodeUtf8(token.substr(i));
    i += point.bytes;
    if (point.value < 0) continue;
    digit |= IsDigit(point.value);
    if (!IsLetter(point.value)) continue;
    const bool capital = LowercaseCodePoint(point.value) != point.value;
    if (letters == 0) initial = capital;
    ++letters;
    capitals += capital ? 1 : 0;
  }
  if (letters == 0) return digit ? Casing::kNumber : Casing::kNoLetter;
  if (digit) return Casing::kWithDigit;
  if (capitals == 0) return Casing::kLower;
  if (initial && capitals == 1) return Casing::kInitial;
  return capitals == letters ? Casing::kCapitals : Casing::kMixed;
}

}  // namespace firth
