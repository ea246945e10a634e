/* Firth for C, and for every language that can call C. This is the only
   interface with a stability promise: existing declarations do not change, and
   functions are only added.

   Handles. Objects are opaque. One call creates an object and another frees it;
   the latter accepts null. A handle that is null, freed or of the wrong kind
   makes a call fail; it does not end the process. Handles may be shared by
   threads, and may be freed while another thread uses them: that thread's call
   completes normally. Memory that a call lends remains valid until its object
   is freed.

   Errors. A call that can fail returns a status: null on success, otherwise an
   object with a code and a message, to be freed by firth_status_free(). A call
   that fails does not change its outputs. No exception leaves the library.

   Callbacks must return to the library: they must not call longjmp() or end
   their thread. A C++ exception thrown by a callback is caught and makes the
   call fail.

   The child of a fork() may use all objects that no other thread was using at
   the time; its calls start new threads.

   Texts are UTF-8 (words may contain any bytes), passed with their size in
   bytes, and need not end with NUL. A list of n texts is one block of bytes and
   n + 1 offsets into it: text i consists of the bytes from offsets[i] up to,
   but not including, offsets[i + 1]. A list of n sentences is such a list of
   words and n + 1 offsets into that list: sentence i consists of the words from
   sentences[i] up to, but not including, sentences[i + 1].

   Options are passed as a JSON object with the names of the command-line
   options ("firth help train"), so that new options do not change this
   interface. Null, or a size of 0, means {}. docs/reference/c.md lists the
   options of each call, and firth_describe_options() describes them. Reports
   are JSON, too.

   Calls that can take a long time accept a `progress` function, which may be
   null, and its `context`. If it requests a stop, training returns its result
   so far, and all other calls fail with CANCELLED.

   Matrices are stored row by row, without gaps unless there is a stride. An id
   is the row of a word, from 0 to the number of words - 1. Scores are cosines
   unless stated otherwise. */

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

/* --- Common parts. --- */

/* Version of this header. */
#define FIRTH_VERSION_MAJOR 0
#define FIRTH_VERSION_MINOR 9
#define FIRTH_VERSION_PATCH 0

/* Returns the version of the library, such as "0.9.0". */
FIRTH_API const char* firth_version(void);

/* Kinds of errors. Codes are only added. */
enum {
  FIRTH_OK = 0,
  FIRTH_CANCELLED = 1,        /* Stopped by a callback. */
  FIRTH_INVALID_ARGUMENT = 3, /* Bad option, malformed text, wrong handle. */
  FIRTH_NOT_FOUND = 5,        /* No such file, word or option name. */
  FIRTH_PERMISSION_DENIED = 7,
  FIRTH_RESOURCE_EXHAUSTED = 8,  /* Not enough memory or disk space. */
  FIRTH_FAILED_PRECONDITION = 9, /* No support for the call, or a newer file. */
  FIRTH_OUT_OF_RANGE = 11,       /* A value is no longer finite. */
  FIRTH_UNIMPLEMENTED = 12,      /* A format cannot hold the data. */
  FIRTH_INTERNAL = 13,
  FIRTH_DATA_LOSS = 15 /* A truncated or corrupt file. */
};

typedef struct FirthStatus FirthStatus;
/* Returns the code of a status, FIRTH_OK for null. */
FIRTH_API int32_t firth_status_code(const FirthStatus* status);
/* Returns the message of a status, "" for null. It is UTF-8 that ends with NUL,
   and remains valid as long as the status. */
FIRTH_API const char* firth_status_message(const FirthStatus* status);
FIRTH_API void firth_status_free(FirthStatus* status);

/* Bytes created by the library, such as a report or an array of numbers. */
typedef struct FirthBuffer FirthBuffer;
/* Returns the data, aligned to 64 bytes; null for a wrong handle. */
FIRTH_API const void* firth_buffer_data(const FirthBuffer* buffer);
/* Returns the size in bytes; 0 for a wrong handle. */
FIRTH_API int64_t firth_buffer_size(const FirthBuffer* buffer);
FIRTH_API void firth_buffer_free(FirthBuffer* buffer);

