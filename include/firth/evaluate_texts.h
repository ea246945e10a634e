// Evaluates vectors of texts: how well their cosines rank pairs of sentences as
// people do, and how well they find the documents that answer a query.

#ifndef FIRTH_EVALUATE_TEXTS_H_
#define FIRTH_EVALUATE_TEXTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/answer.h"
#include "firth/evaluate.h"
#include "firth/progress.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct EvaluateTextsOptions {
  double sif = 0;           // See SentenceOptions.
  bool unit_words = false;  // See SentenceOptions.
  // Convert texts to lower case. This is always done if words are averaged
  // without a TextEncoder and IsLowercase(vocabulary).
  bool lowercase = false;
  // Number of leading dimensions to use, for models trained with nested
  // dimensions; 0 means all.
  size_t dim = 0;

  // Omits `lowercase` and `subwords`.
  static FieldTable Fields();
};

// Reads pairs of texts with human scores, and correlates the scores with the
// cosines of the vectors of the texts. Columns are separated by tabs: score,
// text, text, or text, text, score. The first line determines the order; if
// neither its first nor its third column is a number, it is a header. Further
// columns are ignored. A pair is skipped if no word of a text has a vector.
// Errors: with file and line; InvalidArgument, options; Cancelled.
absl::StatusOr<SimilarityResult> EvaluateTextSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateTextsOptions& options, const Hooks& hooks = {});

// Quality of a ranking of documents, averaged over queries. A document with a
// higher grade counts more; one with grade 0 is not relevant.
struct RankingQuality {
  // Normalized discounted cumulative gain of the first 10 documents: the sum of
  // grade / log2(rank + 1), divided by that of the best ranking (Jarvelin and
  // Kekalainen 2002).
  double ndcg = 0;
  std::array<double, 2> interval = {};  // 95% interval of ndcg, normal.
  // Mean of 1 / rank of the first relevant document.
  double mrr = 0;
  // Fraction of the relevant documents that are among the first 100.
  double recall = 0;
  std::vector<double> ndcgs;  // ndcg of each query, [asked].

  static AnswerTable Members() {
    using R = RankingQuality;
    return {{"ndcg", &R::ndcg, "nDCG of the first 10 documents"},
            {"interval", &R::interval, "95% confidence interval of nDCG"},
            {"mrr", &R::mrr, "mean of 1 / rank of the first relevant document"},
            {"recall", &R::recall,
             "fraction of the relevant documents among the first 100"},
            {"ndcgs", &R::ndcgs, "nDCG of each query"}};
  }
};

struct RetrievalResult {
  std::string folder;
  uint64_t documents = 0;
  uint64_t asked = 0;  // Queries that have a relevant document.
  uint64_t total = 0;  // All queries.
  RankingQuality vectors;
  RankingQuality bm25;
  // Sum of the z-scores of the cosines and of the BM25 scores of a query.
  RankingQuality hybrid;
  bool folded = false;  // Whether any word was looked up in lower case.

  static AnswerTable Members() {
    using R = RetrievalResult;
    return {
        {"folder", &R::folder},
        {"documents", &R::documents, "number of documents"},
        {"asked", &R::asked, "number of queries with a relevant document"},
        {"total", &R::total, "number of queries"},
        {"vectors", &R::vectors, "ranking by the cosines of the vectors"},
        {"bm25", &R::bm25, "ranking by BM25, without the vectors"},
        {"hybrid", &R::hybrid,
         "ranking by the sum of the z-scores of cosines and BM25"},
        {"folded", &R::folded, "whether words were converted to lower case"}};
  }
};

// Ranks the documents of a collection for each of its queries. The folder has
// documents.tsv and queries.tsv, whose lines are an id and a text, separated by
// a tab (further columns belong to the text), and relevant.tsv, whose lines are
// the ids of a query and of a document, and optionally a grade (1 by default).
// Documents with equal scores are ranked in the order of the file. A document
// is not ranked by vectors if no word of it or of the query has one, and not by
// BM25 if it has no word of the query. Errors: with file and line;
// InvalidArgument, options; Cancelled.
absl::StatusOr<RetrievalResult> EvaluateRetrieval(
    const WordVectors& vectors, const std::string& folder,
    const EvaluateTextsOptions& options, const Hooks& hooks = {});

// Quality of the rankings of two models.
struct PairedRanking {
  std::array<double, 2> ndcg = {}, mrr = {}, recall = {};
  double p = 1;

  static AnswerTable Members() {
    using P = PairedRanking;
    return {{"ndcg", &P::ndcg, "nDCG of each model"},
            {"mrr", &P::mrr},
            {"recall", &P::recall},
            {"p", &P::p,
             "two-sided p-value of the difference of nDCG, from 10,000 random "
             "exchanges of the models' values of queries"}};
  }
};

struct PairedRetrieval {
  std::string folder;
  uint64_t asked = 0;
  PairedRanking vectors, hybrid;

  static AnswerTable Members() {
    using P = PairedRetrieval;
    return {{"folder", &P::folder},
            {"asked", &P::asked, "number of queries with a relevant document"},
            {"vectors", &P::vectors, "rankings by cosines"},
            {"hybrid", &P::hybrid, "rankings by cosines and BM25"}};
  }
};

// Compares two results. Errors: InvalidArgument, the results are from different
// collections.
absl::StatusOr<PairedRetrieval> Compare(const RetrievalResult& first,
                                        const RetrievalResult& second);

}  // namespace firth

#endif  // FIRTH_EVALUATE_TEXTS_H_
