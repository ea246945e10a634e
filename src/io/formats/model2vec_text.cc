// A tokenizer is two lists of functions, read from its JSON once: those that
// change a text, and those that split it. The resulting parts are looked up by
// the model.

#include "io/formats/model2vec_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/word_vectors.h"
#include "io/formats/model2vec_tokenizer.h"
#include "nlohmann/json.hpp"
#include "vectors/row_block.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

constexpr int kMostStepDepth = 16;
// Limits the growth of a line. Several steps that each replace one character by
// many could otherwise use up all memory.
constexpr double kMostGrowth = 64;

using Visit = absl::FunctionRef<void(absl::string_view)>;
using Normalizer = std::function<std::string(absl::string_view)>;
using Splitter = std::function<void(absl::string_view, Visit)>;

// A token that is found in the text itself.
struct AddedToken {
  std::string content;
  bool normalized = false;  // Whether it is found after normalization.
};

struct Steps {
  std::vector<Normalizer> normalizers;
  std::vector<Splitter> splitters;
  std::vector<AddedToken> added;
  double growth = 1;  // Maximum bytes per byte of a text, caused by Replace.
  bool cuts_pieces = false;  // WordPiece if true, otherwise WordLevel.
  size_t most_characters = 100;
};

absl::Status NotSupported(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the tokenizer's ", what,
      " is not supported, so the model has vectors of words but not of texts"));
}

std::string TypeOf(const Json& step) {
  const auto type = step.is_object() ? step.find("type") : step.end();
  return type != step.end() && type->is_string() ? type->get<std::string>()
                                                 : DumpJson(step);
}

bool Flag(const Json& object, const char* name, bool if_missing) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() ? found->get<bool>()
                                                      : if_missing;
}

std::string Text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// --- Steps that change a text. ---

absl::Status AddBertNormalizer(const Json& step, Steps* steps) {
  if (!Flag(step, "clean_text", true)) {
    return NotSupported("BertNormalizer without the option clean_text");
  }
  WordPieceOptions options;
  options.lowercase = Flag(step, "lowercase", true);
  options.strip_accents = Flag(step, "strip_accents", options.lowercase);
  options.part_ideographs = Flag(step, "handle_chinese_chars", true);
  steps->normalizers.emplace_back([options](absl::string_view text) {
    return CleanForWordPieces(text, options);
  });
  return absl::OkStatus();
}

absl::Status AddReplace(const Json& step, Steps* steps) {
  const auto pattern = step.find("pattern");
  const std::string from = pattern != step.end() && pattern->is_object()
                               ? Text(*pattern, "String")
                               : std::string();
  if (from.empty()) return NotSupported("Replace of a regular expression");
  const std::string to = Text(step, "content");
  steps->growth *= std::max(
      1.0, static_cast<double>(to.size()) / static_cast<double>(from.size()));
  if (steps->growth > kMostGrowth) {
    return NotSupported(absl::StrCat("Replace that makes a text more than ",
                                     kMostGrowth, " times as long"));
  }
  steps->normalizers.emplace_back([from, to](absl::string_view text) {
    return absl::StrReplaceAll(text, {{from, to}});
  });
  return absl::OkStatus();
}

std::string WithoutMarks(absl::string_view text) {
  std::string without;
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (!IsMark(point.value)) {
      absl::StrAppend(&without, text.substr(i, point.bytes));
    }
    i += point.bytes;
  }
  return without;
}

std::string Decomposed(absl::string_view text) {
  std::string decomposed;
  for (const int32_t point : Decompose(text)) AppendUtf8(point, &decomposed);
  return decomposed;
}

std::string Stripped(absl::string_view text, bool left, bool right) {
  while (left && WhiteSpaceBytes(text) > 0) {
    text.remove_prefix(WhiteSpaceBytes(text));
  }
  size_t end = text.size();
  for (size_t i = 0; right && i < text.size();) {
    const size_t space = WhiteSpaceBytes(text.substr(i));
    i += space > 0 ? space : DecodeUtf8(text.substr(i)).bytes;
    if (space == 0) end = i;
  }
  if (right && IsBlank(text)) end = 0;
  return std::string(text.substr(0, end));
}