/* Receives progress reports, a few times per second. A report is a JSON object
   with an "event", which is one of

     "read"       bytes, tokens, types, seconds: progress of reading a text
     "memory"     tables, workers, total, peak: bytes that training will need
     "train"      fraction (0 to 1), epoch (from 0), loss, learning_rate,
                  words_per_second, seconds_left
     "epoch"      epoch (from 0), loss: a completed epoch of word vectors and
                  its mean loss per example; firth_epoch_vectors() copies its
                  vectors, and training waits for this callback
     "work"       done, total: words, questions or sentences of other work
     "milestone"  message: an intermediate result
     "warning"    message: a warning for the user

   The event is null with size 0 before the work begins, and whenever nothing
   has happened for 50 ms. A slow function receives only the latest "read",
   "train" and "work" events. A result other than 0 asks the work to end soon
   and in an orderly way, and the function is not called again. It runs in the
   thread that made the call, which waits meanwhile. If the function is null,
   there are no reports. */
typedef int32_t (*FirthProgress)(void* context, const char* event,
                                 int64_t size);

/* Describes the options of a call, as a JSON array of objects with name, type
   ("boolean", "integer", "number", "text", "integers", "numbers", "texts"),
   default, help, and, if they apply, min, max and choices. `call` is one of
   "load", "save", "query", "sums", "hnsw", "sentence-vectors", "train" (also
   for reading), "phrases", "lm-train", "embed", "perplexity", "generate",
   "tagger", "documents-train" (also for reading), "documents-infer",
   "labelled-text", "classify-train", "classify-load",
   "classify-probabilities", "classify-predict", "classify-quantize",
   "classify-tune". Errors: NOT_FOUND. */
FIRTH_API FirthStatus* firth_describe_options(const char* call,
                                              int64_t call_size,
                                              FirthBuffer** json);

/* --- Word vectors. --- */

typedef struct FirthVectors FirthVectors;

/* Opens a vector file of any format. Options: "format" (a name; by default it
   is detected from the content), "duplicates" ("error", or "first" to keep the
   first occurrence of a duplicate word), "checked" (true checks all values and
   words now), "training" (true does the same, and converts rows in other forms
   to float32, as firth_train() requires).

   If none of the last three is given, files whose rows are mapped, such as
   native models, are not checked and open in milliseconds. Values that are not
   finite then have cosine 0 with everything, but are returned as they are; in
   the vector of a sentence they are an error. For a duplicate word the first
   row is found. Calls that train check their inputs. An output table is kept
   and saved again. Errors: NOT_FOUND, INVALID_ARGUMENT, DATA_LOSS,
   RESOURCE_EXHAUSTED. */
FIRTH_API FirthStatus* firth_vectors_load(const char* path, int64_t path_size,
                                          const char* options,
                                          int64_t options_size,
                                          FirthProgress progress, void* context,
                                          FirthVectors** vectors);

/* Creates vectors of `count` distinct words, none of them empty, from rows
   [count, dim], which are copied. counts: [count], occurrences of each word, or
   null. */
FIRTH_API FirthStatus* firth_vectors_create(const char* words,
                                            const int64_t* offsets,
                                            int64_t count, const float* rows,
                                            int64_t dim, const int64_t* counts,
                                            FirthVectors** vectors);

/* Creates vectors that share words and rows with existing ones. `metadata` is a
   JSON object of texts, which are added to the existing metadata and replace
   entries of the same name. */
FIRTH_API FirthStatus* firth_vectors_annotate(const FirthVectors* vectors,
                                              const char* metadata,
                                              int64_t metadata_size,
                                              FirthVectors** annotated);

/* Writes a file, whole or not at all. Options: "format" (by default it is
   chosen by the extension), "lossy" (true leaves out words and n-grams that the
   format cannot hold, and reports a "warning" with their number; otherwise the
   call fails with UNIMPLEMENTED). Counts, the output table and metadata are
   left out if the format cannot hold them, and a "milestone" lists them. */
FIRTH_API FirthStatus* firth_vectors_save(const FirthVectors* vectors,
                                          const char* path, int64_t path_size,
                                          const char* options,
                                          int64_t options_size,
                                          FirthProgress progress,
                                          void* context);

FIRTH_API void firth_vectors_free(FirthVectors* vectors);

/* Sets the number of words and the dimensions. Each output may be null. */
FIRTH_API FirthStatus* firth_vectors_shape(const FirthVectors* vectors,
                                           int64_t* count, int64_t* dim);

/* Returns a JSON object: words, dim, form ("float32", "float16", "int8", "pq"),
   subwords, output, counts (booleans), metadata (an object of texts). */
FIRTH_API FirthStatus* firth_vectors_describe(const FirthVectors* vectors,
                                              FirthBuffer** json);

/* Lends all rows [count, dim]; row i begins at rows + i * stride. Errors:
   FAILED_PRECONDITION, the rows are not float32. */
