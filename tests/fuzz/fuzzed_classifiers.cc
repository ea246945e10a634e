#include "fuzz/fuzzed_classifiers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"
#include "classify/model/classifier_file.h"
#include "classify/model/quantize_model.h"
#include "firth/classifier.h"
#include "firth/labelled_text.h"
#include "firth/status_macros.h"
#include "fuzz/fuzz_folder.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

FloatTable RandomTable(size_t rows, size_t cols, uint64_t seed) {
  return FloatTable(RandomFloats(rows * cols, seed), cols);
}

ClassifierModel ModelOf(FeatureParts parts, LabelLink link) {
  ClassifierModel model;
  model.options.word_ngrams = parts.options.word_ngrams;
  model.options.min_n = parts.options.min_n;
  model.options.max_n = parts.options.max_n;
  model.features = *FeatureIndex::Of(std::move(parts));
  model.labels = {"x", "y"};
  model.label_counts = {2, 1};
  model.link = link;
  const bool is_tree = link == LabelLink::kTree;
  if (!is_tree) model.bias = {0.5f, -1};
  model.input = RandomTable(model.features.rows(), 2, 1);
  model.output = RandomTable(is_tree ? 1 : 2, 2, 2);
  return model;
}

// With a wide and a deep part, and n-grams of their own.
ClassifierModel WideModel() {
  FeatureParts parts;
  parts.options.word_ngrams = 2;
  parts.options.min_n = 2;
  parts.options.max_n = 3;
  parts.words = {"the", "cat"};
  parts.word_ngrams = {{0, 1}};
  parts.character_ngrams = {"<t", "at>"};
  ClassifierModel model = ModelOf(std::move(parts), LabelLink::kSigmoid);
  model.several_labels = true;
  model.thresholds = {0.5f, 0.25f};
  model.wide = RandomTable(5, 2, 3);
  model.idf = {1, 2, 1, 3, 2};
  return model;
}

ClassifierModel HashingModel(LabelLink link) {
  FeatureParts parts;
  parts.options.word_ngrams = 2;
  parts.options.min_n = 1;
  parts.options.max_n = 2;
  parts.options.hashing = true;
  parts.options.buckets = 3;
  parts.words = {"</s>", "the"};
  return ModelOf(std::move(parts), link);
}

constexpr absl::string_view kText =
    "the cat na\xc3\xafve a\xff __label__x </s> the";

absl::Status Predict(const Classifier& classifier) {
  FIRTH_ASSIGN_OR_RETURN(
      const auto predicted,
      classifier.Predict({kText, ""},
                         {.top = 0, .threshold = std::nullopt, .threads = 1}));
  FIRTH_ASSIGN_OR_RETURN(
      const auto best,
      classifier.Predict({kText, ""},
                         {.top = 1, .threshold = std::nullopt, .threads = 1}));
  FIRTH_CHECK(predicted.size() == 2 && best.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const auto& labels = predicted[i];
    FIRTH_CHECK(best[i].size() == std::min<size_t>(1, labels.size()));
    FIRTH_CHECK(labels.empty() || best[i][0].label == labels[0].label);
    for (const LabelProbability& label : labels) {
      FIRTH_CHECK(label.probability >= 0 && label.probability <= 1.0001f);
    }
  }
  return absl::OkStatus();
}

absl::Status Explain(const Classifier& classifier, size_t label) {
  for (const auto& weights :
       {classifier.Explain(kText, label, 5), classifier.Strongest(label, 5)}) {
    FIRTH_CHECK(weights.size() <= 5);
    for (const NgramWeight& weight : weights) {
      FIRTH_CHECK(std::isfinite(weight.weight));
    }
  }
  return absl::OkStatus();
}

constexpr LabelledForm kForms[] = {LabelledForm::kPrefix, LabelledForm::kTsv,
                                   LabelledForm::kCsv,
                                   LabelledForm::kJsonLines};

}  // namespace

absl::Status ReadClassifier(absl::string_view bytes) {
  const std::string path = FuzzFolder().Write("c.safetensors", bytes);
  FIRTH_ASSIGN_OR_RETURN(const Classifier classifier, Classifier::Load(path));
  FIRTH_CHECK(!classifier.labels().empty());
  FIRTH_RETURN_IF_ERROR(Predict(classifier));
  FIRTH_RETURN_IF_ERROR(Explain(classifier, 0));
  FIRTH_RETURN_IF_ERROR(Explain(classifier, classifier.labels().size() - 1));
  // What was read can be written, and is read again.
  const std::string again = FuzzFolder().File("again.safetensors");
  FIRTH_RETURN_IF_ERROR(classifier.Save(again));
  return Classifier::Load(again).status();
}

absl::Status ReadLabelled(absl::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("no byte for the form");
  const auto first = static_cast<unsigned char>(bytes[0]);
  LabelledTextOptions options;
  options.inputs = {FuzzFolder().Write("labelled", bytes.substr(1))};
  options.form = kForms[first % std::size(kForms)];
  options.with_labels = (first & 16) == 0;
  if ((first & 32) != 0) options.label_separator = ",";
  if ((first & 64) != 0) options.utf8 = Utf8Policy::kReplace;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<LabelledText> texts,
                         ReadLabelledText(options));
  FIRTH_CHECK(!texts.empty());
  for (const LabelledText& text : texts) {
    FIRTH_CHECK(!options.with_labels || !text.labels.empty());
    for (const std::string& label : text.labels) {
      FIRTH_CHECK(!label.empty() && label.size() <= 1024);
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> LabelledSeeds() {
  return {"`__label__a x __label__b y\n\n", "aa,b\tx y\n",
          "blabel,text\r\na,\"x, \"\"y\"\"\nz\"\r\n",
          "c{\"text\":\"x\",\"label\":[\"a\",5]}\n"};
}

std::vector<std::string> ClassifierSeeds() {
  std::vector<std::string> seeds;
  const std::string path = FuzzFolder().File("seed");
  const ClassifierModel wide = WideModel();
  const auto small = QuantizeModel(wide, {}, {}, {});
  FIRTH_CHECK(small.ok());
  for (const ClassifierModel& model :
       {wide, *small, HashingModel(LabelLink::kTree)}) {
    FIRTH_CHECK(SaveClassifierModel(model, path).ok());
    seeds.push_back(ReadWholeFile(path));
  }
  for (const LabelLink link : {LabelLink::kSoftmax, LabelLink::kTree}) {
    FIRTH_CHECK(SaveFasttextClassifier(HashingModel(link), path).ok());
    seeds.push_back(ReadWholeFile(path));
  }
  return seeds;
}

}  // namespace firth