// Returns the steps of a Sequence. JSON that is nested too deeply was dropped
// by the parser, so a Sequence without steps may have had some.
absl::StatusOr<Json> StepsOf(const Json& sequence, const char* name) {
  const auto found = sequence.find(name);
  if (found == sequence.end() || !found->is_array() || found->empty()) {
    return NotSupported(
        absl::StrCat("Sequence without ", name, " or nested too deeply"));
  }
  return *found;
}

absl::Status AddNormalizers(const Json& step, Steps* steps) {
  if (step.is_null()) return absl::OkStatus();
  const std::string type = TypeOf(step);
  if (type == "Sequence") {
    FIRTH_ASSIGN_OR_RETURN(const Json parts, StepsOf(step, "normalizers"));
    for (const Json& one : parts) {
      FIRTH_RETURN_IF_ERROR(AddNormalizers(one, steps));
    }
    return absl::OkStatus();
  }
  if (type == "BertNormalizer") return AddBertNormalizer(step, steps);
  if (type == "Replace") return AddReplace(step, steps);
  if (type == "Strip") {
    const bool left = Flag(step, "strip_left", true);
    const bool right = Flag(step, "strip_right", true);
    steps->normalizers.emplace_back([left, right](absl::string_view text) {
      return Stripped(text, left, right);
    });
    return absl::OkStatus();
  }
  using Function = std::string (*)(absl::string_view);
  const Function function = type == "Lowercase"      ? &Lowercase
                            : type == "NFD"          ? &Decomposed
                            : type == "StripAccents" ? &WithoutMarks
                                                     : nullptr;
  if (function == nullptr) {
    return NotSupported(absl::StrCat("normalizer ", type));
  }
  steps->normalizers.emplace_back(function);
  return absl::OkStatus();
}

// --- Steps that split a text. ---

void SplitAtSpace(absl::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t end = FindWhiteSpace(text);
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(WhiteSpaceBytes(text));
  }
}

void SplitMarkedParts(absl::string_view text, Visit visit) {
  ForEachMarkedPart(text, visit);
}

// Visits runs of characters of one kind, except white space: \w+|[^\w\s]+.
void SplitWordRuns(absl::string_view text, Visit visit) {
  enum class Kind { kSpace, kWord, kOther };
  Kind last = Kind::kSpace;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size();) {
    const absl::string_view rest = text.substr(at);
    const size_t space = WhiteSpaceBytes(rest);
    const CodePoint point = rest.empty() ? CodePoint{0, 1} : DecodeUtf8(rest);
    const Kind kind = rest.empty() || space > 0      ? Kind::kSpace
                      : IsWordCharacter(point.value) ? Kind::kWord
                                                     : Kind::kOther;
    if (kind != last) {
      if (last != Kind::kSpace) visit(text.substr(begin, at - begin));
      begin = at;
      last = kind;
    }
    at += space > 0 ? space : point.bytes;
  }
}

// Makes each mark a part of its own. White space stays in the other parts.
void SplitAtMarks(absl::string_view text, Visit visit) {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(at));
    if (IsWordPieceMark(point.value)) {
      if (at > begin) visit(text.substr(begin, at - begin));
      visit(text.substr(at, point.bytes));
      begin = at + point.bytes;
    }
    at += point.bytes;
  }
  if (begin < text.size()) visit(text.substr(begin));
}

