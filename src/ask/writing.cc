// The question about what a sequence-to-sequence model writes for a text.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ask/question.h"
#include "firth/seq2seq.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct WriteRequest {
  std::string text;
  std::vector<std::string> words;
  Seq2SeqSearch options;
  bool attention = false;

  static FieldTable Fields() {
    FieldsOf<WriteRequest> fields;
    fields.Add("text", &WriteRequest::text,
               "text to read; the model determines how it is split into "
               "tokens");
    fields.Add("words", &WriteRequest::words,
               "tokens to read, instead of a text");
    fields.Part(&WriteRequest::options);
    fields.Add("attention", &WriteRequest::attention,
               "whether to return the attention to the tokens of the source");
    return fields;
  }
  absl::Status Validate() const {
    if (text.empty() || words.empty()) return options.Validate();
    return absl::InvalidArgumentError(
        "words: text and words cannot be given together");
  }
};

struct WrittenText {
  std::string text;
  std::vector<std::string> tokens;
  double log_probability = 0;
  std::vector<std::vector<float>> attention;

  static AnswerTable Members() {
    return {{"text", &WrittenText::text},
            {"tokens", &WrittenText::tokens, "tokens of the text",
             Listing::kInJson},
            {"log_probability", &WrittenText::log_probability,
             "ln p of the tokens and the end"},
            {"attention", &WrittenText::attention,
             "for each token, and for the end, the attention to each token of "
             "the source and to its end; empty unless it was requested",
             Listing::kInJson}};
  }
};

struct WriteAnswer {
  std::vector<std::string> source;
  std::vector<WrittenText> texts;

  static AnswerTable Members() {
    return {{"source", &WriteAnswer::source, "tokens that were read",
             Listing::kInJson},
            {"texts", &WriteAnswer::texts, "best first"}};
  }
};

std::vector<std::string> SourceOf(const Seq2Seq& model,
                                  const WriteRequest& request) {
  return request.words.empty() ? TokensOf(model.tokens(), request.text)
                               : request.words;
}

absl::StatusOr<std::vector<WriteAnswer>> Write(
    const Opened& opened, absl::Span<const WriteRequest> requests) {
  const OpenedSeq2Seq& model = opened.seq2seq();
  std::vector<std::vector<std::string>> sources;
  for (const WriteRequest& request : requests) {
    sources.push_back(SourceOf(model.model, request));
  }
  Seq2SeqSearch options = requests[0].options;
  options.attention = requests[0].attention;
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      auto results, model.model.Translate(sources, options, opened.hooks()));
  std::vector<WriteAnswer> answers(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    answers[i].source = std::move(sources[i]);
    for (Seq2SeqResult& result : results[i]) {
      answers[i].texts.push_back(
          {std::move(result.text), std::move(result.tokens),
           result.log_probability, std::move(result.attention)});
    }
  }
  return answers;
}

bool SameOptions(const WriteRequest& a, const WriteRequest& b) {
  return a.attention == b.attention &&
         FieldsJson(a.options) == FieldsJson(b.options);
}

// Returns a bound of the size of an answer in bytes.
uint64_t SizeOfWritten(const Opened& opened, const WriteRequest& request) {
  const uint64_t source = SourceOf(opened.seq2seq().model, request).size() + 1;
  const uint64_t length = request.options.max_tokens > 0
                              ? request.options.max_tokens
                              : 20 + 2 * source;
  constexpr uint64_t kValueBytes = 12;
  return request.options.best * length * kValueBytes *
         (request.attention ? source + 2 : 2);
}

}  // namespace

Question Seq2SeqQuestion() {
  return MakeQuestion<WriteRequest, WriteAnswer>(
      {.name = "seq2seq",
       .summary = "write a text for each text that is read",
       .description =
           "Reads a text and writes another: its translation, an inflected "
           "form, or whatever the pairs of the model's training were. A text "
           "is written by beam search.",
       .slots = {ModelSlot(ModelKind::kSeq2Seq)},
       .example = R"({"text":"the king spoke"})",
       .command = "seq2seq apply",
       .lane = Lane::kStream},
      &Write, &SizeOfWritten, &SameOptions);
}

}  // namespace firth
