// The text is a stream of ids that is read once. The teacher computes the
// vectors of a block of sentences, their layers are mixed into one, and the
// student trains on them. Only the student's table is kept.

#include "firth/distill.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/memory_info.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/embedding_file.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "lm/distill/token_teacher.h"
#include "nn/elementwise.h"
#include "vocab/noise_distribution.h"

namespace firth {

namespace {

// Estimates one vector per word from the vectors of its tokens.
class DistillStudent {
 public:
  virtual ~DistillStudent() = default;
  // Trains on the next sentence. `rows` has the row of each of its tokens;
  // numbers from the number of words on mean that the word has no vector.
  // `vectors` has their vectors, in one layer. `done` is the fraction of the
  // text that was read before.
  virtual void Learn(absl::Span<const uint32_t> rows,
                     const TokenVectors& vectors, double done) = 0;
  // Returns the vectors, [words, dim], and ends the training.
  virtual absl::StatusOr<FloatTable> TakeRows() = 0;
};

// MeanStudent computes means. CbowStudent trains only the output side of CBOW,
// since the teacher provides the other side. For a token w of a sentence C,
// with the context
//
//   h = the normalized mean of the teacher's vectors of the tokens of C but w
//
// it follows the gradient of
//
//   L = -ln s(u_w . h) - sum over noise words n of ln s(-u_n . h)
//
// with s(x) = 1 / (1 + exp(-x)). As h is fixed, L is convex in every u, and all
// u start at 0. A sentence of one token has no context.

constexpr double kNoiseExponent = 0.75;  // as in word2vec

class MeanStudent : public DistillStudent {
 public:
  explicit MeanStudent(PaddedMatrix means) : means_(std::move(means)) {
    counts_.resize(means_.rows());
  }

  // Updates running means, because a sum would lose the digits of values that
  // are added late.
  void Learn(absl::Span<const uint32_t> rows, const TokenVectors& vectors,
             double /*done*/) override {
    for (size_t token = 0; token < rows.size(); ++token) {
      if (rows[token] >= means_.rows()) continue;
      const float share = 1 / static_cast<float>(++counts_[rows[token]]);
      float* const mean = means_.Row(rows[token]);
      const float* const vector = vectors.Vector(0, token).data();
      for (size_t d = 0; d < vectors.dim; ++d) {
        mean[d] += share * (vector[d] - mean[d]);
      }
    }
  }
  absl::StatusOr<FloatTable> TakeRows() override {
    return FloatTable(std::move(means_));
  }

 private:
  PaddedMatrix means_;
  std::vector<uint64_t> counts_;
};

class CbowStudent : public DistillStudent {
 public:
  CbowStudent(const DistillOptions& options, absl::Span<const uint64_t> counts,
              PaddedMatrix rows)
      : options_(options),
        noise_(counts, kNoiseExponent),
        rng_(options.seed),
        rows_(std::move(rows)),
        sum_(rows_.cols()),
        context_(rows_.cols()) {}

  void Learn(absl::Span<const uint32_t> rows, const TokenVectors& vectors,
             double done) override {
    if (rows.size() < 2) return;
    std::fill(sum_.begin(), sum_.end(), 0.0f);
    for (size_t token = 0; token < rows.size(); ++token) {
      nn::AddScaled(sum_.size(), 1.0f, vectors.Vector(0, token).data(),
                    sum_.data());
    }
    const auto rate = static_cast<float>(options_.learning_rate * (1 - done));
    for (size_t token = 0; token < rows.size(); ++token) {
      if (rows[token] >= rows_.rows()) continue;
      if (!SetContext(vectors.Vector(0, token))) continue;
      Step(rows[token], 1, rate);
      for (int n = 0; n < options_.negatives; ++n) {
        const auto noise = static_cast<uint32_t>(noise_.Sample(rng_));
        if (noise != rows[token]) Step(noise, 0, rate);
      }
    }
  }
  absl::StatusOr<FloatTable> TakeRows() override {
    return FloatTable(std::move(rows_));
  }

 private:
  // Sets context_. Returns false if it is zero and therefore has no direction.
  bool SetContext(absl::Span<const float> own) {
    std::copy(sum_.begin(), sum_.end(), context_.begin());
    nn::AddScaled(context_.size(), -1.0f, own.data(), context_.data());
    const float squares =
        nn::DotProduct(context_.size(), context_.data(), context_.data());
    if (!(squares > 0)) return false;
    const float scale = 1 / std::sqrt(squares);
    for (float& value : context_) value *= scale;
    return true;
  }
  void Step(uint32_t row, float label, float rate) {
    float* const u = rows_.Row(row);
    const float score = nn::DotProduct(context_.size(), u, context_.data());
    nn::AddScaled(context_.size(), rate * (label - 1 / (1 + std::exp(-score))),
                  context_.data(), u);
  }

