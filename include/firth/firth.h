/* Firth for C and for every language that calls C: the one interface with a
   promise. What is here stays as it is; functions are only added.

   Handles. Objects are opaque, made by one call and freed by another, which
   may be given null. A handle that is null, freed or of another kind is an
   error of the call, not the end of the process. Handles may be shared by
   threads, and freed while another thread still asks: that one's call ends as
   if nothing had happened. Memory that a call lends lasts until its object is
   freed.

   Errors. A call that can fail returns a status: null if it went well, else an
   object with code and message, to be freed by firth_status_free(). It leaves
   its outputs as they were then. No exception leaves the library.

   Callbacks return to the library that called them: neither longjmp() nor the
   end of their thread may leave one. An exception of C++ is caught behind it,
   and ends the call with an error.

   A child of fork() may use all objects that no other thread was using at the
   time; each of its calls then starts threads anew.

   Texts are UTF-8 (words may hold any bytes), with their size in bytes; they
   need no NUL at the end. A list of n texts is one block of bytes and n + 1
   offsets in it: text i has the bytes from offsets[i] on, up to
   offsets[i + 1]. A list of n sentences is such a list of words and n + 1
   offsets in that: sentence i has the words from sentences[i] on, up to
   sentences[i + 1].

   Options are a JSON object, with the names of the options on the command line
   ("firth help train"), so that a new option changes nothing here. Null, or a
   size of 0, means {}. docs/reference/c.md lists the options of each call, and
   firth_describe_options() describes them. Reports are JSON, too.

   Calls that can take long have a `progress`, which may be null, and its
   `context`. When it asks to stop, a training ends with what it has learned,
   and all other calls with CANCELLED.

   Matrices are row by row, without space between rows unless a stride is told.
   An id is the row of a word: 0 to the number of words - 1. Scores are cosines
   unless something else is said. */

#ifndef FIRTH_FIRTH_H_
#define FIRTH_FIRTH_H_

#include <stdint.h>

#if defined(__GNUC__)
#define FIRTH_API __attribute__((visibility("default")))
#else
#define FIRTH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C has no "using". NOLINTBEGIN(modernize-use-using) */

/* --- What every call needs. --- */

/* The version of this header. */
#define FIRTH_VERSION_MAJOR 0
#define FIRTH_VERSION_MINOR 1
#define FIRTH_VERSION_PATCH 0

/* The version of the library, as "0.1.0". */
FIRTH_API const char* firth_version(void);

/* The kinds of errors. Codes are only added. */
enum {
  FIRTH_OK = 0,
  FIRTH_CANCELLED = 1,        /* stopped by a callback */
  FIRTH_INVALID_ARGUMENT = 3, /* a bad option, malformed text, wrong handle */
  FIRTH_NOT_FOUND = 5,        /* no such file, word or option's name */
  FIRTH_PERMISSION_DENIED = 7,
  FIRTH_RESOURCE_EXHAUSTED = 8,  /* memory, disk */
  FIRTH_FAILED_PRECONDITION = 9, /* the object has nothing of the kind */
  FIRTH_OUT_OF_RANGE = 11,       /* a value that is no longer finite */
  FIRTH_UNIMPLEMENTED = 12,      /* a format cannot hold this */
  FIRTH_INTERNAL = 13,
  FIRTH_DATA_LOSS = 15 /* a truncated or corrupt file */
};

typedef struct FirthStatus FirthStatus;
/* FIRTH_OK for null. */
FIRTH_API int32_t firth_status_code(const FirthStatus* status);
/* UTF-8 that ends with NUL and lasts as long as the status; "" for null. */
FIRTH_API const char* firth_status_message(const FirthStatus* status);
FIRTH_API void firth_status_free(FirthStatus* status);

/* Bytes that the library has made: a report, numbers. */
typedef struct FirthBuffer FirthBuffer;
/* Aligned to 64 bytes; null for a wrong handle. */
FIRTH_API const void* firth_buffer_data(const FirthBuffer* buffer);
/* Returns the size in bytes, or 0 for an invalid handle. */
FIRTH_API int64_t firth_buffer_size(const FirthBuffer* buffer);
FIRTH_API void firth_buffer_free(FirthBuffer* buffer);

