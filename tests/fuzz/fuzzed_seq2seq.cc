#include "fuzz/fuzzed_seq2seq.h"

#include <cmath>

#include "base/check.h"
#include "firth/parallel_text.h"
#include "firth/seq2seq.h"
#include "firth/status_macros.h"
#include "fuzz/fuzz_folder.h"
#include "support/temp_files.h"

namespace firth {
namespace {

// The smallest that there can be: files of a few KB are fuzzed.
absl::StatusOr<Seq2Seq> TrainSmall(NetworkKind encoder, DecoderKind decoder,
                                   const Checkpointing& saving) {
  Seq2SeqOptions options;
  options.shape.encoder = encoder;
  options.shape.decoder = decoder;
  options.shape.units = 2;
  options.shape.heads = 1;
  options.shape.feed_forward = 1;
  options.shape.context = 8;
  options.dim = 1;
  options.epochs = 2;
  options.batch = 1;
  options.threads = 1;
  const std::vector<TextPair> train = {{{"the", "cat"}, {"cat"}},
                                       {{"a"}, {"a", "the"}}};
  Seq2SeqReport report;
  return Seq2Seq::Train(train, {}, options, {}, &report, saving);
}

}  // namespace

absl::Status TrainSmallSeq2Seq(const Checkpointing& saving) {
  return TrainSmall(NetworkKind::kRecurrent, DecoderKind::kRecurrent, saving)
      .status();
}

absl::Status ReadSeq2Seq(absl::string_view bytes) {
  FIRTH_ASSIGN_OR_RETURN(
      Seq2Seq model, Seq2Seq::Load(FuzzFolder().Write("s.safetensors", bytes)));
  const std::vector<std::string> source = {"the", "a\xff"};
  FIRTH_ASSIGN_OR_RETURN(
      const auto results,
      model.Translate({source, {}},
                      {.beam = 2, .max_tokens = 3, .best = 2, .threads = 1}));
  FIRTH_CHECK(results.size() == 2 && results[0].size() <= 2);
  for (const Seq2SeqResult& result : results[0]) {
    FIRTH_CHECK(result.tokens.size() <= 3);
    FIRTH_CHECK(std::isfinite(result.log_probability));
  }
  FIRTH_RETURN_IF_ERROR(model.Score({{source, source}}).status());
  return model.Encode(source).status();
}

std::vector<std::string> Seq2SeqSeeds() {
  std::vector<std::string> seeds;
  const std::string path = FuzzFolder().File("seed.safetensors");
  for (const auto& [encoder, decoder] :
       {std::pair{NetworkKind::kRecurrent, DecoderKind::kRecurrent},
        {NetworkKind::kWindow, DecoderKind::kRecurrent},
        {NetworkKind::kTransformer, DecoderKind::kTransformer}}) {
    const auto model = TrainSmall(encoder, decoder, {});
    FIRTH_CHECK(model.ok());
    FIRTH_CHECK(model->Save(path).ok());
    seeds.push_back(ReadWholeFile(path));
  }
  return seeds;
}

// The first byte chooses how pairs are read.
absl::Status ReadParallel(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const auto form = static_cast<unsigned char>(bytes.front());
  ParallelTextOptions options;
  options.inputs = {FuzzFolder().Write("pairs", bytes.substr(1))};
  options.with_targets = form % 2 == 0;
  options.keep_all = form / 2 % 2 == 0;
  options.label_column = form / 4 % 2 == 0 ? 0 : 3;
  options.tokens.lowercase = form / 8 % 2 == 0;
  options.max_tokens = 5;
  if (form / 16 % 2 == 0) options.tokens.units = TextUnits::kCharacters;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TextPair> pairs,
                         ReadParallelText(options));
  for (const TextPair& pair : pairs) {
    FIRTH_CHECK(pair.target.size() <= 5);
    FIRTH_CHECK(options.keep_all || !pair.source.empty());
  }
  return absl::OkStatus();
}

std::vector<std::string> ParallelSeeds() {
  return {std::string("\0a b\tc\nd\te f\n", 12),
          "\x05"
          "a\tb\tN;PL\n\tx\n",
          "\x13na\xc3\xafve\n\n"};
}

}  // namespace firth
