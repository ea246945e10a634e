// The steps in which a block of text is read:
//
//   ReadBlock   under a lock          gets the next block and its number, the
//                                     ticket
//   Prepare     independently         cleans it, splits it and counts its words
//   Merge       in order of tickets   adds its words to the common table
//   Translate   independently         replaces its ids by those of the table
//   Append      in order of tickets   appends its ids to the spool
//
// Two turnstiles preserve the order. A ticket passes both of them even if its
// block has failed, since later tickets wait for it. If several blocks fail,
// the error of the first ticket is returned, as with a single thread.

#include "vocab/corpus_reader.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/checksum.h"
#include "base/memory_info.h"
#include "base/quote.h"
#include "base/spelling.h"
#include "base/threads.h"
#include "corpus/input_files.h"
#include "corpus/text_cleaner.h"
#include "corpus/token_stream.h"
#include "corpus/tokenizer.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "vocab/stream_rewriter.h"
#include "vocab/word_counter.h"

namespace firth {
namespace {

// The number of words that are not in NFC although their NFC form is also a
// word, and the NFC form of the most frequent one.
struct WordsInTwoForms {
  uint64_t words = 0;
  std::string example;
};

WordsInTwoForms FindWordsInTwoForms(const Vocabulary& vocabulary) {
  WordsInTwoForms found;
  std::string composed;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (IsAscii(word)) continue;
    composed.clear();
    AppendNormalized(word, Normalization::kNfc, &composed);
    if (composed == word || !vocabulary.Find(composed).has_value()) continue;
    if (found.words++ == 0) found.example = composed;
  }
  return found;
}

using Clock = std::chrono::steady_clock;

constexpr double kProgressSeconds = 0.2;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns the result of `work`, or ResourceExhausted if it runs out of memory.
template <class Work>
absl::Status Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& exception) {
    return absl::ResourceExhaustedError(
        absl::StrCat("out of memory while reading text: ", exception.what()));
  }
}

// A block and the data made from it take about ten times its bytes, and each
// worker has one, so blocks are small if memory is limited. Their size does not
// depend on the number of threads, because the pruned words must not depend on
// it either.
size_t BlockBytes(const ReadPlan& plan) {
  constexpr uint64_t kShare = 64;
  constexpr uint64_t kLeast = uint64_t{64} << 10;
  const uint64_t memory = plan.options.memory_bytes;
  if (memory == 0) return plan.block_bytes;
  return std::min<uint64_t>(plan.block_bytes,
                            std::max(kLeast, memory / kShare));
}

// The source of a text, and whether it begins in the middle of a line.
struct OpenedSource {
  std::unique_ptr<BlockSource> blocks;
  bool inside_line = false;
};

absl::StatusOr<std::vector<FileSize>> FilesToShare(
    const CorpusOptions& options) {
  if (options.sentences || options.text.has_value()) {
    return absl::InvalidArgumentError(
        "ranks cannot share sentences in memory; give files, of which every "
        "rank reads a part");
  }
  FIRTH_ASSIGN_OR_RETURN(const auto paths, ExpandInputs(options.inputs));
  return SizesOf(paths);
}

// Returns one line per file: its path and size, a tab, a checksum of samples.
absl::StatusOr<std::string> ListOf(const std::vector<FileSize>& files) {
  std::string list;
  for (const FileSize& file : files) {
    FIRTH_ASSIGN_OR_RETURN(const uint64_t sum, SampleSum(file));
    absl::StrAppend(&list, file.path, " of ", file.bytes, " bytes\t",
                    HexChecksum(sum), "\n");
  }
  return list;
}

// Describes two lines of ListOf() that differ; "" is a missing line.
std::string Differing(absl::string_view ours, absl::string_view theirs,
                      size_t rank) {
  const auto name_of = [](absl::string_view line) {
    return line.empty() ? "no further file" : line.substr(0, line.find('\t'));
  };
  if (name_of(ours) == name_of(theirs)) {
    return absl::StrCat(name_of(ours),
                        ", whose content differs between rank 0 and rank ",
                        rank);
  }
  return absl::StrCat(name_of(ours), " on rank 0 and ", name_of(theirs),
                      " on rank ", rank);
}