/* Tells what goes on, a few times a second: a JSON object with an "event",
   which is one of

     "read"       bytes, tokens, types, seconds: of a text that is being read
     "memory"     tables, workers, total, peak: bytes that training will take
     "train"      fraction (0 to 1), epoch (from 0), loss, learning_rate,
                  words_per_second, seconds_left
     "epoch"      epoch (from 0), loss: an epoch of word vectors is over, and
                  this is its mean loss per example; firth_epoch_vectors()
                  copies its vectors, and the training waits for this call
     "work"       done, total: words, questions, sentences of other work
     "milestone"  message: what has been reached
     "warning"    message: what the user should know

   or null of size 0, before the work begins and where nothing has happened for
   50 ms. Of "read", "train"
   and "work" a slow function gets the latest only. A result other than 0 asks
   the work to end soon and in order, and is the last call. Only the thread that
   made the call is used for this, while it waits. Null instead of a function:
   no reports. */
typedef int32_t (*FirthProgress)(void* context, const char* event,
                                 int64_t size);

/* Describes the options of a call: a JSON array of objects with name, type
   ("boolean", "integer", "number", "text", "integers", "numbers", "texts"),
   default, help, and where they apply min, max, choices. `call` says whose
   options they are: "load", "save", "query", "sums", "hnsw", "evaluate",
   "sentence-vectors", "text-similarity", "train" (also of reading), "phrases",
   "lm-train", "embed", "perplexity", "generate", "tagger", "labelled-text",
   "classify-train", "classify-load", "classify-probabilities",
   "classify-predict", "classify-quantize", "classify-tune". Errors: NOT_FOUND.
 */
FIRTH_API FirthStatus* firth_describe_options(const char* call,
                                              int64_t call_size,
                                              FirthBuffer** json);

/* --- Word vectors. --- */

typedef struct FirthVectors FirthVectors;

/* Opens a vector file of any format. Options: "format" (a name; else content
   tells), "duplicates" ("error", or "first": of words that stand twice the
   first is kept), "checked" (true: all values and words are checked now),
   "training" (true: the same, and rows in another form are made float32, as
   firth_train() needs them).

   Where none of the last three is given, files whose rows are mapped, as those
   of native models, are not looked at, and open in milliseconds. Values that
   are not finite then have a cosine of 0 with all, but are handed out as they
   are; in the vector of a sentence they are an error. Of a word that stands
   twice the first row is found. Calls that train check what they are given.
   An output table is kept, and saved again. Errors: NOT_FOUND,
   INVALID_ARGUMENT, DATA_LOSS, RESOURCE_EXHAUSTED. */
FIRTH_API FirthStatus* firth_vectors_load(const char* path, int64_t path_size,
                                          const char* options,
                                          int64_t options_size,
                                          FirthProgress progress, void* context,
                                          FirthVectors** vectors);

/* Makes vectors of `count` different words, none empty, and their rows
   [count, dim], which are copied. counts: [count], occurrences of each word, or
   null. */
FIRTH_API FirthStatus* firth_vectors_create(const char* words,
                                            const int64_t* offsets,
                                            int64_t count, const float* rows,
                                            int64_t dim, const int64_t* counts,
                                            FirthVectors** vectors);

/* Makes vectors that share words and rows with others. `metadata` is a JSON
   object of texts, which are added to the metadata of the others and replace
   those of the same name. */
FIRTH_API FirthStatus* firth_vectors_annotate(const FirthVectors* vectors,
                                              const char* metadata,
                                              int64_t metadata_size,
                                              FirthVectors** annotated);

/* Writes a file, whole or not at all. Options: "format" (else the extension
   tells), "lossy" (true: words and n-grams that the format cannot hold are left
   out, with a "warning" that has their number; otherwise the call fails with
   UNIMPLEMENTED). Counts, the output table and metadata are left out where the
   format has no place for them, with a "milestone" that lists them. */
FIRTH_API FirthStatus* firth_vectors_save(const FirthVectors* vectors,
                                          const char* path, int64_t path_size,
                                          const char* options,
                                          int64_t options_size,
                                          FirthProgress progress,
                                          void* context);

FIRTH_API void firth_vectors_free(FirthVectors* vectors);

/* Each output may be null. */
FIRTH_API FirthStatus* firth_vectors_shape(const FirthVectors* vectors,
                                           int64_t* count, int64_t* dim);

/* A JSON object: words, dim, form ("float32", "float16", "int8", "pq"),
   subwords, output, counts (booleans), metadata (an object of texts). */
FIRTH_API FirthStatus* firth_vectors_describe(const FirthVectors* vectors,
                                              FirthBuffer** json);

