#include "classify/text_context.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "classify/feature_index_body.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Number of texts that a contextualizer reads at a time.
constexpr size_t kContextTexts = 256;

// Separates the sentences of a pair: the second one begins after it.
constexpr absl::string_view kSecondBegins = "</S>";

// Splits a text at its first tab into two sentences, if `pairs`.
std::pair<absl::string_view, absl::string_view> PartsOf(absl::string_view text,
                                                        bool pairs) {
  text = absl::StripLeadingAsciiWhitespace(text);
  const size_t tab = pairs ? text.find('\t') : text.npos;
  if (tab == text.npos) return {text, {}};
  return {text.substr(0, tab), text.substr(tab + 1)};
}

}  // namespace

std::vector<std::string> ContextWordsOf(absl::string_view text,
                                        const FeatureOptions& options,
                                        bool pairs) {
  std::vector<std::string> words;
  TokenRoom room;
  const auto add = [&](absl::string_view part) {
    ForEachToken(options, part, &room,
                 [&](absl::string_view token) { words.emplace_back(token); });
  };
  const auto [one, other] = PartsOf(text, pairs);
  add(one);
  if (!other.empty()) words.emplace_back(kSecondBegins);
  add(other);
  return words;
}

absl::Status ReadContext(absl::Span<const absl::string_view> texts,
                         const FeatureOptions& options, int threads,
                         const Hooks& hooks, Contextualizer* contextualizer,
                         Matrix<float>* context) {
  const size_t layers = contextualizer->num_layers();
  const size_t dim = contextualizer->dim();
  *context = Matrix<float>(texts.size(), layers * dim);
  const bool pairs = contextualizer->reads_pairs();
  for (size_t first = 0; first < texts.size(); first += kContextTexts) {
    const auto some = texts.subspan(first, kContextTexts);
    std::vector<std::vector<std::string>> words(some.size());
    std::vector<Contextualizer::Sentence> sentences(some.size());
    for (size_t i = 0; i < some.size(); ++i) {
      words[i] = ContextWordsOf(some[i], options, pairs);
      sentences[i].assign(words[i].begin(), words[i].end());
    }
    FIRTH_ASSIGN_OR_RETURN(
        const std::vector<TokenVectors> vectors,
        contextualizer->Embed(sentences, {.threads = threads}, hooks));
    for (size_t i = 0; i < some.size(); ++i) {
      const TokenVectors mean = Pool(vectors[i], Pooling::kMean);
      std::copy(mean.values.begin(), mean.values.end(),
                context->Row(first + i));
    }
  }
  return absl::OkStatus();
}

void FitContextScale(const Matrix<float>& context, ClassifierModel* model) {
  const size_t dim = context.cols();
  const auto texts = static_cast<double>(context.rows());
  model->context_mean.resize(dim);
  model->context_scale.resize(dim);
  for (size_t d = 0; d < dim; ++d) {
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < context.rows(); ++i) {
      const auto value = static_cast<double>(context.Row(i)[d]);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / texts;
    const double variance = std::max(squares / texts - mean * mean, 1e-12);
    model->context_mean[d] = static_cast<float>(mean);
    model->context_scale[d] =
        static_cast<float>(1 / std::sqrt(variance * static_cast<double>(dim)));
  }
}

void ScaleContext(const ClassifierModel& model, float* context) {
  for (size_t d = 0; d < model.context_mean.size(); ++d) {
    context[d] = (context[d] - model.context_mean[d]) * model.context_scale[d];
  }
}

}  // namespace firth