FIRTH_API FirthStatus* firth_vectors_rows(const FirthVectors* vectors,
                                          const float** rows, int64_t* stride);

/* Lends the prediction weights [*count, dim] of a trained model, with a stride
   as in firth_vectors_rows(). Errors: FAILED_PRECONDITION, there are none. */
FIRTH_API FirthStatus* firth_vectors_output_rows(const FirthVectors* vectors,
                                                 const float** rows,
                                                 int64_t* count,
                                                 int64_t* stride);

/* Copies the rows of n ids as floats to rows [n, dim]. Errors:
   INVALID_ARGUMENT, an id that no word has. */
FIRTH_API FirthStatus* firth_vectors_copy(const FirthVectors* vectors,
                                          const int64_t* ids, int64_t n,
                                          float* rows);

/* Lends the words as a list of texts: their bytes and offsets [count + 1]. */
FIRTH_API FirthStatus* firth_vectors_words(const FirthVectors* vectors,
                                           const char** bytes,
                                           const int64_t** offsets);

/* Lends the number of occurrences of each word, [count]; 0 if not known. */
FIRTH_API FirthStatus* firth_vectors_counts(const FirthVectors* vectors,
                                            const int64_t** counts);

/* Sets the id of a word, or -1, which is not an error, if there is no such
   word. */
FIRTH_API FirthStatus* firth_vectors_find(const FirthVectors* vectors,
                                          const char* word, int64_t size,
                                          int64_t* id);
/* Sets the ids [n] of n words, as firth_vectors_find() does. */
FIRTH_API FirthStatus* firth_vectors_find_all(const FirthVectors* vectors,
                                              const char* words,
                                              const int64_t* offsets, int64_t n,
                                              int64_t* ids);

/* Writes the vectors of n words to rows [n, dim]: their own, or composed from
   their n-grams. from[i] is 1 if the vector is the word's own, 2 if it comes
   from n-grams, and 0 if there is none and the row is zero. */
FIRTH_API FirthStatus* firth_vectors_lookup(const FirthVectors* vectors,
                                            const char* words,
                                            const int64_t* offsets, int64_t n,
                                            float* rows, int8_t* from);

/* --- Neighbors. --- */

typedef struct FirthSearch FirthSearch;

/* Creates a search. Options: "search" ("exact", "int8", "hnsw"), "index" (the
   index file for hnsw), "breadth", "restrict" (only this many words, the most
   frequent, can be answers). The vectors may be freed before the search. */
FIRTH_API FirthStatus* firth_search_create(const FirthVectors* vectors,
                                           const char* options,
                                           int64_t options_size,
                                           FirthProgress progress,
                                           void* context, FirthSearch** search);
FIRTH_API void firth_search_free(FirthSearch* search);

/* The following calls write the best `k` answers of each query to a row of ids
   [n, k] and scores [n, k], best first, with ties broken by id. If there are
   fewer answers, the rest of the row is -1 and NaN. A query whose vector is
   zero has no direction and no answers. Queries are processed together, on all
   cores. */

/* Finds the neighbors of n words, each without the word itself. */
FIRTH_API FirthStatus* firth_search_words(const FirthSearch* search,
                                          const int64_t* words, int64_t n,
                                          int64_t k, FirthProgress progress,
                                          void* context, int64_t* ids,
                                          float* scores);

/* Finds the neighbors of n vectors [n, dim]. The words exclude[j], for j from
   exclude_offsets[i] up to, but not including, exclude_offsets[i + 1], are not
   answers of query i. Both arrays may be null. */
FIRTH_API FirthStatus* firth_search_vectors(
    const FirthSearch* search, const float* vectors, int64_t n,
    const int64_t* exclude, const int64_t* exclude_offsets, int64_t k,
    FirthProgress progress, void* context, int64_t* ids, float* scores);

/* Finds words near the vectors of positive weight and far from those of
   negative weight. Query i consists of the rows of terms [.., dim] and of
   weights from offsets[i] up to, but not including, offsets[i + 1]. Options:
   "method" ("add": 3CosAdd, "mul": 3CosMul). */
FIRTH_API FirthStatus* firth_search_sums(
    const FirthSearch* search, const float* terms, const float* weights,
    const int64_t* offsets, int64_t n, const int64_t* exclude,
    const int64_t* exclude_offsets, const char* options, int64_t options_size,
    int64_t k, FirthProgress progress, void* context, int64_t* ids,
    float* scores);

