// Each pass finds the phrases of the ids, gives each phrase an id after those
// of the words, and rewrites the ids. The stream is divided into pieces that
// end with a sentence. They are processed in parallel and appended in order.

#include "firth/phrases.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "base/output_file.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "base/threads.h"
#include "corpus/token_stream.h"
#include "firth/fields.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"
#include "vocab/phrase_finder.h"
#include "vocab/stream_rewriter.h"
#include "vocab/word_lines.h"

namespace firth {
namespace {

constexpr uint32_t kSentenceEnd = TokenStream::kSentenceEnd;
constexpr size_t kPieceTokens = size_t{1} << 20;

// Appends the new ids of those that have one, and all sentence ends.
absl::Status AppendKept(const TokenStream& stream, const IdMap& new_ids,
                        TokenSpool* spool) {
  std::vector<uint32_t> kept;
  for (uint32_t id : stream.tokens()) {
    if (id == kSentenceEnd || new_ids.Translate(&id)) kept.push_back(id);
    if (kept.size() < kPieceTokens) continue;
    FIRTH_RETURN_IF_ERROR(spool->Append(kept));
    kept.clear();
  }
  return spool->Append(kept);
}

uint64_t SpoolBytes(const PhraseOptions& options) {
  return options.memory_bytes > 0 ? options.memory_bytes / 2
                                  : AvailableMemoryBytes() / 4;
}

// The phrases of a pass, by their words.
class PhraseTable {
 public:
  PhraseTable(const PhraseRules& rules, const std::vector<FoundPhrase>& found,
              size_t num_words)
      : rules_(rules), begins_(num_words) {
    for (size_t i = 0; i < found.size(); ++i) {
      ids_.emplace(found[i].words, static_cast<uint32_t>(num_words + i));
      begins_[found[i].words.front()] = true;
    }
  }

