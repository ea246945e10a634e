// A hidden Markov model is a .safetensors file. The metadata "hmm" are a JSON
// object with the version and the weights of interpolation. The probabilities
// of tags after tags ("bigrams", "trigrams"), of words ("emissions") and of
// tags after word endings ("ending_tags") are sparse rows: NAME has the values,
// NAME.tags their tags, and NAME.offsets the begin of each row.

#include "tag/hmm_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/newer_file.h"
#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/json_section.h"
#include "tag/tag_set.h"

namespace firth {
namespace {

constexpr char kHmmKind[] = "hmm";
constexpr uint64_t kVersion = 1;
// Maximum distance of a sum of probabilities from 1.
constexpr double kTolerance = 1e-3;
// Minimum of probabilities that must not be 0. One event in this many is more
// than any text has, and products of a few stay far above the smallest double.
constexpr double kLeast = 1e-12;

struct NamedRows {
  const char* name;
  SparseRows HmmModel::*rows;
};
constexpr NamedRows kAllRows[] = {{"bigrams", &HmmModel::bigrams},
                                  {"trigrams", &HmmModel::trigrams},
                                  {"emissions", &HmmModel::emissions},
                                  {"ending_tags", &HmmModel::ending_tags}};

bool IsOne(double sum) { return std::abs(sum - 1) <= kTolerance; }

std::string TagsOf(const char* name) { return absl::StrCat(name, ".tags"); }
std::string OffsetsOf(const char* name) {
  return absl::StrCat(name, ".offsets");
}

FloatTable Floats(const std::vector<double>& values) {
  return {std::vector<float>(values.begin(), values.end()), values.size()};
}

Table<uint32_t> Numbers(const std::vector<uint32_t>& values) {
  return Table<uint32_t>(ConstView<uint32_t>(values.data(), 1, values.size()));
}

void Round(std::vector<double>* values) {
  for (double& value : *values) value = double{static_cast<float>(value)};
}

// Removes values that are 0. A word keeps a tag, since the expected counts of
// its tags sum to its occurrences.
SparseRows WithoutZeros(const SparseRows& rows) {
  SparseRows kept;
  for (size_t row = 0; row < rows.rows(); ++row) {
    for (size_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      if (rows.values[i] > 0) kept.Add(rows.tags[i], rows.values[i]);
    }
    kept.FinishRow();
  }
  return kept;
}

absl::Status ReadMetadata(const CheckedReader& reader, HmmModel* model) {
  const std::string place =
      absl::StrCat(reader.path(), ": metadata \"", kHmmKind, "\"");
  const Json json = reader.ContentJson();
  if (!json.is_object()) {
    return absl::DataLossError(absl::StrCat(place, ": expected a JSON object"));
  }
  const JsonSection section{place, "", json};
  FIRTH_ASSIGN_OR_RETURN(const size_t version,
                         section.Size("version", 1, UINT32_MAX));
  if (version > kVersion) {
    return NewerFile(reader.path(), "a hidden Markov model", kVersion, version);
  }
  const Json weights = json.value("weights", Json());
  bool good = weights.is_array() && weights.size() == 3;
  for (size_t i = 0; good && i < 3; ++i) {
    good = weights[i].is_number() && weights[i].get<double>() >= 0;
    if (good) model->weights[i] = weights[i].get<double>();
  }
  const auto [l1, l2, l3] = model->weights;
  if (!good || l1 < kLeast || !IsOne(l1 + l2 + l3)) {
    return section.Bad("weights",
                       "three numbers whose sum is 1, the first above 0");
  }
  const Json q = json.value("ending_weight", Json());
  if (!q.is_number() || !(q.get<double>() >= 0 && q.get<double>() <= 1e6)) {
    return section.Bad("ending_weight", "a number from 0 to 1e6");
  }
  model->ending_weight = q.get<double>();
  return absl::OkStatus();
}

absl::StatusOr<Vocabulary> ReadTexts(const CheckedReader& reader,
                                     const char* name, size_t most) {
  FIRTH_ASSIGN_OR_RETURN(Vocabulary texts, reader.ReadWords(name, ""));
  if (!texts.empty() && texts.size() <= most) return texts;
  return reader.DataLoss(name, absl::StrCat("expected 1 to ", most,
                                            " lines, found ", texts.size()));
}

absl::StatusOr<std::vector<uint32_t>> ReadNumbers(const CheckedReader& reader,
                                                  const std::string& name,
                                                  uint64_t count) {
  const TensorEntry* const tensor = reader.header().Find(name);
  if (!IsOfShape(tensor, "U32", {count})) {
    return reader.BadTensor(name, absl::StrCat("U32 [", count, "]"), tensor);
  }
  return CopyValues<uint32_t>(*reader.file(), *tensor);
}

// Reads probabilities, each from `least` to 1.
absl::StatusOr<std::vector<double>> ReadProbabilities(
    const CheckedReader& reader, const char* name, double least) {
  FIRTH_ASSIGN_OR_RETURN(const FloatTable table, reader.ReadRows(name, 1));
  std::vector<double> values(table.Row(0).begin(), table.Row(0).end());
  for (const double value : values) {
    if (value >= least && value <= 1) continue;
    return reader.DataLoss(name, absl::StrCat("expected probabilities from ",
                                              least, " to 1, found ", value));
  }
  return values;
}

struct RowLimits {
  size_t rows;
  size_t tags;           // number of columns
  size_t fewest_in_row;  // values
  size_t most_in_row;
};

absl::StatusOr<SparseRows> ReadRows(const CheckedReader& reader,
                                    const char* name, const RowLimits& limits) {
  SparseRows rows;
  FIRTH_ASSIGN_OR_RETURN(rows.values, ReadProbabilities(reader, name, 0));
  FIRTH_ASSIGN_OR_RETURN(rows.tags,
                         ReadNumbers(reader, TagsOf(name), rows.values.size()));
  FIRTH_ASSIGN_OR_RETURN(rows.offsets,
                         ReadNumbers(reader, OffsetsOf(name), limits.rows + 1));
  if (rows.offsets.front() != 0 || rows.offsets.back() != rows.tags.size() ||
      !std::is_sorted(rows.offsets.begin(), rows.offsets.end())) {
    return reader.DataLoss(
        OffsetsOf(name), absl::StrCat("expected increasing numbers from 0 to ",
                                      rows.tags.size()));
  }
  for (size_t row = 0; row < limits.rows; ++row) {
    const auto tags = rows.Tags(row);
    if (tags.size() < limits.fewest_in_row ||
        tags.size() > limits.most_in_row) {
      return reader.DataLoss(
          OffsetsOf(name),
          absl::StrCat("row ", row, ": expected ", limits.fewest_in_row, " to ",
                       limits.most_in_row, " values, found ", tags.size()));
    }
    for (size_t i = 0; i < tags.size(); ++i) {
      if (tags[i] < limits.tags && (i == 0 || tags[i] > tags[i - 1])) continue;
      return reader.DataLoss(
          TagsOf(name),
          absl::StrCat("row ", row, ": expected increasing numbers below ",
                       limits.tags, ", found ", tags[i]));
    }
  }
  return rows;
}

absl::Status CheckSum(const CheckedReader& reader, const char* name,
                      absl::string_view of, size_t number, double sum) {
  if (IsOne(sum)) return absl::OkStatus();
  return reader.DataLoss(
      name, absl::StrCat(of, " ", number,
                         ": expected probabilities with the sum 1, found "
                         "the sum ",
                         sum));
}

absl::Status CheckRowSums(const CheckedReader& reader, const char* name,
                          const SparseRows& rows) {
  for (size_t row = 0; row < rows.rows(); ++row) {
    if (rows.Size(row) == 0) continue;
    FIRTH_RETURN_IF_ERROR(CheckSum(reader, name, "row", row, rows.Sum(row)));
  }
  return absl::OkStatus();
}

// Checks that each tag gives the words probabilities above 0 whose sum is 1,
// unless it has no words.
absl::Status CheckEmissions(const CheckedReader& reader,
                            const HmmModel& model) {
  std::vector<double> sums(model.tags.size());
  const SparseRows& rows = model.emissions;
  for (size_t i = 0; i < rows.values.size(); ++i) {
    if (rows.values[i] == 0) {
      return reader.DataLoss("emissions",
                             "expected probabilities above 0, found 0");
    }
    sums[rows.tags[i]] += rows.values[i];
  }
  for (size_t tag = 0; tag < sums.size(); ++tag) {
    if (sums[tag] == 0) continue;
    FIRTH_RETURN_IF_ERROR(CheckSum(reader, "emissions", "tag", tag, sums[tag]));
  }
  return absl::OkStatus();
}

absl::StatusOr<HmmModel> ReadHmm(const CheckedReader& reader) {
  HmmModel model;
  FIRTH_RETURN_IF_ERROR(ReadMetadata(reader, &model));
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary tags,
                         ReadTexts(reader, "tags", kMostTags));
  for (const absl::string_view tag : tags.Words()) model.tags.emplace_back(tag);
  FIRTH_ASSIGN_OR_RETURN(model.words, ReadTexts(reader, "words", UINT32_MAX));
  FIRTH_ASSIGN_OR_RETURN(model.endings,
                         ReadTexts(reader, "endings", UINT32_MAX));
  FIRTH_ASSIGN_OR_RETURN(model.unigrams,
                         ReadProbabilities(reader, "unigrams", kLeast));
  const size_t width = tags.size() + 1;
  if (model.unigrams.size() != width) {
    return reader.DataLoss("unigrams",
                           absl::StrCat("expected ", width, " values, found ",
                                        model.unigrams.size()));
  }
  // Each tag has a row that is not empty, so the memory for all pairs of tags
  // is bounded by the square of the file's size.
  FIRTH_ASSIGN_OR_RETURN(model.bigrams,
                         ReadRows(reader, "bigrams", {width, width, 1, width}));
  FIRTH_ASSIGN_OR_RETURN(
      model.trigrams, ReadRows(reader, "trigrams",
                               {model.bigrams.values.size(), width, 0, width}));
  FIRTH_ASSIGN_OR_RETURN(
      model.emissions,
      ReadRows(reader, "emissions",
               {model.words.size(), tags.size(), 1, kMostTagsOfWord}));
  FIRTH_ASSIGN_OR_RETURN(
      model.ending_tags,
      ReadRows(reader, "ending_tags",
               {model.endings.size(), tags.size(), 1, tags.size()}));
  FIRTH_RETURN_IF_ERROR(CheckSum(
      reader, "unigrams", "row", 0,
      std::accumulate(model.unigrams.begin(), model.unigrams.end(), 0.0)));
  FIRTH_RETURN_IF_ERROR(CheckRowSums(reader, "bigrams", model.bigrams));
  FIRTH_RETURN_IF_ERROR(CheckRowSums(reader, "trigrams", model.trigrams));
  FIRTH_RETURN_IF_ERROR(CheckRowSums(reader, "ending_tags", model.ending_tags));
  FIRTH_RETURN_IF_ERROR(CheckEmissions(reader, model));
  return model;
}

}  // namespace