/* Lends all rows [count, dim], a row every `stride` numbers. Errors:
   FAILED_PRECONDITION, the rows have another form than float32. */
FIRTH_API FirthStatus* firth_vectors_rows(const FirthVectors* vectors,
                                          const float** rows, int64_t* stride);

/* Lends the prediction weights [*count, dim] that training left, as above.
   Errors: FAILED_PRECONDITION, there are none. */
FIRTH_API FirthStatus* firth_vectors_output_rows(const FirthVectors* vectors,
                                                 const float** rows,
                                                 int64_t* count,
                                                 int64_t* stride);

/* Copies the rows of n ids as floats, to [n, dim]. Errors: INVALID_ARGUMENT,
   an id that no word has. */
FIRTH_API FirthStatus* firth_vectors_copy(const FirthVectors* vectors,
                                          const int64_t* ids, int64_t n,
                                          float* rows);

/* Lends the words as a list of texts: their bytes and offsets [count + 1]. */
FIRTH_API FirthStatus* firth_vectors_words(const FirthVectors* vectors,
                                           const char** bytes,
                                           const int64_t** offsets);

/* Lends the occurrences of each word, [count]: 0 where they are not known. */
FIRTH_API FirthStatus* firth_vectors_counts(const FirthVectors* vectors,
                                            const int64_t** counts);

/* The id of a word; -1, which is no error, where there is no such word. */
FIRTH_API FirthStatus* firth_vectors_find(const FirthVectors* vectors,
                                          const char* word, int64_t size,
                                          int64_t* id);
/* The same of n words, to ids [n]. */
FIRTH_API FirthStatus* firth_vectors_find_all(const FirthVectors* vectors,
                                              const char* words,
                                              const int64_t* offsets, int64_t n,
                                              int64_t* ids);

/* The vectors of n words, to rows [n, dim]: their own, or made of their
   n-grams. from [n] tells which: 1 its own, 2 of n-grams, 0 none (the row is
   zeros then). */
FIRTH_API FirthStatus* firth_vectors_lookup(const FirthVectors* vectors,
                                            const char* words,
                                            const int64_t* offsets, int64_t n,
                                            float* rows, int8_t* from);

/* The ids of up to `most` words that are spelled most like this one, to ids
   [most]; *n tells how many there are. */
FIRTH_API FirthStatus* firth_vectors_spellings(const FirthVectors* vectors,
                                               const char* word, int64_t size,
                                               int64_t most, int64_t* ids,
                                               int64_t* n);

/* The cosines of n pairs of words, to scores [n]. */
FIRTH_API FirthStatus* firth_vectors_similarity(const FirthVectors* vectors,
                                                const int64_t* first,
                                                const int64_t* second,
                                                int64_t n, float* scores);

/* --- Neighbors. --- */

typedef struct FirthSearch FirthSearch;

/* Options: "search" ("exact", "int8", "hnsw"), "index" (the file of hnsw),
   "breadth", "restrict" (only so many words, the most frequent, are answers).
   The vectors may be freed before it. */
FIRTH_API FirthStatus* firth_search_create(const FirthVectors* vectors,
                                           const char* options,
                                           int64_t options_size,
                                           FirthProgress progress,
                                           void* context, FirthSearch** search);
FIRTH_API void firth_search_free(FirthSearch* search);

/* The following functions write the best `k` answers of each question to a
   row of ids [n, k] and scores [n, k], the best first, ties by id. If there
   are fewer, the rest is -1 and NaN. A question whose vector is zeros has no
   direction and no answers. Questions are answered together, on all cores. */

/* The neighbors of n words, each itself left out. */
FIRTH_API FirthStatus* firth_search_words(const FirthSearch* search,
                                          const int64_t* words, int64_t n,
                                          int64_t k, FirthProgress progress,
                                          void* context, int64_t* ids,
                                          float* scores);

/* The neighbors of n vectors [n, dim]. Words that are no answers of question
   i: exclude[from exclude_offsets[i] up to exclude_offsets[i + 1]]; both may
   be null. */
FIRTH_API FirthStatus* firth_search_vectors(
    const FirthSearch* search, const float* vectors, int64_t n,
    const int64_t* exclude, const int64_t* exclude_offsets, int64_t k,
    FirthProgress progress, void* context, int64_t* ids, float* scores);