  // Returns the id of the phrase that begins at `pos`, and where it ends.
  std::optional<uint32_t> PhraseAt(absl::Span<const uint32_t> tokens,
                                   size_t pos, size_t* end) const {
    if (tokens[pos] == kSentenceEnd || !begins_[tokens[pos]]) {
      return std::nullopt;
    }
    const auto words = rules_.CandidateAt(tokens, pos, end);
    if (!words.has_value()) return std::nullopt;
    const auto found = ids_.find(*words);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

 private:
  const PhraseRules& rules_;
  std::vector<bool> begins_;  // Whether a word begins a phrase.
  absl::flat_hash_map<PhraseWords, uint32_t> ids_;
};

std::vector<uint32_t> JoinPiece(absl::Span<const uint32_t> tokens,
                                const PhraseTable& table) {
  std::vector<uint32_t> joined;
  joined.reserve(tokens.size());
  for (size_t pos = 0; pos < tokens.size();) {
    size_t end;
    const std::optional<uint32_t> phrase = table.PhraseAt(tokens, pos, &end);
    joined.push_back(phrase.value_or(tokens[pos]));
    pos = phrase.has_value() ? end : pos + 1;
  }
  return joined;
}

// Divides the text into pieces of whole sentences. A sentence has no maximum
// length.
std::vector<absl::Span<const uint32_t>> CutAtSentences(
    absl::Span<const uint32_t> tokens) {
  std::vector<absl::Span<const uint32_t>> pieces;
  while (!tokens.empty()) {
    size_t end = std::min(kPieceTokens, tokens.size());
    while (end < tokens.size() && tokens[end - 1] != kSentenceEnd) ++end;
    pieces.push_back(tokens.subspan(0, end));
    tokens.remove_prefix(end);
  }
  return pieces;
}

// Appends the stream with words replaced by phrases, and counts the occurrences
// of each id in it.
absl::Status Join(const TokenStream& stream, const PhraseTable& table,
                  int threads, TokenSpool* spool,
                  std::vector<uint64_t>* counts) {
  const auto pieces = CutAtSentences(stream.tokens());
  absl::Status status;
  ParallelExceptions exceptions;
#pragma omp parallel for ordered num_threads(threads) schedule(dynamic)
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::vector<uint32_t> joined;
    exceptions.Catch([&] { joined = JoinPiece(pieces[i], table); });
#pragma omp ordered
    exceptions.Catch([&] {
      for (const uint32_t id : joined) {
        if (id != kSentenceEnd) ++(*counts)[id];
      }
      if (status.ok()) status = spool->Append(joined);
    });
  }
  exceptions.Rethrow();
  return status;
}

std::string TextOf(const Vocabulary& vocabulary, const PhraseWords& words,
                   absl::string_view delimiter) {
  std::string text;
  for (const uint32_t word : words) {
    if (word == kNoWord) break;
    absl::StrAppend(&text, text.empty() ? "" : delimiter,
                    vocabulary.Word(ToWordId(word)));
  }
  return text;
}

// New ids for all old ones: by count, with ties broken by old id. Those that
// never occur are dropped. Ids of the same text are merged.
struct Renumbering {
  IdMap new_ids;  // Maps old ids to new ones.
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
};

Renumbering Renumber(absl::Span<const absl::string_view> texts,
                     std::vector<uint64_t> counts) {
  absl::flat_hash_map<absl::string_view, size_t> first;
  std::vector<size_t> same_as(texts.size());
  for (size_t id = 0; id < texts.size(); ++id) {
    same_as[id] = first.emplace(texts[id], id).first->second;
    if (same_as[id] != id) counts[same_as[id]] += std::exchange(counts[id], 0);
  }
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  Renumbering result{IdMap(texts.size()), {}, {}};
  std::vector<uint32_t> new_ids(texts.size());
  for (const size_t id : order) {
    if (counts[id] == 0) break;
    new_ids[id] = static_cast<uint32_t>(result.words.size());
    result.words.push_back(texts[id]);
    result.counts.push_back(counts[id]);
  }
  for (uint32_t id = 0; id < texts.size(); ++id) {
    if (counts[same_as[id]] > 0) result.new_ids.Add(id, new_ids[same_as[id]]);
  }
  result.new_ids.Seal();
  return result;
}

// Makes one pass: replaces *corpus and returns its phrases.
absl::StatusOr<std::vector<Phrase>> JoinOnce(const PhraseOptions& options,
                                             const Hooks& hooks,
                                             Corpus* corpus) {
  const Vocabulary& vocabulary = corpus->vocabulary;
  const PhraseRules rules(vocabulary, options);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundPhrase> found,
                         FindPhrases(*corpus, rules, options, hooks));
  FIRTH_RETURN_IF_ERROR(
      Agree(hooks.ranks,
            hooks.StopRequested()
                ? absl::CancelledError("interrupted while looking for phrases")
                : absl::OkStatus()));
  std::vector<Phrase> phrases;
  phrases.reserve(found.size());
  for (const FoundPhrase& phrase : found) {
    phrases.push_back({TextOf(vocabulary, phrase.words, options.delimiter),
                       phrase.count, phrase.score});
  }
  std::vector<uint64_t> counts(vocabulary.size() + phrases.size());
  const int threads = NumThreads(options.threads);
  TokenSpool spool(SpoolBytes(options), options.temp_dir);
  FIRTH_RETURN_IF_ERROR(
      Agree(hooks.ranks,
            Join(*corpus->tokens, PhraseTable(rules, found, vocabulary.size()),
                 threads, &spool, &counts)));
  if (hooks.ranks != nullptr) {
    FIRTH_RETURN_IF_ERROR(hooks.ranks->Sum(absl::MakeSpan(counts)));
  }
  std::vector<absl::string_view> texts = vocabulary.Words();
  for (const Phrase& phrase : phrases) texts.emplace_back(phrase.text);
  Renumbering renumbered = Renumber(texts, std::move(counts));
  auto tokens = TakeRewritten(&renumbered.new_ids, threads, &spool,
                              corpus->tokens->place().inside_sentence);
  FIRTH_RETURN_IF_ERROR(Agree(hooks.ranks, tokens.status()));
  corpus->tokens = *std::move(tokens);
  FIRTH_ASSIGN_OR_RETURN(
      corpus->vocabulary,
      Vocabulary::Create(renumbered.words, std::move(renumbered.counts)));
  return phrases;
}

}  // namespace