absl::Status AddSplitters(const Json& step, Steps* steps) {
  if (step.is_null()) return absl::OkStatus();
  const std::string type = TypeOf(step);
  if (type == "Sequence") {
    FIRTH_ASSIGN_OR_RETURN(const Json parts, StepsOf(step, "pretokenizers"));
    for (const Json& one : parts) {
      FIRTH_RETURN_IF_ERROR(AddSplitters(one, steps));
    }
    return absl::OkStatus();
  }
  const std::string behavior = Text(step, "behavior");
  if (type == "Punctuation" && !behavior.empty() && behavior != "Isolated") {
    return NotSupported(absl::StrCat("Punctuation of behavior ", behavior));
  }
  using Function = void (*)(absl::string_view, Visit);
  const Function function = type == "BertPreTokenizer"  ? &SplitMarkedParts
                            : type == "WhitespaceSplit" ? &SplitAtSpace
                            : type == "Whitespace"      ? &SplitWordRuns
                            : type == "Punctuation"     ? &SplitAtMarks
                                                        : nullptr;
  if (function == nullptr) {
    return NotSupported(absl::StrCat("pre_tokenizer ", type));
  }
  steps->splitters.emplace_back(function);
  return absl::OkStatus();
}

// --- The whole tokenizer. ---

absl::Status SetModel(const Json& model, Steps* steps) {
  const std::string type = TypeOf(model);
  if (type != "WordPiece" && type != "WordLevel") {
    return NotSupported(absl::StrCat("model ", type));
  }
  steps->cuts_pieces = type == "WordPiece";
  const Json prefix = model.value("continuing_subword_prefix", Json("##"));
  if (steps->cuts_pieces && prefix != "##") {
    return NotSupported(
        absl::StrCat("continuing_subword_prefix ", DumpJson(prefix)));
  }
  const auto most = model.find("max_input_chars_per_word");
  if (most != model.end() && most->is_number_unsigned()) {
    steps->most_characters = most->get<size_t>();
  }
  return absl::OkStatus();
}

absl::Status ReadAddedTokens(const Json& tokens, Steps* steps) {
  if (!tokens.is_array()) return absl::OkStatus();
  for (const Json& token : tokens) {
    if (!token.is_object() || Text(token, "content").empty()) continue;
    if (Flag(token, "single_word", false)) {
      return NotSupported(absl::StrCat(
          "added token ", Quote(Text(token, "content")), " as a single word"));
    }
    steps->added.push_back(
        {Text(token, "content"), Flag(token, "normalized", false)});
  }
  // Sorted by length, because the longest token of those that match is used.
  absl::c_stable_sort(steps->added, [](const auto& a, const auto& b) {
    return a.content.size() > b.content.size();
  });
  return absl::OkStatus();
}

absl::StatusOr<Steps> ReadSteps(const std::string& tokenizer) {
  const Json json = ParseJson(tokenizer, kMostStepDepth);
  if (!json.is_object()) return NotSupported("JSON");
  Steps steps;
  FIRTH_RETURN_IF_ERROR(
      AddNormalizers(json.value("normalizer", Json()), &steps));
  FIRTH_RETURN_IF_ERROR(
      AddSplitters(json.value("pre_tokenizer", Json()), &steps));
  FIRTH_RETURN_IF_ERROR(SetModel(json.value("model", Json()), &steps));
  FIRTH_RETURN_IF_ERROR(
      ReadAddedTokens(json.value("added_tokens", Json()), &steps));
  return steps;
}

class UnsupportedEncoder : public TextEncoder {
 public:
  explicit UnsupportedEncoder(absl::Status status)
      : status_(std::move(status)) {}
  absl::Status Check() const override { return status_; }
  size_t Encode(absl::string_view, bool, absl::Span<float>) const override {
    return 0;
  }

 private:
  absl::Status status_;
};

class Model2vecTextEncoder : public TextEncoder {
 public:
  Model2vecTextEncoder(Steps steps, bool normalize, WordVectors vectors)
      : steps_(std::move(steps)),
        normalize_(normalize),
        vectors_(std::move(vectors)),
        matcher_(vectors_.vocabulary(), steps_.most_characters) {
    for (AddedToken& token : steps_.added) {
      if (token.normalized) token.content = Normalized(token.content);
    }
  }