/* Finds words near the vectors of positive weight and far from the others:
   question i has the vectors terms [.., dim] and the weights from offsets[i]
   up to offsets[i + 1]. Options: "method" ("add": 3CosAdd, "mul": 3CosMul). */
FIRTH_API FirthStatus* firth_search_sums(
    const FirthSearch* search, const float* terms, const float* weights,
    const int64_t* offsets, int64_t n, const int64_t* exclude,
    const int64_t* exclude_offsets, const char* options, int64_t options_size,
    int64_t k, FirthProgress progress, void* context, int64_t* ids,
    float* scores);

/* The cosine of every word that can be an answer with a vector [dim]; scores
   has as many places as there are words. *n tells how many can be answers. */
FIRTH_API FirthStatus* firth_search_cosines(const FirthSearch* search,
                                            const float* vector, float* scores,
                                            int64_t* n);

/* The place of other[i] among the neighbors of word[i], from 1, to ranks
   [n]. */
FIRTH_API FirthStatus* firth_search_ranks(const FirthSearch* search,
                                          const int64_t* words,
                                          const int64_t* others, int64_t n,
                                          FirthProgress progress, void* context,
                                          int64_t* ranks);

/* Writes an index for "hnsw", whole or not at all. Options: "links",
   "build-breadth", "seed". */
FIRTH_API FirthStatus* firth_index_build(const FirthVectors* vectors,
                                         const char* path, int64_t path_size,
                                         const char* options,
                                         int64_t options_size,
                                         FirthProgress progress, void* context);

/* --- Evaluation. --- */

/* Answers the questions of a file such as questions-words.txt. Options:
   "restrict", "lowercase", "method", "oov". The report is that of "firth eval
   --json": file, correct, asked, total, accuracy (null of none), interval
   [low, high], folded (true: words were looked up in lower case), sections (an
   array of objects with name, correct, asked, total). */