/* Writes the cosine of a vector [dim] with every word that can be an answer to
   `scores`, which must have room for all words. *n is set to the number of
   words that can be answers. */
FIRTH_API FirthStatus* firth_search_cosines(const FirthSearch* search,
                                            const float* vector, float* scores,
                                            int64_t* n);

/* Writes an index for "hnsw", whole or not at all. Options: "links",
   "build-breadth", "seed". */
FIRTH_API FirthStatus* firth_index_build(const FirthVectors* vectors,
                                         const char* path, int64_t path_size,
                                         const char* options,
                                         int64_t options_size,
                                         FirthProgress progress, void* context);

/* --- Sentence vectors. --- */

typedef struct FirthSentenceEncoder FirthSentenceEncoder;

/* Creates an encoder. Options: "sif", "unit-words", "lowercase", "subwords".
   The vectors may be freed before the encoder. */
FIRTH_API FirthStatus* firth_sentence_encoder_create(
    const FirthVectors* vectors, const char* options, int64_t options_size,
    FirthSentenceEncoder** encoder);
FIRTH_API void firth_sentence_encoder_free(FirthSentenceEncoder* encoder);

/* Writes the vectors of n texts, whose words are separated by white space, to
   rows [n, dim]. known [n], which may be null, is set to the number of words of
   each text that have a vector. Supervised fastText models and model2vec
   folders read texts in their own way, as described by "firth sentence-vectors
   --help". */
FIRTH_API FirthStatus* firth_sentence_encoder_encode(
    const FirthSentenceEncoder* encoder, const char* texts,
    const int64_t* offsets, int64_t n, FirthProgress progress, void* context,
    float* rows, int64_t* known);

/* --- Training texts. --- */

typedef struct FirthCorpus FirthCorpus;

/* Reads files. Options: those of firth_train(). Only those about text and words
   are used, such as "input" (an array of paths), so the same object can be
   passed to both calls. `update` is null, or a model to be continued, all of
   whose words are kept. */
FIRTH_API FirthStatus* firth_corpus_read(const char* options,
                                         int64_t options_size,
                                         const FirthVectors* update,
                                         FirthProgress progress, void* context,
                                         FirthCorpus** corpus);

/* Receives the sentences of a FirthNextSentences. Must not be used after its
   call. */
typedef struct FirthSentenceSink FirthSentenceSink;
/* Adds n sentences, which are copied. Words are taken unchanged, including any
   white space; they must not be empty. */
FIRTH_API FirthStatus* firth_sentence_sink_add(FirthSentenceSink* sink,
                                               const char* words,
                                               const int64_t* offsets,
                                               const int64_t* sentences,
                                               int64_t n);
/* Adds the next sentences of a corpus to the sink, ideally a few thousand words
   per call, or none at the end; it is then not called again. A result other
   than 0 stops the reading, which fails with CANCELLED. It runs in the thread
   that made the call, which waits meanwhile. */
typedef int32_t (*FirthNextSentences)(void* context, FirthSentenceSink* sink);

/* Reads sentences from a callback, each once. Options and `update` are those of
   firth_corpus_read(). Both functions receive `context`. */
FIRTH_API FirthStatus* firth_corpus_read_sentences(
    FirthNextSentences next, const char* options, int64_t options_size,
    const FirthVectors* update, FirthProgress progress, void* context,
    FirthCorpus** corpus);

FIRTH_API void firth_corpus_free(FirthCorpus* corpus);

/* Describes what was read and how many tokens were dropped for each reason: the
   "corpus" object of firth train --report. */
FIRTH_API FirthStatus* firth_corpus_describe(const FirthCorpus* corpus,
                                             FirthBuffer** json);
/* Lends the words, as firth_vectors_words() does, and sets their number. */
FIRTH_API FirthStatus* firth_corpus_words(const FirthCorpus* corpus,
                                          const char** bytes,
                                          const int64_t** offsets,
                                          int64_t* count);
FIRTH_API FirthStatus* firth_corpus_counts(const FirthCorpus* corpus,
                                           const int64_t** counts);

/* Joins words that occur together more often than by chance. Options:
   "phrase-score", "phrase-threshold", "phrase-min-count", "phrase-delimiter",
   "phrase-connectors", "phrase-passes", "phrase-threads", "phrase-memory",
   "phrase-temp-dir"; also "min-count" and "max-vocab", which select the words
   and phrases of the result. The corpus must have been read with "min-count" 1.
   `phrases`, which may be null, is set to a JSON array of objects with text,
   count, score. */
