// Senses of a word are told apart by its nearest neighbour: an instance of the
// test set has the sense of that known instance whose vector in context is most
// similar to its own. No parameter is learnt, so what is measured is in the
// vectors. Instances are lines of tokens or a file of Senseval.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "firth/fields.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "nn/elementwise.h"
#include "nn/matrix.h"
#include "tag/tag_set.h"
#include "tag/token_features.h"

namespace firth {
namespace {

constexpr size_t kManyLines = 1024;
constexpr size_t kTestShare = 5;  // one instance of so many

absl::Status Unexpected(const std::string& path, size_t line,
                        absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      path, ":", line, ": expected ", expected, ", found ", Quote(found)));
}

// What stands in quotes behind senseid= in the line; empty: nothing.
std::string SenseId(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits("senseid=\"", 1));
  if (parts.size() < 2) return "";
  return std::string(parts[1].substr(0, parts[1].find('"')));
}

// The tokens of a Senseval line are what stands between its tags; <head> is
// around the word.
SenseInstance ParseContext(absl::string_view line) {
  SenseInstance instance;
  for (const absl::string_view part : absl::StrSplit(line, '<')) {
    const size_t end = part.find('>');
    if (end == part.npos) continue;
    if (part.substr(0, end) == "head") {
      instance.position = instance.tokens.size();
    }
    for (const absl::string_view token :
         absl::StrSplit(part.substr(end + 1), ' ', absl::SkipEmpty())) {
      instance.tokens.push_back(absl::StrReplaceAll(token, {{"&lt;", "<"},
                                                            {"&gt;", ">"},
                                                            {"&quot;", "\""},
                                                            {"&apos;", "'"},
                                                            {"&amp;", "&"}}));
    }
  }
  return instance;
}

class SenseReader {
 public:
  explicit SenseReader(std::string path) : path_(std::move(path)) {}

  absl::Status Add(const std::vector<std::string>& words) {
    ++line_;
    if (words.empty()) return absl::OkStatus();
    if (line_ == 1) senseval_ = absl::StartsWith(words[0], "<");
    return senseval_ ? AddSenseval(absl::StrJoin(words, " ")) : AddPlain(words);
  }
  std::vector<SenseInstance> instances() && { return std::move(instances_); }

 private:
  absl::Status AddPlain(const std::vector<std::string>& words) {
    uint64_t position = 0;
    if (words.size() < 3 || !absl::SimpleAtoi(words[1], &position) ||
        position == 0 || position > words.size() - 2) {
      return Unexpected(
          path_, line_,
          "a sense, the position of the word from 1, and the tokens",
          absl::StrJoin(words, " "));
    }
    instances_.push_back(
        {words[0], position - 1, {words.begin() + 2, words.end()}});
    return absl::OkStatus();
  }

  absl::Status AddSenseval(const std::string& line) {
    if (absl::StrContains(line, "<answer")) sense_ = SenseId(line);
    if (!absl::StrContains(line, "<head>")) return absl::OkStatus();
    SenseInstance instance = ParseContext(line);
    if (sense_.empty() || instance.position >= instance.tokens.size()) {
      return Unexpected(path_, line_,
                        "a word in <head>, behind an <answer senseid>", line);
    }
    instance.sense = std::exchange(sense_, "");
    instances_.push_back(std::move(instance));
    return absl::OkStatus();
  }

  std::string path_;
  size_t line_ = 0;
  bool senseval_ = false;
  std::string sense_;  // of the next context
  std::vector<SenseInstance> instances_;
};

// Instances as rows; the first `train` of them are known.
class NearestSense {
 public:
  NearestSense(std::vector<const SenseInstance*> instances, size_t train)
      : instances_(std::move(instances)), train_(train) {}

  size_t size() const { return instances_.size(); }
  const SenseInstance& operator[](size_t i) const { return *instances_[i]; }

  double MostFrequentAccuracy() const {
    std::map<std::string, size_t> counts;
    for (size_t i = 0; i < train_; ++i) ++counts[instances_[i]->sense];
    const auto best = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    return Share([&](size_t) { return best->first; });
  }

  double Accuracy(Matrix<float> rows) const {
    CenterAndNormalize(&rows);
    Matrix<float> cosines(size() - train_, train_);
    nn::Product<float>(rows.view().Rows(train_, size() - train_),
                       Transpose::kNo, rows.view().Rows(0, train_),
                       Transpose::kYes, nn::Into::kOverwrite, cosines.view());
    return Share([&](size_t i) {
      const float* const row = cosines.Row(i - train_);
      return instances_[std::max_element(row, row + train_) - row]->sense;
    });
  }