void RoundForFile(HmmModel* model) {
  Round(&model->unigrams);
  for (const NamedRows& each : kAllRows) Round(&(model->*each.rows).values);
  model->emissions = WithoutZeros(model->emissions);
}

absl::Status SaveHmm(const HmmModel& model, const std::string& path) {
  CheckedWriter writer;
  const std::string tags = absl::StrCat(absl::StrJoin(model.tags, "\n"), "\n");
  writer.Add("tags", "U8", tags);
  writer.AddWords("words", model.words);
  writer.AddWords("endings", model.endings);
  writer.Add("unigrams", Floats(model.unigrams));
  for (const auto& [name, rows] : kAllRows) {
    const SparseRows& of = model.*rows;
    writer.Add(name, Floats(of.values));
    writer.AddTable(TagsOf(name), "U32", Numbers(of.tags), {of.tags.size()});
    writer.AddTable(OffsetsOf(name), "U32", Numbers(of.offsets),
                    {of.offsets.size()});
  }
  const Json content = {{"version", kVersion},
                        {"weights", model.weights},
                        {"ending_weight", model.ending_weight}};
  return std::move(writer).Write({}, kHmmKind, DumpJson(content), path);
}

absl::StatusOr<std::optional<HmmModel>> LoadIfHmm(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kHmmKind));
  if (!reader.has_value()) return std::nullopt;
  return ReadHmm(*reader);
}

absl::StatusOr<std::optional<FileInfo>> DescribeHmm(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kHmmKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const HmmModel model, ReadHmm(*reader));
  FileInfo info;
  info.kind = "tagger";
  info.facts = {{"model", "hidden Markov model"},
                {"tags", absl::StrJoin(model.tags, " ")},
                {"num_tags", uint64_t{model.tags.size()}},
                {"words", uint64_t{model.words.size()}},
                {"endings", uint64_t{model.endings.size()}},
                {"bigrams", uint64_t{model.bigrams.values.size()}},
                {"trigrams", uint64_t{model.trigrams.values.size()}},
                {"parameters", reader->num_floats()}};
  info.options = DumpJson(reader->ContentJson());
  info.metadata = reader->Metadata();
  return info;
}

}  // namespace firth