FieldTable PhraseOptions::Fields() {
  FieldsOf<PhraseOptions> fields;
  fields.Choice("score", &PhraseOptions::score, {"word2vec", "npmi"},
                "choose the score of a pair of words: word2vec, (count(ab) - "
                "min-count) N / (count(a) count(b)); or npmi, normalized "
                "pointwise mutual information, from -1 to 1");
  fields.Add(
      "threshold", &PhraseOptions::threshold,
      "join pairs of words that score above this",
      Field().Range(-1, Field::kUnlimited).Default("100, or 0.5 with npmi"));
  fields.Add(
      "min-count", &PhraseOptions::min_count,
      "minimum number of occurrences of a phrase and of each of its words",
      Field().Range(1, Field::kUnlimited));
  fields.Add("delimiter", &PhraseOptions::delimiter,
             "string that joins the words of a phrase",
             Field().ValueName("TEXT"));
  fields.Add(
      "connectors", &PhraseOptions::connectors,
      "set the words, separated by commas, that may occur inside a phrase "
      "but neither begin nor end it, such as of,the,and",
      Field().ValueName("WORDS"));
  fields.Add(
      "passes", &PhraseOptions::passes,
      "number of passes that join pairs; each pass can extend the phrases "
      "of the previous one",
      Field().Range(1, 10).Everyday());
  fields.Add("threads", &PhraseOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work();
  fields.Add(
      "memory", &PhraseOptions::memory_bytes,
      "maximum memory for the joined word ids; beyond this limit they are "
      "written to a temporary file",
      Field().Size().Default("half of the free memory").Work());
  fields.Add("temp-dir", &PhraseOptions::temp_dir,
             "path to the folder for the temporary file of --memory",
             Field().ValueName("FOLDER").Default("$TMPDIR or /tmp").Place());
  return fields;
}

absl::Status PhraseOptions::Validate() const {
  if (delimiter.find_first_of(" \t\n\v\f\r") != delimiter.npos) {
    return absl::InvalidArgumentError(
        "delimiter: must not contain white space, which separates words");
  }
  return CheckFields(*this);
}

absl::StatusOr<JoinedCorpus> JoinPhrases(const Corpus& corpus,
                                         const PhraseOptions& options,
                                         const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  if (corpus.tokens == nullptr) {
    return absl::InvalidArgumentError(
        "the corpus was only counted and has no tokens; read it with its "
        "tokens");
  }
  PhraseOptions used = options;
  if (used.threshold == 0) {
    used.threshold = used.score == PhraseScore::kWord2vec ? 100 : 0.5;
  }
  JoinedCorpus joined{corpus, {}};
  for (int pass = 0; pass < used.passes; ++pass) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<Phrase> phrases,
                           JoinOnce(used, hooks, &joined.corpus));
    if (phrases.empty()) break;
    joined.phrases.insert(joined.phrases.end(), phrases.begin(), phrases.end());
  }
  CorpusReport& report = joined.corpus.report;
  report.tokens = report.words_kept = joined.corpus.vocabulary.total_count();
  report.types_seen = report.types_kept = joined.corpus.vocabulary.size();
  return joined;
}

absl::StatusOr<Corpus> KeepWords(const Corpus& corpus,
                                 const VocabularyOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  const Vocabulary& vocabulary = corpus.vocabulary;
  Corpus kept = corpus;
  IdMap new_ids(vocabulary.size());
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
  for (size_t id = 0; id < vocabulary.size(); ++id) {
    const uint64_t count = vocabulary.Count(ToWordId(id));
    if (count < options.min_count) {
      kept.report.dropped_min_count += count;
    } else if (options.max_vocab > 0 && words.size() >= options.max_vocab) {
      kept.report.dropped_max_vocab += count;
    } else {
      new_ids.Add(static_cast<uint32_t>(id),
                  static_cast<uint32_t>(words.size()));
      words.push_back(vocabulary.Word(ToWordId(id)));
      counts.push_back(count);
    }
  }
  new_ids.Seal();
  if (words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no word occurs ", options.min_count, " times (min-count)"));
  }
  FIRTH_ASSIGN_OR_RETURN(kept.vocabulary,
                         Vocabulary::Create(words, std::move(counts)));
  TokenSpool spool(AvailableMemoryBytes() / 4, "");
  FIRTH_RETURN_IF_ERROR(AppendKept(*corpus.tokens, new_ids, &spool));
  FIRTH_ASSIGN_OR_RETURN(kept.tokens,
                         TakeRewritten(nullptr, NumThreads(0), &spool,
                                       corpus.tokens->place().inside_sentence));
  kept.report.words_kept = kept.vocabulary.total_count();
  kept.report.types_kept = kept.vocabulary.size();
  return kept;
}

absl::Status SaveText(const Corpus& corpus, const std::string& path) {
  for (const absl::string_view word : corpus.vocabulary.Words()) {
    if (IsWordOfLine(word)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the word ", Quote(word),
        " contains white space, so it would be read as several words"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      OutputFile out, OutputFile::Create(path == "-" ? "/dev/stdout" : path));
  bool at_start = true;
  for (const uint32_t token : corpus.tokens->tokens()) {
    if (token == kSentenceEnd) {
      FIRTH_RETURN_IF_ERROR(out.Write("\n"));
      at_start = true;
      continue;
    }
    if (!at_start) FIRTH_RETURN_IF_ERROR(out.Write(" "));
    FIRTH_RETURN_IF_ERROR(out.Write(corpus.vocabulary.Word(ToWordId(token))));
    at_start = false;
  }
  if (!at_start) FIRTH_RETURN_IF_ERROR(out.Write("\n"));
  return out.Commit();
}

}  // namespace firth