FIRTH_API FirthStatus* firth_corpus_join_phrases(
    const FirthCorpus* corpus, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthCorpus** joined,
    FirthBuffer** phrases);

/* --- Training. --- */

/* Trains vectors. Options: the training options of "firth train", with
   "preset", "valid", "eval-analogies", "eval-similarity", "patience",
   "checkpoint", "checkpoint-every", "resume". `initial` is null, or vectors to
   start from (with options "init-others" and "freeze-init"). Its values must be
   finite and float32, and its words distinct. If the corpus was read for an
   update, training continues that model, with its options where none are given.
   If `progress` requests a stop, the vectors trained so far are the result, and
   the report contains "interrupted": true. `report`, which may be null, is set
   to that of firth train --report. Errors: INVALID_ARGUMENT,
   RESOURCE_EXHAUSTED, OUT_OF_RANGE, DATA_LOSS. */
FIRTH_API FirthStatus* firth_train(const FirthCorpus* corpus,
                                   const char* options, int64_t options_size,
                                   const FirthVectors* initial,
                                   FirthProgress progress, void* context,
                                   FirthVectors** vectors,
                                   FirthBuffer** report);

/* Copies the vectors after an epoch of firth_train(), with their n-grams but
   without an output table. May only be called by a FirthProgress while it
   handles an "epoch" event. "word-share", "add-output" and the weights of an
   update (docs/guides/updating.md) are applied only at the end of training.
   Errors: FAILED_PRECONDITION, called at another time, or training with
   "views". */
FIRTH_API FirthStatus* firth_epoch_vectors(FirthVectors** vectors);

/* --- Language models: contextual vectors of tokens. --- */

/* A language model. Used by one thread at a time; others wait. */
typedef struct FirthLanguageModel FirthLanguageModel;

FIRTH_API FirthStatus* firth_language_model_load(const char* path,
                                                 int64_t path_size,
                                                 FirthLanguageModel** model);
/* Trains on a corpus that was read with "min-count" 1. Options: the training
   options of "firth lm train", with "valid", "checkpoint", "checkpoint-every",
   "resume". `vectors`, which may be null, are those of its words. `report`,
   which may be null, is set to that of firth lm train --report, with
   "interrupted": true if `progress` requested a stop. */
FIRTH_API FirthStatus* firth_language_model_train(
    const FirthCorpus* corpus, const char* options, int64_t options_size,
    const FirthVectors* vectors, FirthProgress progress, void* context,
    FirthLanguageModel** model, FirthBuffer** report);
FIRTH_API FirthStatus* firth_language_model_save(
    const FirthLanguageModel* model, const char* path, int64_t path_size);
FIRTH_API void firth_language_model_free(FirthLanguageModel* model);

/* Returns a JSON object: layers, dim, token_dim, metadata. */
FIRTH_API FirthStatus* firth_language_model_describe(
    const FirthLanguageModel* model, FirthBuffer** json);

/* Computes the vectors of the tokens of n sentences, as floats: for one
   sentence after another, [layers, tokens, dim]. Options: "stateful" (true
   continues each sentence from the previous one in this call; calls are
   independent), "batch", "threads". */
FIRTH_API FirthStatus* firth_language_model_embed(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthBuffer** values);

/* Writes ln p of n sentences, in nats, to scores [n]. tokens [n] and unknown
   [n], which may be null, are set to their number of tokens, including the end,
   and to the number of unknown ones. Errors: FAILED_PRECONDITION, a model
   without probabilities. */
FIRTH_API FirthStatus* firth_language_model_score(
    const FirthLanguageModel* model, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, FirthProgress progress, void* context,
    double* scores, int64_t* tokens, int64_t* unknown);

/* Measures how well the model predicts a corpus that was read with "min-count"
   1. Options: "stateful", "threads". The report contains forward and backward
   (objects with tokens, unknown, loss, perplexity; null if the model does not
   read in that direction). */