// Errors: FailedPrecondition, ranks do not have the same files.
absl::Status CheckSameFiles(Ranks& ranks, const std::vector<FileSize>& files) {
  const absl::StatusOr<std::string> list = ListOf(files);
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, list.status()));
  FIRTH_ASSIGN_OR_RETURN(const auto lists, GatherTexts(ranks, *list));
  for (size_t r = 1; r < lists.size(); ++r) {
    if (lists[r] == lists[0]) continue;
    const std::vector<absl::string_view> ours = absl::StrSplit(lists[0], '\n');
    const std::vector<absl::string_view> theirs =
        absl::StrSplit(lists[r], '\n');
    const auto [our, their] =
        std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    return absl::FailedPreconditionError(
        absl::StrCat("input: the files must be the same on all ranks, found ",
                     Differing(our != ours.end() ? *our : "",
                               their != theirs.end() ? *their : "", r)));
  }
  return absl::OkStatus();
}

absl::StatusOr<OpenedSource> OpenShare(const ReadPlan& plan,
                                       const Hooks& hooks) {
  Ranks& ranks = *hooks.ranks;
  const absl::StatusOr<std::vector<FileSize>> files =
      FilesToShare(plan.options);
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, files.status()));
  FIRTH_RETURN_IF_ERROR(CheckSameFiles(ranks, *files));
  absl::StatusOr<std::vector<FileShare>> shares =
      ShareOf(*files, static_cast<size_t>(ranks.rank()),
              static_cast<size_t>(ranks.size()), plan.share_look_ahead);
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, shares.status()));
  const bool inside_line =
      !shares->empty() && shares->front().begins_inside_line;
  return OpenedSource{
      std::make_unique<TextSource>(TextSource::OfShares(
          *std::move(shares), plan.options, BlockBytes(plan), hooks.stop)),
      inside_line};
}

absl::StatusOr<OpenedSource> OpenSource(const ReadPlan& plan,
                                        const Hooks& hooks) {
  if (hooks.ranks != nullptr) return OpenShare(plan, hooks);
  const CorpusOptions& options = plan.options;
  const std::atomic<bool>* const stop = hooks.stop;
  if (options.sentences) {
    return OpenedSource{std::make_unique<SentenceBlocks>(
        options.sentences, BlockBytes(plan), stop)};
  }
  FIRTH_ASSIGN_OR_RETURN(TextSource source,
                         TextSource::Create(options, BlockBytes(plan), stop));
  return OpenedSource{std::make_unique<TextSource>(std::move(source))};
}

// Replaces the sums of a report by those of all ranks.
absl::Status AddRanks(Ranks& ranks, CorpusReport* report) {
  uint64_t* const sums[] = {&report->files,
                            &report->bytes,
                            &report->lines,
                            &report->tokens,
                            &report->dropped_too_long,
                            &report->invalid_utf8,
                            &report->tokens_with_nul};
  std::vector<uint64_t> values;
  for (const uint64_t* sum : sums) values.push_back(*sum);
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(values)));
  for (size_t i = 0; i < values.size(); ++i) *sums[i] = values[i];
  return absl::OkStatus();
}

// The data of one worker.
struct WorkItem {
  uint64_t ticket = 0;
  TextBlock block;
  uint64_t bytes_read = 0;  // Bytes read by the source, up to this block.
  TokenizedBlock tokens;
  uint64_t invalid_utf8 = 0;
  std::vector<uint32_t> word_ids;  // Ids of the block's words in the table.
};

struct Failure {
  uint64_t ticket = 0;
  absl::Status status;  // OK if there is none.
};

class CorpusReader {
 public:
  CorpusReader(const ReadPlan& plan, const Hooks& hooks, OpenedSource source)
      : plan_(plan),
        hooks_(hooks),
        threads_(NumThreads(plan.options.threads)),
        inside_line_(source.inside_line),
        source_(std::move(source.blocks)),
        memory_bytes_(plan.options.memory_bytes > 0
                          ? plan.options.memory_bytes
                          : AvailableMemoryBytes() / 2),
        spool_(memory_bytes_ / 2, plan.options.temp_dir),
        counter_(
            plan.vocabulary != nullptr
                ? MakeGivenVocabularyCounter(
                      *plan.vocabulary, memory_bytes_ / 2, MayHaveNoWords())
                : MakeVocabularyBuilder(plan.vocabulary_options, plan.known,
                                        memory_bytes_ / 2, hooks.progress)) {}

  absl::StatusOr<Corpus> Run() {
    FIRTH_RETURN_IF_ERROR(Agree(hooks_.ranks, ReadAll()));
    WarnOfNul();
    if (hooks_.ranks != nullptr) {
      FIRTH_RETURN_IF_ERROR(AddRanks(*hooks_.ranks, &report_));
    }
    FIRTH_RETURN_IF_ERROR(CheckSomethingRead());
    Corpus corpus;
    FIRTH_ASSIGN_OR_RETURN(WordCounter::Result words,
                           counter_->MakeVocabulary(hooks_.ranks, &report_));
    corpus.vocabulary = std::move(words.vocabulary);
    WarnOfForms(corpus.vocabulary);
    if (plan_.keep_ids) {
      FIRTH_RETURN_IF_ERROR(TakeTokens(words.map.get(), &corpus));
    }
    report_.seconds = SecondsSince(start_);
    corpus.report = report_;
    return corpus;
  }

