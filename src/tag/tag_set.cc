// Tags are numbers internally, in the order of the training set.

#include "tag/tag_set.h"

#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "lm/learn/drawn_batches.h"
#include "lm/model/character_ids.h"
#include "lm/model/finite_layers.h"

namespace firth {

absl::StatusOr<TagNumbers> TagNumbers::Of(
    absl::Span<const TaggedSentence> sentences) {
  TagNumbers numbers;
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& tag : sentence.tags) {
      const auto [at, is_new] = numbers.numbers_.try_emplace(
          tag, static_cast<uint32_t>(numbers.tags_.size()));
      if (is_new) numbers.tags_.push_back(tag);
    }
    if (numbers.tags_.size() > kMostTags) {
      return absl::InvalidArgumentError(
          absl::StrCat("the text has more than ", kMostTags,
                       " different tags; check the tag column"));
    }
  }
  return numbers;
}

std::vector<uint32_t> TagNumbers::Numbers(
    const TaggedSentence& sentence) const {
  std::vector<uint32_t> numbers;
  numbers.reserve(sentence.tags.size());
  for (const std::string& tag : sentence.tags) {
    numbers.push_back(numbers_.at(tag));
  }
  return numbers;
}

std::vector<MixWeights> MixesOf(TagNetwork<float>& network) {
  std::vector<MixWeights> mixes;
  for (const auto* mix : {network.input_mix(), network.output_mix()}) {
    if (mix == nullptr) continue;
    const std::vector<float> shares = mix->weights();
    mixes.push_back({{shares.begin(), shares.end()},
                     mix->gamma() * network.layer_scale(),
                     mix->options().layer_norm});
  }
  return mixes;
}

absl::Status CheckTagged(absl::Span<const TaggedSentence> sentences) {
  for (const TaggedSentence& sentence : sentences) {
    if (sentence.tokens.empty() ||
        sentence.tokens.size() != sentence.tags.size()) {
      return absl::InvalidArgumentError(
          "each token of the sentences needs a tag");
    }
  }
  return absl::OkStatus();
}

TagSet::TagSet(absl::Span<const TaggedSentence> of, TokenFeatureSource* source,
               uint64_t cache_bytes)
    : sentences(of),
      features(
          source,
          [of] {
            std::vector<const std::vector<std::string>*> tokens;
            tokens.reserve(of.size());
            for (const TaggedSentence& sentence : of) {
              tokens.push_back(&sentence.tokens);
            }
            return tokens;
          }(),
          cache_bytes) {}

TagNetworkOptions NetworkOptions(const TaggerOptions& options,
                                 const TokenFeatureSource& source,
                                 const FeatureChoice& choice, size_t num_tags) {
  TagNetworkOptions network;
  network.static_dim = choice.words ? source.static_dim() : 0;
  network.contextual_dim = choice.layers.empty() ? 0 : source.contextual_dim();
  if (choice.casing) {
    network.spelling.vocab_size = kNumCasings;
    network.spelling.embedding_dim = options.case_dim;
  }
  if (choice.max_characters > 0) {
    network.spelling.char_cnn =
        CharCnnOf({.filters = options.character_filters,
                   .dim = options.character_dim,
                   .max_characters = static_cast<int>(choice.max_characters)});
  }
  network.mix.layers = choice.layers.size();
  network.mix.layer_norm = options.mix_layer_norm;
  network.mix.top_only = options.mix_top_only;
  network.mix.l2 = options.mix_l2;
  network.mix_at_input = options.mix_at_input;
  network.mix_at_output = options.mix_at_output;
  network.lstm_layers = options.lstm_layers;
  network.units = options.units;
  network.dropout = options.dropout;
  network.num_tags = num_tags;
  network.crf = options.crf;
  network.threads = NumThreads(options.threads);
  return network;
}

absl::StatusOr<std::vector<PredictedTags>> PredictTags(
    FeatureStore& features, const std::vector<std::string>& tags,
    const FeatureChoice& choice, size_t batch, const Hooks& hooks,
    TagNetwork<float>& network, bool with_probabilities) {
  std::vector<PredictedTags> predicted(features.size());
  std::vector<size_t> order(features.size());
  std::iota(order.begin(), order.end(), 0);
  size_t done = 0;
  const auto length = [&](size_t s) { return features.length(s); };
  for (const auto& sentences : BatchByLength(length, order, batch)) {
    hooks.ReportWork(done, features.size());
    done += sentences.size();
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> read,
                           features.Get(sentences, choice));
    const std::vector<uint32_t> best = network.Decode(read);
    FIRTH_RETURN_IF_ERROR(network.CheckFinite());
    std::vector<double> probabilities;
    if (with_probabilities) {
      probabilities = network.Probabilities(read.lengths, best);
      for (const double probability : probabilities) {
        if (std::isfinite(probability)) continue;
        return NotFinite("the probabilities of tags",
                         static_cast<float>(probability));
      }
    }
    size_t next = 0;
    for (const size_t sentence : sentences) {
      PredictedTags& of = predicted[sentence];
      for (size_t t = 0; t < features.length(sentence); ++t, ++next) {
        of.tags.push_back(tags[best[next]]);
        if (!with_probabilities) continue;
        of.probabilities.push_back(probabilities[next]);
      }
    }
  }
  return predicted;
}

absl::StatusOr<TagScores> ScoreTags(TagSet& set,
                                    const std::vector<std::string>& tags,
                                    const FeatureChoice& choice,
                                    const TaggerOptions& options,
                                    const Hooks& hooks,
                                    TagNetwork<float>& network) {
  FIRTH_ASSIGN_OR_RETURN(
      const auto predicted,
      PredictTags(set.features, tags, choice, options.batch, hooks, network));
  TagScorer scorer;
  for (size_t s = 0; s < predicted.size(); ++s) {
    scorer.Add(set.sentences[s].tags, predicted[s].tags);
  }
  return scorer.scores();
}

}  // namespace firth