FIRTH_API FirthStatus* firth_evaluate_analogies(
    const FirthVectors* vectors, const char* path, int64_t path_size,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* Compares cosines with people's scores of pairs of words. Options:
   "lowercase", "oov"; the others of firth_evaluate_analogies() change nothing
   here. The report: file, spearman (null of fewer than two), interval, asked,
   total, folded, scores and cosines (arrays; null where a pair was not asked).
 */
FIRTH_API FirthStatus* firth_evaluate_similarity(
    const FirthVectors* vectors, const char* path, int64_t path_size,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* --- Vectors of sentences. --- */

typedef struct FirthSentenceEncoder FirthSentenceEncoder;

/* Options: "sif", "unit-words", "lowercase", "subwords". The vectors may be
   freed before it. */
FIRTH_API FirthStatus* firth_sentence_encoder_create(
    const FirthVectors* vectors, const char* options, int64_t options_size,
    FirthSentenceEncoder** encoder);
FIRTH_API void firth_sentence_encoder_free(FirthSentenceEncoder* encoder);

/* The vectors of n texts, whose words stand between white space, to rows
   [n, dim]; known [n], which may be null, tells how many words of each had a
   vector. A supervised model of fastText and a folder of model2vec read texts
   in their own way, as "firth sentence-vectors" says. */
FIRTH_API FirthStatus* firth_sentence_encoder_encode(
    const FirthSentenceEncoder* encoder, const char* texts,
    const int64_t* offsets, int64_t n, FirthProgress progress, void* context,
    float* rows, int64_t* known);

/* How near the texts of n pairs are, to scores [n]: NaN where no word of one
   has a vector. Pair i is the sentences 2 i and 2 i + 1 of the list. Options:
   "measure" ("mean", "soft-cosine", "wmd", "relaxed-wmd"), "exponent",
   "threshold", "lowercase", "subwords". Two texts of 2,000 different words take
   seconds with "wmd", which only then looks whether it is to stop. */
FIRTH_API FirthStatus* firth_vectors_text_similarity(
    const FirthVectors* vectors, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    double* scores);

/* --- Texts to learn from. --- */

typedef struct FirthCorpus FirthCorpus;

/* Reads files. Options: those of firth_train(), of which those about text and
   words are used, "input" (an array of paths) among them; so one object can be
   given to both calls. update: null, or a model that is to go on: all its words
   are kept. */
FIRTH_API FirthStatus* firth_corpus_read(const char* options,
                                         int64_t options_size,
                                         const FirthVectors* update,
                                         FirthProgress progress, void* context,
                                         FirthCorpus** corpus);

/* Receives the sentences of a FirthNextSentences. It must not be used after
   that call. */
typedef struct FirthSentenceSink FirthSentenceSink;
/* Adds n sentences, which are copied. Words are taken as they are, white space
   and all; none is empty. */
FIRTH_API FirthStatus* firth_sentence_sink_add(FirthSentenceSink* sink,
                                               const char* words,
                                               const int64_t* offsets,
                                               const int64_t* sentences,
                                               int64_t n);
/* Hands over the next sentences of a corpus, some thousand words in a call
   being best; none at the end, after which it is not called again. A result
   other than 0 breaks the reading off, which is then CANCELLED. Only the thread
   that made the call is used for this, while it waits. */
typedef int32_t (*FirthNextSentences)(void* context, FirthSentenceSink* sink);

/* The same of sentences that a callback hands over, each once. `context` is
   that of both functions. */
FIRTH_API FirthStatus* firth_corpus_read_sentences(
    FirthNextSentences next, const char* options, int64_t options_size,
    const FirthVectors* update, FirthProgress progress, void* context,
    FirthCorpus** corpus);

FIRTH_API void firth_corpus_free(FirthCorpus* corpus);

/* Describes what was read and dropped, and why: the "corpus" of firth train
   --report. */
FIRTH_API FirthStatus* firth_corpus_describe(const FirthCorpus* corpus,
                                             FirthBuffer** json);
/* Lends the words, as firth_vectors_words() does, and how many there are. */
FIRTH_API FirthStatus* firth_corpus_words(const FirthCorpus* corpus,
                                          const char** bytes,
                                          const int64_t** offsets,
                                          int64_t* count);
FIRTH_API FirthStatus* firth_corpus_counts(const FirthCorpus* corpus,
                                           const int64_t** counts);

/* Joins words that stand together more often than chance would have it.
   Options: "phrase-score", "phrase-threshold", "phrase-min-count",
   "phrase-delimiter", "phrase-connectors", "phrase-passes", "phrase-threads",
   "phrase-memory", "phrase-temp-dir"; and "min-count", "max-vocab", which
   choose from the words and phrases of the result. The corpus was read with
   "min-count" 1. phrases, which may be null: a JSON array of objects with text,
   count, score. */
FIRTH_API FirthStatus* firth_corpus_join_phrases(
    const FirthCorpus* corpus, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthCorpus** joined,
    FirthBuffer** phrases);

/* --- Training. --- */

/* Trains vectors. Options: those of "firth train" about the training, with
   "preset", "valid", "eval-analogies", "eval-similarity", "patience",
   "checkpoint", "checkpoint-every", "resume". initial: null, or vectors to
   start from ("init-others" and "freeze-init" go with it), all finite, in
   float32, and of different words. A corpus that was
   read for an update goes on with that model, whose options count where none
   are given. When `progress` asks to stop, what has been learned is the result,
   and the report has "interrupted": true. report, which may be null: that of
   firth train --report. Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED,
   OUT_OF_RANGE, DATA_LOSS. */
FIRTH_API FirthStatus* firth_train(const FirthCorpus* corpus,
                                   const char* options, int64_t options_size,
                                   const FirthVectors* initial,
                                   FirthProgress progress, void* context,
                                   FirthVectors** vectors,
                                   FirthBuffer** report);

/* Copies the vectors as an epoch of firth_train() leaves them, with their
   n-grams and without an output table. To be called by a FirthProgress while it
   is told of this "epoch". "word-share", "add-output" and the weights of an
   update (docs/guides/updating.md) are applied at the end of the training only.
   Errors: FAILED_PRECONDITION, another call, or a training with "views". */
FIRTH_API FirthStatus* firth_epoch_vectors(FirthVectors** vectors);

/* --- Language models: vectors of tokens in their sentences. --- */

/* Asked by one thread at a time; others wait. */
typedef struct FirthLanguageModel FirthLanguageModel;

FIRTH_API FirthStatus* firth_language_model_load(const char* path,
                                                 int64_t path_size,
                                                 FirthLanguageModel** model);
/* Trains on a corpus that was read with "min-count" 1. Options: those of "firth
   lm train" about the training, with "valid", "checkpoint", "checkpoint-every",
   "resume". vectors: those of its words, or null. report, which may be null:
   that of firth lm train --report, with "interrupted": true when `progress` has
   asked to stop. */
FIRTH_API FirthStatus* firth_language_model_train(
    const FirthCorpus* corpus, const char* options, int64_t options_size,
    const FirthVectors* vectors, FirthProgress progress, void* context,
    FirthLanguageModel** model, FirthBuffer** report);
FIRTH_API FirthStatus* firth_language_model_save(
    const FirthLanguageModel* model, const char* path, int64_t path_size);
FIRTH_API void firth_language_model_free(FirthLanguageModel* model);

/* A JSON object: layers, dim, token_dim, metadata. */
FIRTH_API FirthStatus* firth_language_model_describe(
    const FirthLanguageModel* model, FirthBuffer** json);

/* The vectors of the tokens of n sentences: floats, of each sentence one after
   another [layers, tokens, dim]. Options: "stateful" (true: each sentence goes
   on from the one before it in this call; no call goes on from another),
   "batch", "threads". */
FIRTH_API FirthStatus* firth_language_model_embed(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthBuffer** values);

/* ln p of n sentences, in nats, to scores [n]; tokens [n] and unknown [n],
   which may be null: their words with the end, and how many of them are not
   known. Errors: FAILED_PRECONDITION, a model without probabilities. */
FIRTH_API FirthStatus* firth_language_model_score(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, FirthProgress progress, void* context,
    double* scores, int64_t* tokens, int64_t* unknown);

/* How well the model predicts a corpus that was read with "min-count" 1.
   Options: "stateful", "threads". The report: forward, backward (objects with
   tokens, unknown, loss, perplexity; null where the model does not read so). */
FIRTH_API FirthStatus* firth_language_model_perplexity(
    const FirthLanguageModel* model, const FirthCorpus* corpus,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* Writes sentences. Options: those of "firth lm generate", with "prompt" (an
   array of words). The report: an array of objects with words, log_probability,
   ended. */
FIRTH_API FirthStatus* firth_language_model_generate(
    const FirthLanguageModel* model, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthBuffer** report);

/* --- Taggers. --- */

/* Asked by one thread at a time; others wait. */
typedef struct FirthTagger FirthTagger;

/* Options: "vectors" and "contextualizer", the files that it was trained with,
   as of "firth tag apply"; "threads". */
FIRTH_API FirthStatus* firth_tagger_load(const char* path, int64_t path_size,
                                         const char* options,
                                         int64_t options_size,
                                         FirthTagger** tagger);
FIRTH_API void firth_tagger_free(FirthTagger* tagger);

/* The names of the tags, a JSON array. */
FIRTH_API FirthStatus* firth_tagger_tags(const FirthTagger* tagger,
                                         FirthBuffer** json);

/* The tag of each token of n sentences, a position in firth_tagger_tags(), to
   tags [tokens]; probabilities [tokens], which may be null and double the work
   of some taggers. */
FIRTH_API FirthStatus* firth_tagger_tag(const FirthTagger* tagger,
                                        const char* words,
                                        const int64_t* offsets,
                                        const int64_t* sentences, int64_t n,
                                        FirthProgress progress, void* context,
                                        int32_t* tags, double* probabilities);

/* --- Texts with labels, and classifiers of texts. --- */

typedef struct FirthLabelledTexts FirthLabelledTexts;

/* A list of n texts, and their labels: a list of n sentences whose words are
   the labels, which are UTF-8 and not empty. All is copied. */
FIRTH_API FirthStatus* firth_labelled_texts_create(
    const char* texts, const int64_t* offsets, const char* labels,
    const int64_t* label_offsets, const int64_t* label_lists, int64_t n,
    FirthLabelledTexts** labelled);

/* Reads files. Options: those of "firth classify train" for its texts: "input",
   "form", "label-prefix", "label-column", "text-column", "label-separator",
   "utf8". */
FIRTH_API FirthStatus* firth_labelled_texts_read(const char* options,
                                                 int64_t options_size,
                                                 FirthProgress progress,
                                                 void* context,
                                                 FirthLabelledTexts** labelled);
FIRTH_API void firth_labelled_texts_free(FirthLabelledTexts* labelled);

typedef struct FirthClassifier FirthClassifier;

/* Learns. `valid`, which may be null: texts to measure on. Options: those of
   "firth classify train", with "checkpoint", "checkpoint-every" and "resume".
   The report, which may be null: an object with texts, words, labels, features,
   parameters, epochs (each with loss, score, seconds), best_epoch,
   calibrated_on (texts), calibration_error, seconds, interrupted. */
FIRTH_API FirthStatus* firth_classifier_train(
    const FirthLabelledTexts* labelled, const FirthLabelledTexts* valid,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthClassifier** classifier, FirthBuffer** report);

/* Reads a file of "firth classify train", or a supervised model of fastText.
   Options: "contextualizer", the file of the one that it was trained with. */
FIRTH_API FirthStatus* firth_classifier_load(const char* path,
                                             int64_t path_size,
                                             const char* options,
                                             int64_t options_size,
                                             FirthClassifier** classifier);
/* Writes the classifier, in fastText's format if the path ends in .bin. */
FIRTH_API FirthStatus* firth_classifier_save(const FirthClassifier* classifier,
                                             const char* path,
                                             int64_t path_size);
FIRTH_API void firth_classifier_free(FirthClassifier* classifier);

/* An object with labels (an array; their positions stand for them), options (as
   the training found them) and several_labels: whether a text may have any
   number of them. */
FIRTH_API FirthStatus* firth_classifier_describe(
    const FirthClassifier* classifier, FirthBuffer** json);

/* The probabilities of all labels for n texts, to probabilities [n, labels].
   Options: "threads". */
FIRTH_API FirthStatus* firth_classifier_probabilities(
    const FirthClassifier* classifier, const char* texts,
    const int64_t* offsets, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    float* probabilities);

/* How many words and n-grams of each of n texts the classifier knows, with
   tokens that its contextualizer reads, to known [n]. 0: nothing of the text
   speaks for its labels; their probabilities are those of the training texts
   or, of a model of fastText, what fastText gives. Options: as of
   firth_classifier_probabilities(). */
FIRTH_API FirthStatus* firth_classifier_known(const FirthClassifier* classifier,
                                              const char* texts,
                                              const int64_t* offsets, int64_t n,
                                              const char* options,
                                              int64_t options_size,
                                              FirthProgress progress,
                                              void* context, int64_t* known);

/* The labels of n texts, most probable first: those of text i stand in
   `labels`, int32_t each, from ends[i] on, up to ends[i + 1], and their
   probabilities, float each, in the same places of `probabilities`, which may
   be null. ends: [n + 1]. Options: those of "firth classify predict" "top",
   "threshold", "threads". */
FIRTH_API FirthStatus* firth_classifier_predict(
    const FirthClassifier* classifier, const char* texts,
    const int64_t* offsets, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context, int64_t* ends,
    FirthBuffer** labels, FirthBuffer** probabilities);

/* The at most k n-grams of a text that speak most for a label or against it: an
   array of arrays of an n-gram and its weight in nats. */
FIRTH_API FirthStatus* firth_classifier_explain(
    const FirthClassifier* classifier, const char* text, int64_t text_size,
    int64_t label, int64_t k, FirthBuffer** json);
/* Likewise the k n-grams of all that speak most for a label. */
FIRTH_API FirthStatus* firth_classifier_strongest(
    const FirthClassifier* classifier, int64_t label, int64_t k,
    FirthBuffer** json);

/* Measures on texts. Options: as of firth_classifier_predict(). The report: as
   "firth classify eval --json" prints it. INVALID_ARGUMENT where no label of
   the texts is one of the classifier, also with the prefix in front of it that
   firth_labelled_texts_read() took off. */
FIRTH_API FirthStatus* firth_classifier_evaluate(
    const FirthClassifier* classifier, const FirthLabelledTexts* labelled,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* Makes a smaller classifier. `train`, which may be null: texts to fit it to
   again. Options: those of "firth classify quantize". */
FIRTH_API FirthStatus* firth_classifier_quantize(
    const FirthClassifier* classifier, const FirthLabelledTexts* train,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthClassifier** quantized);

/* Searches the best options of a training. `valid` may be null. `start`:
   options of firth_classifier_train() without checkpoints, which stay as they
   are where they are given. Options: those of "firth classify tune". The
   report: an object with trials (each with options, folds, share, tokens,
   score, deviation, memory, bytes, seconds, left_out), best (a position in
   them), tokens, budget_tokens, interrupted. When `progress` asks to stop, it
   is what was found until then; CANCELLED before there is anything. */
FIRTH_API FirthStatus* firth_classifier_tune(
    const FirthLabelledTexts* labelled, const FirthLabelledTexts* valid,
    const char* start, int64_t start_size, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthBuffer** report);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FIRTH_FIRTH_H_ */
