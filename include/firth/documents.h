// Vectors of documents, trained together with weights that predict words (Le
// and Mikolov, "Distributed Representations of Sentences and Documents", ICML
// 2014). A document has one or more tags, and each tag has a vector.
//
//   dbow   the vectors of a document's tags predict each of its words
//   dm     the mean of these vectors and of the words around a position
//          predicts the word there
//
// The vector of a new document is found by the same training, in which only
// this vector changes.

#ifndef FIRTH_DOCUMENTS_H_
#define FIRTH_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// --- Options. ---

struct DbowOptions {
  static constexpr absl::string_view kName = "dbow";
  // Train word vectors too, by skip-gram, in the same space.
  bool train_words = false;
  // Number of neighboring words that share their noise words and are predicted
  // together, 1 to 6; 0 means 6, or 4 with train_words. See SkipGramOptions.
  int shared_windows = 0;

  static FieldTable Fields();
};

struct DmOptions {
  static constexpr absl::string_view kName = "dm";
  // Use the sum of the context's vectors instead of their mean.
  bool sum = false;
  int shared_windows = 0;  // See DbowOptions.

  static FieldTable Fields();
};

using DocumentArchitecture = std::variant<DbowOptions, DmOptions>;
using DocumentObjective =
    std::variant<NegativeSamplingOptions, HierarchicalSoftmaxOptions>;

struct DocumentOptions {
  DocumentArchitecture architecture = DbowOptions{};
  DocumentObjective objective = NegativeSamplingOptions{};
  int dim = 100;
  // Words on each side, for dm and for the words of dbow.
  int window = 5;
  bool dynamic_window = true;
  double sample = 1e-3;
  int epochs = 20;
  double learning_rate = 0.025;
  double min_learning_rate = 1e-4;
  int threads = 0;  // 0 means all cores.
  uint64_t seed = 1;
  bool deterministic = false;  // See TrainOptions.

  static FieldTable Fields();
  absl::Status Validate() const;
  // Whether the model has word vectors.
  bool has_word_vectors() const;
};

// --- Texts. ---

enum class DocumentTags {
  kLine,    // The tag of a document is the number of its line, from 1.
  kColumn,  // Tags are in the first column, separated by spaces.
};

// Maximum length of a document, which is one line.
inline constexpr uint64_t kMostDocumentBytes = uint64_t{1} << 20;

// How texts of documents are read.
struct DocumentTextOptions {
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  DocumentTags tags = DocumentTags::kLine;
};

// Documents, as ids of words and tags.
struct Documents {
  // Sentence i of the tokens is document i, even if it has no words.
  Corpus corpus;
  // In the order of appearance. Counts are numbers of documents.
  Vocabulary tags;
  std::vector<uint64_t> tag_begins;  // [documents + 1], positions in tag_ids.
  std::vector<uint32_t> tag_ids;

  size_t size() const { return tag_begins.size() - 1; }
};

// Reads documents, one per line. Documents without words are kept, with a
// warning that contains the first one's line. Errors: those of ReadCorpus();
// InvalidArgument with the line, a document without a tag or of more than
// kMostDocumentBytes.
absl::StatusOr<Documents> ReadDocuments(const DocumentTextOptions& options,
                                        const Hooks& hooks = {});

// Reads a corpus for AddTags(): like ReadCorpus(), but sentence i of the tokens
// is line i of the text, or sentence i of the source, even if it has no words.
// Errors: those of ReadCorpus(); InvalidArgument with the line, a line of more
// than kMostDocumentBytes.
absl::StatusOr<Corpus> ReadDocumentCorpus(
    const CorpusOptions& options, const VocabularyOptions& vocabulary_options,
    const Hooks& hooks = {});
// Does the same with a given vocabulary.
absl::StatusOr<Corpus> ReadDocumentCorpus(const CorpusOptions& options,
                                          const Vocabulary& vocabulary,
                                          const Hooks& hooks = {});

// Returns the documents of such a corpus. tags: those of each document, which
// may have none. Errors: InvalidArgument, an empty tag, or another number of
// documents than the corpus has.
absl::StatusOr<Documents> AddTags(
    Corpus corpus, absl::Span<const std::vector<absl::string_view>> tags);

// --- Models. ---

struct InferOptions {
  int epochs = 0;  // 0 means those of training.
  // 0 means the learning rates of training.
  double learning_rate = 0;
  double min_learning_rate = 0;
  int threads = 0;

  static FieldTable Fields();
};

// A trained model. Immutable; cheap to copy.
class DocumentModel {
 public:
  // Trains a model. Errors: those of firth::Train().
  static absl::StatusOr<DocumentModel> Train(
      const Documents& documents, const DocumentOptions& options,
      const Hooks& hooks, TrainReport* report,
      const Checkpointing& checkpointing = {});

  // Reads a file of Save(). Errors: NotFound, DataLoss (damaged),
  // InvalidArgument (another kind of file), FailedPrecondition (a newer
  // version).
  static absl::StatusOr<DocumentModel> Load(const std::string& path);
  // Writes a .safetensors file, whole or not at all. It is a vector file of the
  // tags that LoadVectorFile() reads, and also contains the rest of the model.
  absl::Status Save(const std::string& path) const;

  const DocumentOptions& options() const;
  // Returns the vectors of the tags. A tag without any word has a zero vector.
  const WordVectors& documents() const;
  // Returns the vectors of words, in the same space; without rows if
  // options().has_word_vectors() is false.
  const WordVectors& words() const;
  const Vocabulary& vocabulary() const;
  // Returns the prediction weights, [words, dim], or one row per node of the
  // tree for hierarchical softmax.
  const FloatTable& output() const;
  // Options of reading the text, for new documents.
  const CorpusOptions& reading() const;
  // Metadata of the file, for the caller.
  const std::map<std::string, std::string>& metadata() const;
  // Returns the model with other options of reading and other metadata.
  DocumentModel With(const CorpusOptions& reading,
                     std::map<std::string, std::string> metadata) const;

  // Writes the vectors of new documents, given as words, to rows [n, dim]. The
  // same words give the same vector, bit for bit, with any number of threads
  // and whatever the other documents are, on machines with the same instruction
  // set. known: [n], the number of words of each document that the model has;
  // if it is 0, the vector is zero. May be empty. Errors: InvalidArgument
  // (options), Cancelled.
  absl::Status Infer(absl::Span<const std::vector<absl::string_view>> documents,
                     const InferOptions& options, const Hooks& hooks,
                     float* rows, absl::Span<uint64_t> known) const;
  // Does the same for a corpus of ReadDocumentCorpus() with vocabulary().
  absl::Status Infer(const Corpus& corpus, const InferOptions& options,
                     const Hooks& hooks, float* rows,
                     absl::Span<uint64_t> known) const;

 private:
  struct Body;
  explicit DocumentModel(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_DOCUMENTS_H_