FIRTH_API FirthStatus* firth_language_model_perplexity(
    const FirthLanguageModel* model, const FirthCorpus* corpus,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* Generates sentences. Options: those of "firth lm generate", with "prompt" (an
   array of words). The report is an array of objects with words,
   log_probability, ended. */
FIRTH_API FirthStatus* firth_language_model_generate(
    const FirthLanguageModel* model, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthBuffer** report);

/* --- Taggers. --- */

/* A tagger. Used by one thread at a time; others wait. */
typedef struct FirthTagger FirthTagger;

/* Loads a tagger. Options: "vectors" and "contextualizer", the files with which
   it was trained, as in "firth tag apply"; "threads". */
FIRTH_API FirthStatus* firth_tagger_load(const char* path, int64_t path_size,
                                         const char* options,
                                         int64_t options_size,
                                         FirthTagger** tagger);
FIRTH_API void firth_tagger_free(FirthTagger* tagger);

/* Returns the names of the tags, as a JSON array. */
FIRTH_API FirthStatus* firth_tagger_tags(const FirthTagger* tagger,
                                         FirthBuffer** json);

/* Writes the tag of each token of n sentences, an index into
   firth_tagger_tags(), to tags [tokens]. probabilities [tokens] may be null;
   computing them doubles the work of some taggers. */
FIRTH_API FirthStatus* firth_tagger_tag(const FirthTagger* tagger,
                                        const char* words,
                                        const int64_t* offsets,
                                        const int64_t* sentences, int64_t n,
                                        FirthProgress progress, void* context,
                                        int32_t* tags, double* probabilities);

/* --- Sequence-to-sequence models. --- */

/* A model that reads a text and writes another, which firth_ask() does with the
   question "seq2seq". Used by one thread at a time; others wait. */
typedef struct FirthSeq2Seq FirthSeq2Seq;

FIRTH_API FirthStatus* firth_seq2seq_load(const char* path, int64_t path_size,
                                          FirthSeq2Seq** model);
FIRTH_API void firth_seq2seq_free(FirthSeq2Seq* model);

/* --- Labeled texts, and text classifiers. --- */

typedef struct FirthLabelledTexts FirthLabelledTexts;

/* Creates n labeled texts from a list of texts and a list of n sentences whose
   words are the labels, which must be UTF-8 and not empty. Everything is
   copied. */
FIRTH_API FirthStatus* firth_labelled_texts_create(
    const char* texts, const int64_t* offsets, const char* labels,
    const int64_t* label_offsets, const int64_t* label_lists, int64_t n,
    FirthLabelledTexts** labelled);

/* Reads labeled texts from files. Options: those of "firth classify train" for
   its texts: "input", "form", "label-prefix", "label-column", "text-column",
   "label-separator", "utf8". */
FIRTH_API FirthStatus* firth_labelled_texts_read(const char* options,
                                                 int64_t options_size,
                                                 FirthProgress progress,
                                                 void* context,
                                                 FirthLabelledTexts** labelled);
FIRTH_API void firth_labelled_texts_free(FirthLabelledTexts* labelled);

typedef struct FirthClassifier FirthClassifier;

/* Trains a classifier. `valid`, which may be null, holds texts to measure on.
   Options: those of "firth classify train", with "checkpoint",
   "checkpoint-every" and "resume". `report`, which may be null, is set to an
   object with texts, words, labels, features, parameters, epochs (each with
   loss, score, seconds), best_epoch, calibrated_on (texts), calibration_error,
   seconds, interrupted. */
FIRTH_API FirthStatus* firth_classifier_train(
    const FirthLabelledTexts* labelled, const FirthLabelledTexts* valid,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthClassifier** classifier, FirthBuffer** report);

/* Loads a file of "firth classify train", or a supervised model of fastText.
   Options: "contextualizer", the file with which it was trained. */
FIRTH_API FirthStatus* firth_classifier_load(const char* path,
                                             int64_t path_size,
                                             const char* options,
                                             int64_t options_size,
                                             FirthClassifier** classifier);
/* Writes a classifier, in fastText's format if the path ends in .bin. */
FIRTH_API FirthStatus* firth_classifier_save(const FirthClassifier* classifier,
                                             const char* path,
                                             int64_t path_size);
FIRTH_API void firth_classifier_free(FirthClassifier* classifier);

/* Returns an object with labels (an array, whose indexes identify labels in
   other calls), options (as used by training) and several_labels (whether a
   text may have any number of labels). */
FIRTH_API FirthStatus* firth_classifier_describe(
    const FirthClassifier* classifier, FirthBuffer** json);

/* Writes the probabilities of all labels for n texts to probabilities [n,
   labels], and how much of each text the classifier contains to known [n]: the
   number of its words and n-grams, plus the tokens read by the contextualizer.
   If this is 0, nothing in the text affects its labels: their probabilities are
   those of the training texts or, with a fastText model, what fastText returns.
   One of the two outputs may be null. Options: "threads". */
FIRTH_API FirthStatus* firth_classifier_probabilities(
    const FirthClassifier* classifier, const char* texts,
    const int64_t* offsets, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    float* probabilities, int64_t* known);

/* Predicts the labels of n texts, most probable first. Those of text i are the
   elements of `labels` (int32_t) from ends[i] up to, but not including, ends[i
   + 1]. Their probabilities are the same elements of `probabilities` (float),
   which may be null. ends: [n + 1]. Options: "top", "threshold" and "threads"
   of "firth classify predict". */
FIRTH_API FirthStatus* firth_classifier_predict(
    const FirthClassifier* classifier, const char* texts,
    const int64_t* offsets, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context, int64_t* ends,
    FirthBuffer** labels, FirthBuffer** probabilities);

/* Returns at most k n-grams of a text with the largest absolute weight for a
   label, as an array of pairs [n-gram, weight in nats]. */
FIRTH_API FirthStatus* firth_classifier_explain(
    const FirthClassifier* classifier, const char* text, int64_t text_size,
    int64_t label, int64_t k, FirthBuffer** json);
/* Returns the k n-grams of the model with the largest weight for a label, as an
   array of pairs [n-gram, weight in nats]. */
FIRTH_API FirthStatus* firth_classifier_strongest(
    const FirthClassifier* classifier, int64_t label, int64_t k,
    FirthBuffer** json);

/* Measures a classifier on labeled texts. Options: as for
   firth_classifier_predict(). The report is that of "firth classify eval
   --json". Errors: INVALID_ARGUMENT, the classifier has no label of the texts,
   even with the prefix that firth_labelled_texts_read() removed. */
FIRTH_API FirthStatus* firth_classifier_evaluate(
    const FirthClassifier* classifier, const FirthLabelledTexts* labelled,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthBuffer** report);

/* Creates a smaller classifier. `train`, which may be null, holds texts to
   refit it to. Options: those of "firth classify quantize". */
FIRTH_API FirthStatus* firth_classifier_quantize(
    const FirthClassifier* classifier, const FirthLabelledTexts* train,
    const char* options, int64_t options_size, FirthProgress progress,
    void* context, FirthClassifier** quantized);

/* Searches for the best training options. `valid` may be null. `start` holds
   options of firth_classifier_train() without those of checkpoints; options
   given there are kept. Options: those of "firth classify tune". The report is
   an object with trials (each with options, folds, share, tokens, score,
   deviation, memory, bytes, seconds, left_out), best (an index into trials),
   tokens, budget_tokens, interrupted. If `progress` requests a stop, the report
   holds what was found so far; before there is anything, the call fails with
   CANCELLED. */
FIRTH_API FirthStatus* firth_classifier_tune(
    const FirthLabelledTexts* labelled, const FirthLabelledTexts* valid,
    const char* start, int64_t start_size, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthBuffer** report);

/* --- Vectors of documents. --- */

/* A model with a vector for each tag of its documents, which can infer vectors
   of new documents. */
typedef struct FirthDocuments FirthDocuments;

/* Reads documents for firth_documents_train(), each once. `next` supplies them
   as sentences; if it is null, they are the lines of the files of the option
   "input". Unlike those of firth_corpus_read(), sentences without known words
   are kept. Options: those of firth_documents_train(). */
FIRTH_API FirthStatus* firth_documents_read(
    FirthNextSentences next, const char* options, int64_t options_size,
    FirthProgress progress, void* context, FirthCorpus** corpus);

/* Trains vectors of documents. The tags of the n documents are the words of a
   list of n sentences; a document may have none. Options: those of "firth
   documents train", with "checkpoint", "checkpoint-every" and "resume".
   `report`, which may be null, is set to an object with documents, tags,
   words_trained, loss (an array, one per epoch), seconds, interrupted. If
   `progress` requests a stop, the vectors trained so far are the result. In an
   "epoch" event, firth_epoch_vectors() copies the vectors of the tags. */
FIRTH_API FirthStatus* firth_documents_train(
    const FirthCorpus* corpus, const char* tags, const int64_t* offsets,
    const int64_t* tag_lists, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context,
    FirthDocuments** documents, FirthBuffer** report);

/* Loads a file of "firth documents train". */
FIRTH_API FirthStatus* firth_documents_load(const char* path, int64_t path_size,
                                            FirthDocuments** documents);
/* Writes a .safetensors file, which firth_vectors_load() also reads, as vectors
   of the tags. */
FIRTH_API FirthStatus* firth_documents_save(const FirthDocuments* documents,
                                            const char* path,
                                            int64_t path_size);
FIRTH_API void firth_documents_free(FirthDocuments* documents);

/* Creates a model with additional metadata, as firth_vectors_annotate() does.
 */
FIRTH_API FirthStatus* firth_documents_annotate(const FirthDocuments* documents,
                                                const char* metadata,
                                                int64_t metadata_size,
                                                FirthDocuments** annotated);

/* Returns a JSON object: documents (the number of tags), words, dim,
   word_vectors (whether they were trained), options (of training), metadata (an
   object of texts). */
FIRTH_API FirthStatus* firth_documents_describe(const FirthDocuments* documents,
                                                FirthBuffer** json);

/* Create the vectors of the tags and of the words. Those of words include the
   prediction weights; the vectors are zero if they were not trained. */
FIRTH_API FirthStatus* firth_documents_vectors(const FirthDocuments* documents,
                                               FirthVectors** vectors);
FIRTH_API FirthStatus* firth_documents_words(const FirthDocuments* documents,
                                             FirthVectors** vectors);

/* Writes the vectors of n new documents, given as sentences, to rows [n, dim].
   The same words give the same vector in every call. known [n], which may be
   null, is set to the number of words of each document that the model has; if
   it is 0, the row is zero. Options: "epochs", "learning-rate",
   "min-learning-rate", "threads". */
FIRTH_API FirthStatus* firth_documents_infer(
    const FirthDocuments* documents, const char* words, const int64_t* offsets,
    const int64_t* sentences, int64_t n, const char* options,
    int64_t options_size, FirthProgress progress, void* context, float* rows,
    int64_t* known);

/* --- Questions. --- */

/* A set of models with names, which questions refer to. A model remains usable
   in the set after its own handle is freed. */
typedef struct FirthModels FirthModels;
FIRTH_API FirthStatus* firth_models_create(FirthModels** models);
FIRTH_API void firth_models_free(FirthModels* models);

/* Add a model under a name. firth_models_add_search() adds the vectors of a
   search, and questions about them use this search. Errors: INVALID_ARGUMENT,
   another model has this name, or the name is empty or not UTF-8. */
FIRTH_API FirthStatus* firth_models_add_vectors(FirthModels* models,
                                                const char* name,
                                                int64_t name_size,
                                                const FirthVectors* vectors);
FIRTH_API FirthStatus* firth_models_add_search(FirthModels* models,
                                               const char* name,
                                               int64_t name_size,
                                               const FirthSearch* search);
FIRTH_API FirthStatus* firth_models_add_language_model(
    FirthModels* models, const char* name, int64_t name_size,
    const FirthLanguageModel* model);
FIRTH_API FirthStatus* firth_models_add_tagger(FirthModels* models,
                                               const char* name,
                                               int64_t name_size,
                                               const FirthTagger* tagger);
FIRTH_API FirthStatus* firth_models_add_classifier(
    FirthModels* models, const char* name, int64_t name_size,
    const FirthClassifier* classifier);
FIRTH_API FirthStatus* firth_models_add_seq2seq(FirthModels* models,
                                                const char* name,
                                                int64_t name_size,
                                                const FirthSeq2Seq* model);

/* Asks a question such as "neighbors". `json` is an object with "requests", a
   list of objects with the fields of the question, and the name of a model for
   each slot. The name may be omitted if `models` has only one model of the
   kind. `answers` is set to an object with "answers", a list with one item per
   request, in the same order. If a request cannot be answered, its item is an
   object with "error". The answers are equal, byte for byte, to those of the
   command line (--json) and of the service. Requests may contain paths of files
   that the question reads, but not of models.
   docs/reference/questions.md lists the questions, and
   firth_describe_questions() describes them. */
FIRTH_API FirthStatus* firth_ask(const FirthModels* models,
                                 const char* question, int64_t question_size,
                                 const char* json, int64_t json_size,
                                 FirthProgress progress, void* context,
                                 FirthBuffer** answers);

/* Describes this build, for bug reports: a JSON object with version,
   commit, compiler, architecture, instruction-sets and libraries. */
FIRTH_API FirthStatus* firth_describe_build(FirthBuffer** json);

/* Describes all questions: a JSON object with "questions", an array of objects
   with name, command, arguments, summary, description, slots, quick (whether an
   answer takes milliseconds), an example, and the JSON schemas of a request and
   of an answer. */
FIRTH_API FirthStatus* firth_describe_questions(FirthBuffer** json);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FIRTH_FIRTH_H_ */