  DistillOptions options_;
  NoiseDistribution noise_;
  Rng rng_;
  PaddedMatrix rows_;           // u
  std::vector<float> sum_;      // sum of the sentence
  std::vector<float> context_;  // h
};

// `counts` are those of the words that get vectors. Errors: ResourceExhausted.
absl::StatusOr<std::unique_ptr<DistillStudent>> MakeStudent(
    const DistillOptions& options, absl::Span<const uint64_t> counts,
    size_t dim) {
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix rows, AllocateTable("distilled vectors",
                                                          counts.size(), dim));
  std::unique_ptr<DistillStudent> student;
  if (options.method == DistillMethod::kMean) {
    student = std::make_unique<MeanStudent>(std::move(rows));
  } else {
    student = std::make_unique<CbowStudent>(options, counts, std::move(rows));
  }
  return student;
}

// Sentences per call of the teacher.
constexpr size_t kSentencesAtOnce = 512;

// Words of the text are in the order of their counts.
absl::StatusOr<Vocabulary> WordsToDistill(const Vocabulary& all,
                                          const VocabularyOptions& options) {
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < all.size(); ++i) {
    const uint64_t count = all.Count(ToWordId(i));
    const bool full =
        options.max_vocab > 0 && words.size() >= options.max_vocab;
    if (full || count < options.min_count) break;
    words.push_back(all.Word(ToWordId(i)));
    counts.push_back(count);
  }
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("none of the ", all.size(), " words of the text occurs ",
                     options.min_count, " times (min-count)"));
  }
  return Vocabulary::Create(words, std::move(counts));
}

// Some sentences of a text, as ids and as words.
struct Block {
  std::vector<std::vector<uint32_t>> ids;
  std::vector<Contextualizer::Sentence> words;
};

// Returns the sentences from *position on, and advances it.
Block NextBlock(const Corpus& text, size_t* position) {
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  Block block;
  std::vector<uint32_t> ids;
  Contextualizer::Sentence words;
  for (; *position < tokens.size() && block.ids.size() < kSentencesAtOnce;
       ++*position) {
    const uint32_t token = tokens[*position];
    if (token != TokenStream::kSentenceEnd) {
      ids.push_back(token);
      words.push_back(text.vocabulary.Word(ToWordId(token)));
      continue;
    }
    block.ids.push_back(std::exchange(ids, {}));
    block.words.push_back(std::exchange(words, {}));
  }
  return block;
}

absl::StatusOr<MixWeights> MixOf(const DistillOptions& options, size_t layers) {
  MixWeights mix = options.layers;
  if (mix.shares.empty()) {
    mix.shares.assign(layers, 1 / static_cast<double>(layers));
  }
  if (mix.shares.size() == layers) return mix;
  return absl::InvalidArgumentError(
      absl::StrCat("the mix needs a weight for each of the ", layers,
                   " layers of the model, found ", mix.shares.size()));
}

}  // namespace

FieldTable DistillOptions::Fields() {
  FieldsOf<DistillOptions> fields;
  fields.Section("Distilling");
  fields.Choice(
      "method", &DistillOptions::method, {"mean", "cbow"},
      "choose the vector of a word: mean averages the contextual vectors "
      "of all its occurrences; cbow trains it to predict the word from the "
      "mean of the contextual vectors of the other words in the sentence",
      Field().Everyday());
  fields.Add("negative", &DistillOptions::negatives,
             "number of negative samples per token",
             Field().Range(1, 1000).Needs({"method"}, {"cbow"}));
  fields.Add("learning-rate", &DistillOptions::learning_rate,
             "set the initial learning rate; it falls to 0",
             Field().Range(1e-12, 1e9).Needs({"method"}, {"cbow"}));
  fields.Add("seed", &DistillOptions::seed,
             "set the random seed for drawing negative samples",
             Field().Needs({"method"}, {"cbow"}));
  return fields;
}

absl::Status DistillOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(vocabulary.Validate());
  return CheckFields(*this);
}

absl::StatusOr<WordVectors> Distill(const Corpus& text, TokenTeacher& teacher,
                                    const DistillOptions& options,
                                    const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_ASSIGN_OR_RETURN(const MixWeights mix,
                         MixOf(options, teacher.num_layers()));
  FIRTH_ASSIGN_OR_RETURN(Vocabulary words,
                         WordsToDistill(text.vocabulary, options.vocabulary));
  FIRTH_RETURN_IF_ERROR(teacher.body().Check(text));
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<DistillStudent> student,
                         MakeStudent(options, words.counts(), teacher.dim()));
  const size_t size = text.tokens->tokens().size();
  for (size_t position = 0; position < size;) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const double done =
        static_cast<double>(position) / static_cast<double>(size);
    const Block block = NextBlock(text, &position);
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> vectors,
                           teacher.body().Next(block.words, hooks));
    for (size_t i = 0; i < vectors.size(); ++i) {
      student->Learn(block.ids[i], MixLayers(vectors[i], mix), done);
    }
    hooks.ReportWork(position, size);
  }
  FIRTH_ASSIGN_OR_RETURN(FloatTable table, student->TakeRows());
  FIRTH_RETURN_IF_ERROR(CheckFinite(table, "distilled vectors"));
  return WordVectors::Create(std::move(words), std::move(table));
}

}  // namespace firth