 private:
  absl::Status TakeTokens(const IdMap* map, Corpus* corpus) {
    report_.spooled_bytes = spool_.file_bytes();
    if (hooks_.ranks != nullptr) {
      FIRTH_RETURN_IF_ERROR(
          hooks_.ranks->Sum(absl::MakeSpan(&report_.spooled_bytes, 1)));
    }
    auto tokens =
        TakeRewritten(map, threads_, &spool_, inside_line_, plan_.empty);
    FIRTH_RETURN_IF_ERROR(Agree(hooks_.ranks, tokens.status()));
    corpus->tokens = *std::move(tokens);
    return absl::OkStatus();
  }

  absl::Status ReadAll() {
    std::vector<Failure> failures(static_cast<size_t>(threads_));
#pragma omp parallel num_threads(threads_)
    Work(&failures[static_cast<size_t>(omp_get_thread_num())]);
    report_.files = source_->files();
    report_.bytes = source_->bytes();
    // The failure of the first block, as with a single thread.
    const Failure* first = nullptr;
    for (const Failure& failure : failures) {
      if (failure.status.ok()) continue;
      if (first == nullptr || failure.ticket < first->ticket) first = &failure;
    }
    if (first != nullptr) return first->status;
    ReportProgress(report_.bytes);
    return absl::OkStatus();
  }

  void Work(Failure* failure) {
    WorkItem item;
    const auto check = [&](const absl::Status& status) {
      if (status.ok() || !failure->status.ok()) return;
      *failure = {item.ticket, status};
      failed_ = true;
    };
    while (true) {
      absl::Status status;
      if (!TakeTicket(&item, &status)) return;
      if (status.ok()) {
        status = Guarded([&] { return Prepare(&item); });
      }
      merging_.Pass(item.ticket, [&] {
        check(status);
        if (failed_) return;
        check(Guarded([&] { return Merge(&item); }));
      });
      if (!failed_ && plan_.keep_ids) Translate(&item);
      appending_.Pass(item.ticket, [&] {
        if (failed_ || !plan_.keep_ids) return;
        check(Guarded([&] { return spool_.Append(item.tokens.ids); }));
      });
    }
  }

  // Gives the item the next ticket, with a block or, in *status, the reason why
  // there is none. Returns false if nothing is left to do.
  bool TakeTicket(WorkItem* item, absl::Status* status) {
    const std::lock_guard<std::mutex> lock(source_mutex_);
    if (ended_ || failed_) return false;
    bool found = false;
    *status = Guarded([&] { return ReadBlock(item, &found); });
    ended_ = !found;
    if (status->ok() && !found) return false;
    item->ticket = next_ticket_++;
    return true;
  }

  absl::Status ReadBlock(WorkItem* item, bool* found) {
    if (hooks_.StopRequested()) {
      return absl::CancelledError("reading the text was stopped");
    }
    FIRTH_ASSIGN_OR_RETURN(*found, source_->Next(&item->block));
    item->bytes_read = source_->bytes();
    return absl::OkStatus();
  }

  absl::Status Prepare(WorkItem* item) {
    const CorpusOptions& options = plan_.options;
    FIRTH_RETURN_IF_ERROR(CleanText(options.utf8,
                                    {options.lowercase, options.normalize},
                                    &item->block, &item->invalid_utf8));
    if (plan_.options.split_punctuation) {
      PartPunctuation(&item->block);
    }
    Tokenize(item->block, plan_.options.max_word_bytes, &item->tokens);
    counter_->Prepare(item->tokens.words, &item->word_ids);
    return absl::OkStatus();
  }

  absl::Status Merge(WorkItem* item) {
    report_.tokens += item->tokens.tokens;
    report_.dropped_too_long += item->tokens.too_long;
    report_.lines += item->tokens.lines;
    report_.invalid_utf8 += item->invalid_utf8;
    report_.tokens_with_nul += item->tokens.tokens_with_nul;
    if (item->tokens.first_nul_line > 0 && first_nul_.empty()) {
      first_nul_ =
          absl::StrCat(*item->block.file, ":", item->tokens.first_nul_line);
    }
    FIRTH_RETURN_IF_ERROR(counter_->Merge(item->tokens.words, &item->word_ids));
    if (SecondsSince(last_progress_) >= kProgressSeconds) {
      ReportProgress(item->bytes_read);
    }
    return absl::OkStatus();
  }