  size_t Encode(absl::string_view text, bool unit_words,
                absl::Span<float> vector) const override {
    const std::vector<WordId> tokens = Cut(text);
    std::vector<double> sum(vector.size());
    std::vector<float> row(vector.size());
    for (const WordId token : tokens) {
      vectors_.CopyVector(token, absl::MakeSpan(row));
      const double weight = unit_words ? InverseNorm(row) : 1;
      for (size_t i = 0; i < row.size(); ++i) sum[i] += weight * row[i];
    }
    double divisor = static_cast<double>(tokens.size());
    if (normalize_) {
      double squares = 0;
      for (const double value : sum) squares += value * value;
      divisor = std::sqrt(squares);
    }
    for (size_t i = 0; i < vector.size(); ++i) {
      vector[i] = divisor > 0 ? static_cast<float>(sum[i] / divisor) : 0;
    }
    return tokens.size();
  }

 private:
  // Returns the tokens of a text. Unknown words have none.
  std::vector<WordId> Cut(absl::string_view text) const {
    std::string valid;
    AppendReplacingInvalid(text, &valid);
    std::vector<WordId> tokens;
    VisitBetweenAdded(valid, false, &tokens, [&](absl::string_view part) {
      VisitBetweenAdded(
          Normalized(part), true, &tokens,
          [&](absl::string_view rest) { Split(rest, 0, &tokens); });
    });
    return tokens;
  }

  std::string Normalized(absl::string_view text) const {
    std::string changed(text);
    for (const Normalizer& normalizer : steps_.normalizers) {
      changed = normalizer(changed);
    }
    return changed;
  }

  // Appends the added tokens that occur in the text and calls visit() for the
  // text between them.
  void VisitBetweenAdded(absl::string_view text, bool normalized,
                         std::vector<WordId>* tokens, Visit visit) const {
    while (!text.empty()) {
      size_t first = text.size();
      const AddedToken* found = nullptr;
      for (const AddedToken& token : steps_.added) {
        if (token.normalized != normalized || token.content.empty()) continue;
        const size_t at = text.find(token.content);
        if (at >= first) continue;
        first = at;
        found = &token;
      }
      if (first > 0) visit(text.substr(0, first));
      text.remove_prefix(first);
      if (found == nullptr) return;
      const auto id = vectors_.vocabulary().Find(found->content);
      if (id.has_value()) tokens->push_back(*id);
      text.remove_prefix(found->content.size());
    }
  }

  void Split(absl::string_view text, size_t step,
             std::vector<WordId>* tokens) const {
    if (step < steps_.splitters.size()) {
      return steps_.splitters[step](
          text, [&](absl::string_view part) { Split(part, step + 1, tokens); });
    }
    if (steps_.cuts_pieces) {
      matcher_.AppendPieces(text, tokens);
    } else if (const auto id = vectors_.vocabulary().Find(text)) {
      tokens->push_back(*id);
    }
  }

  Steps steps_;
  bool normalize_;
  WordVectors vectors_;
  WordPieceMatcher matcher_;
};

std::shared_ptr<const TextEncoder> EncoderOf(const std::string& place,
                                             const std::string& tokenizer,
                                             bool normalize,
                                             const WordVectors& vectors) {
  absl::StatusOr<Steps> steps = ReadSteps(tokenizer);
  if (!steps.ok()) {
    return std::make_shared<UnsupportedEncoder>(absl::InvalidArgumentError(
        absl::StrCat(place, ": ", steps.status().message())));
  }
  return std::make_shared<Model2vecTextEncoder>(*std::move(steps), normalize,
                                                vectors);
}

}  // namespace

void AddModel2vecTextEncoder(const std::string& place, VectorFile* file) {
  const auto tokenizer = file->metadata.find(kModel2vecTokenizer);
  if (tokenizer == file->metadata.end()) return;
  const auto normalize = file->metadata.find("normalize");
  const bool normalizes =
      normalize != file->metadata.end() && normalize->second == "true";
  file->vectors = file->vectors.WithTextEncoder(
      EncoderOf(place, tokenizer->second, normalizes, file->vectors));
}

}  // namespace firth