 private:
  // Of the test instances, the share for which `predict` is right.
  template <class Predict>
  double Share(const Predict& predict) const {
    size_t right = 0;
    for (size_t i = train_; i < size(); ++i) {
      right += predict(i) == instances_[i]->sense ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(size() - train_);
  }

  // By the mean of those that are known.
  void CenterAndNormalize(Matrix<float>* rows) const {
    std::vector<double> mean(rows->cols());
    for (size_t i = 0; i < train_; ++i) {
      for (size_t c = 0; c < mean.size(); ++c) {
        mean[c] += rows->Row(i)[c] / static_cast<double>(train_);
      }
    }
    for (size_t i = 0; i < rows->rows(); ++i) {
      float* const row = rows->Row(i);
      for (size_t c = 0; c < mean.size(); ++c) {
        row[c] -= static_cast<float>(mean[c]);
      }
      const float norm = std::sqrt(nn::DotProduct(mean.size(), row, row));
      if (norm == 0) continue;
      for (size_t c = 0; c < mean.size(); ++c) row[c] /= norm;
    }
  }

  std::vector<const SenseInstance*> instances_;
  size_t train_;
};

// The mean of the vectors of the words around each instance.
Matrix<float> StaticContexts(const NearestSense& instances,
                             const WordVectors& vectors, size_t reach) {
  Matrix<float> rows(instances.size(), vectors.dim());
  std::vector<float> vector(vectors.dim());
  for (size_t i = 0; i < instances.size(); ++i) {
    const SenseInstance& instance = instances[i];
    const size_t at = instance.position;
    const size_t end = at + std::min(reach + 1, instance.tokens.size() - at);
    for (size_t t = at - std::min(reach, at); t < end; ++t) {
      if (t == at) continue;
      CopyTokenVector(vectors, instance.tokens[t], absl::MakeSpan(vector));
      nn::AddScaled(vector.size(), 1.0f, vector.data(), rows.Row(i));
    }
  }
  return rows;  // sums: their cosines are those of the means
}

// Of each layer, and last of their mean, the vectors of the instances.
absl::StatusOr<std::vector<Matrix<float>>> LayerVectors(
    const NearestSense& instances, TokenFeatureSource& source,
    const Hooks& hooks) {
  constexpr size_t kBatch = 32;
  const size_t layers = source.num_layers(), dim = source.contextual_dim();
  std::vector<Matrix<float>> rows;
  for (size_t j = 0; j <= layers; ++j) rows.emplace_back(instances.size(), dim);
  for (size_t first = 0; first < instances.size(); first += kBatch) {
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    std::vector<const std::vector<std::string>*> sentences;
    for (size_t i = first; i < std::min(first + kBatch, instances.size());
         ++i) {
      sentences.push_back(&instances[i].tokens);
    }
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> vectors,
                           source.Embed(sentences));
    for (size_t k = 0; k < vectors.size(); ++k) {
      for (size_t j = 0; j < layers; ++j) {
        const float* const vector =
            vectors[k].Vector(j, instances[first + k].position).data();
        std::copy_n(vector, dim, rows[j].Row(first + k));
        nn::AddScaled(dim, 1 / static_cast<float>(layers), vector,
                      rows[layers].Row(first + k));
      }
    }
  }
  return rows;
}

}  // namespace

FieldTable FieldsFor(const SenseProbeOptions*) {
  FieldsOf<SenseProbeOptions> fields;
  fields
      .Add("most", &SenseProbeOptions::most,
           "occurrences of a word, drawn from FILE")
      .Range(kTestShare, Field::kUnlimited);
  fields
      .Add("reach", &SenseProbeOptions::reach,
           "words on each side that static vectors are the mean of")
      .Range(1, 1000000);
  fields.Add("seed", &SenseProbeOptions::seed, "what is drawn");
  fields
      .Add("threads", &SenseProbeOptions::threads,
           "2 use one for each direction; 0: as cores are there")
      .Range(0, 65536)
      .Work();
  return fields;
}

absl::StatusOr<std::vector<SenseInstance>> ReadSenses(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(
      TaggedTextReader lines,
      TaggedTextReader::Open(
          {.inputs = {path}, .form = TextForm::kText, .with_tags = false}));
  SenseReader reader(path);
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<TaggedSentence> some,
                           lines.Next(kManyLines));
    if (some.empty()) return std::move(reader).instances();
    for (const TaggedSentence& line : some) {
      FIRTH_RETURN_IF_ERROR(reader.Add(line.tokens));
    }
  }
}

absl::StatusOr<SenseProbeReport> ProbeSenses(
    absl::Span<const SenseInstance> instances, const TaggerInputs& inputs,
    const SenseProbeOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  if (instances.size() < kTestShare) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at least ", kTestShare,
                     " instances of a word, found ", instances.size()));
  }
  FIRTH_ASSIGN_OR_RETURN(TokenFeatureSource source,
                         TokenFeatureSource::Load(inputs, options.threads));
  std::vector<const SenseInstance*> drawn;
  for (const size_t i : DrawnOrder(instances.size(), options.seed)) {
    if (drawn.size() < options.most) {
      drawn.push_back(&instances[i]);
    }
  }
  SenseProbeReport report;
  report.test = drawn.size() / kTestShare;
  report.train = drawn.size() - report.test;
  std::map<std::string, size_t> senses;
  for (const SenseInstance* instance : drawn) ++senses[instance->sense];
  report.senses = senses.size();
  const NearestSense nearest(std::move(drawn), report.train);
  report.scores.push_back(
      {"most frequent sense", nearest.MostFrequentAccuracy(), {}});
  if (source.vectors() != nullptr) {
    report.scores.push_back({"static context",
                             nearest.Accuracy(StaticContexts(
                                 nearest, *source.vectors(), options.reach)),
                             {}});
  }
  if (source.num_layers() == 0) return report;
  FIRTH_ASSIGN_OR_RETURN(std::vector<Matrix<float>> layers,
                         LayerVectors(nearest, source, hooks));
  for (size_t j = 0; j < layers.size(); ++j) {
    report.scores.push_back(
        {j < source.num_layers() ? absl::StrCat("layer ", j) : "mean of layers",
         nearest.Accuracy(std::move(layers[j])),
         {}});
  }
  return report;
}

}  // namespace firth
