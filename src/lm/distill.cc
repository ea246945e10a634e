// The text is a stream of ids that is read once. The teacher computes the
// vectors of a block of sentences, their layers are mixed into one, and the
// student trains on them. Only the student's table is kept.

#include "firth/distill.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/token_stream.h"
#include "firth/embedding_file.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "lm/distill_student.h"
#include "lm/token_teacher.h"

namespace firth {
namespace {

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
  fields
      .Choice(
          "method", &DistillOptions::method, {"mean", "cbow"},
          "choose the vector of a word: mean averages the contextual vectors "
          "of all its occurrences; cbow trains it to predict the word from the "
          "mean of the contextual vectors of the other words in the sentence")
      .Everyday();
  fields
      .Add("negative", &DistillOptions::negatives,
           "number of negative samples per token")
      .Range(1, 1000)
      .Needs({"method"}, {"cbow"});
  fields
      .Add("learning-rate", &DistillOptions::learning_rate,
           "set the initial learning rate; it falls to 0")
      .Range(1e-12, 1e9)
      .Needs({"method"}, {"cbow"});
  fields
      .Add("seed", &DistillOptions::seed,
           "set the random seed for drawing negative samples")
      .Needs({"method"}, {"cbow"});
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