  void ReportProgress(uint64_t bytes) {
    last_progress_ = Clock::now();
    if (hooks_.progress == nullptr) return;
    ReadProgress progress;
    progress.bytes = bytes;
    progress.tokens = report_.tokens;
    progress.types = counter_->types();
    progress.seconds = SecondsSince(start_);
    hooks_.progress->OnRead(progress);
  }

  // Replaces ids of the block by ids of the whole text. Drops unknown words
  // and, unless empty sentences are kept, all but the first of consecutive
  // sentence ends.
  void Translate(WorkItem* item) const {
    std::vector<uint32_t>& ids = item->tokens.ids;
    size_t size = 0;
    const bool drops_empty = plan_.empty == EmptySentences::kDrop;
    bool after_end = false;
    for (const uint32_t id : ids) {
      const bool is_end = id == TokenStream::kSentenceEnd;
      const uint32_t translated = is_end ? id : item->word_ids[id];
      ids[size] = translated;
      size += translated != WordCounter::kUnknown && !(is_end && after_end);
      if (translated != WordCounter::kUnknown)
        after_end = drops_empty && is_end;
    }
    ids.resize(size);
  }

  // Lines without words are a result, too, if they are kept and no word is
  // counted.
  bool MayHaveNoWords() const {
    return plan_.vocabulary != nullptr && plan_.empty == EmptySentences::kKeep;
  }

  absl::Status CheckSomethingRead() const {
    if (report_.tokens > 0) return absl::OkStatus();
    if (MayHaveNoWords() && report_.lines > 0) return absl::OkStatus();
    const CorpusOptions& options = plan_.options;
    const std::string place = options.sentences ? "sentences"
                              : options.text.has_value()
                                  ? "text"
                                  : absl::StrJoin(options.inputs, " ");
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": the input contains no tokens (",
                     Thousands(report_.bytes), " bytes)"));
  }

  void WarnOfNul() const {
    if (report_.tokens_with_nul == 0 || hooks_.progress == nullptr) return;
    hooks_.progress->OnWarning(
        absl::StrCat(Thousands(report_.tokens_with_nul),
                     report_.tokens_with_nul == 1
                         ? " token contains NUL bytes and was kept"
                         : " tokens contain NUL bytes and were kept",
                     ", the first of them in ", first_nul_));
  }

  // Warns about words that occur in two Unicode forms.
  void WarnOfForms(const Vocabulary& vocabulary) const {
    const bool may_be_there = plan_.vocabulary == nullptr &&
                              plan_.options.normalize == Normalization::kNone;
    if (!may_be_there || hooks_.progress == nullptr) return;
    const auto [words, example] = FindWordsInTwoForms(vocabulary);
    if (words == 0) return;
    hooks_.progress->OnWarning(absl::StrCat(
        Thousands(words), words == 1 ? " word occurs" : " words occur",
        " in two Unicode forms, which count as two words, such as ",
        Quote(example), "; --normalize nfc makes them one word"));
  }

  const ReadPlan& plan_;
  const Hooks& hooks_;
  const int threads_;
  const Clock::time_point start_ = Clock::now();

  const bool inside_line_;  // Whether the text begins inside a line.

  std::mutex source_mutex_;  // Guards the next three members.
  std::unique_ptr<BlockSource> source_;
  uint64_t next_ticket_ = 0;
  bool ended_ = false;
  std::atomic<bool> failed_ = false;

  uint64_t memory_bytes_;
  Turnstile appending_;  // Guards the spool.
  TokenSpool spool_;
  Turnstile merging_;  // Guards all members below.
  std::unique_ptr<WordCounter> counter_;
  CorpusReport report_;
  std::string first_nul_;
  Clock::time_point last_progress_ = start_;
};

}  // namespace

absl::StatusOr<Corpus> ReadAsPlanned(const ReadPlan& plan, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(plan.options.Validate());
  FIRTH_RETURN_IF_ERROR(plan.vocabulary_options.Validate());
  if (plan.options.split_punctuation) {
    FIRTH_RETURN_IF_ERROR(LoadWordBoundaries());
  }
  try {
    FIRTH_ASSIGN_OR_RETURN(OpenedSource source, OpenSource(plan, hooks));
    if (plan.filter) source.blocks = plan.filter(std::move(source.blocks));
    absl::StatusOr<Corpus> corpus =
        CorpusReader(plan, hooks, std::move(source)).Run();
    GiveBackFreeMemory();
    return corpus;
  } catch (const std::exception& exception) {
    return absl::ResourceExhaustedError(
        absl::StrCat("out of memory after reading text: ", exception.what()));
  }
}

}  // namespace firth
