// Input files may come from other programs. A member may be missing or have
// another type, so each one is checked before use.

#include "plot/plot_inputs.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/json.h"
#include "cli/used_files.h"
#include "firth/evaluate.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Larger numbers cannot be measurements, and their differences may be infinite.
constexpr double kMostNumber = 1e100;

double NumberOf(const Json& value) {
  if (!value.is_number()) return kNaN;
  const double number = value.get<double>();
  return std::abs(number) < kMostNumber ? number : kNaN;
}

double NumberAt(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? kNaN : NumberOf(*found);
}

std::string TextAt(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

// Returns the name of the test file without its folders.
std::string FileAt(const Json& result) {
  return std::filesystem::path(TextAt(result, "file")).filename().string();
}

// Returns the items of an array that are objects.
std::vector<Json> ObjectsAt(const Json& object, const char* name) {
  std::vector<Json> objects;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return objects;
  for (const Json& item : *found) {
    if (item.is_object()) objects.push_back(item);
  }
  return objects;
}

bool IsEvaluation(const Json& object) {
  return object.contains("analogies") || object.contains("similarity");
}

// Returns the first result of an answer of "seq2seq" with attention, or null.
const Json* AttendedResult(const Json& object) {
  const auto texts = object.find("texts");
  if (texts == object.end() || !texts->is_array()) return nullptr;
  for (const Json& text : *texts) {
    if (text.is_object() && !text.value("attention", Json()).empty()) {
      return &text;
    }
  }
  return nullptr;
}

bool IsAttention(const Json& object) {
  return object.contains("texts") && object.contains("source");
}

bool IsGradients(const Json& object) { return object.contains("gradients"); }

// Returns nothing unless the object has a name and norms of at most kMostNumber
// that are not negative.
std::optional<GradientCurve> CurveOf(const Json& object) {
  const double first = NumberAt(object, "first_distance");
  const auto norms = object.find("norms");
  if (!(first >= 0 && first < kMostNumber) || norms == object.end() ||
      !norms->is_array()) {
    return std::nullopt;
  }
  GradientCurve curve = {
      .name = TextAt(object, "of"),
      .first_distance = static_cast<size_t>(std::min(first, 1e9))};
  for (const Json& norm : *norms) {
    curve.norms.push_back(NumberOf(norm));
    if (!(curve.norms.back() >= 0)) return std::nullopt;
  }
  if (curve.name.empty() || curve.norms.empty()) return std::nullopt;
  return curve;
}

// Returns the texts of an array; "" for other items.
std::vector<std::string> TextsAt(const Json& object, const char* name) {
  std::vector<std::string> texts;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return texts;
  for (const Json& item : *found) {
    texts.push_back(item.is_string() ? item.get<std::string>() : "");
  }
  return texts;
}

// Returns an error for a line that does not belong to a log. A bad first line
// means that the file has other content, which may be anything.
absl::Status BadLine(const std::string& path, size_t line, bool is_object) {
  if (line == 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected vectors, a map, a log of \"firth train --log\", a report "
        "of "
        "\"train --report\" or \"lm train --report\", or the JSON of \"eval\", "
        "\"seq2seq apply --attention\" or \"lm gradients\", found ",
        is_object ? "other JSON" : "something else"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ":", line,
                   ": expected a line that \"firth train --log\" wrote (a JSON "
                   "object with \"words\"), found ",
                   is_object ? "none" : "something else"));
}

// Returns the mean of a validation's losses. A direction in which the model
// does not read has the loss 0.
double LossOfValidation(const Json& point) {
  const double forward = NumberAt(point, "forward_loss");
  const double backward = NumberAt(point, "backward_loss");
  return (forward + backward) / ((forward != 0) + (backward != 0));
}

// Reads a report of "lm train". It has one loss per epoch, of which the last
// may be incomplete, and the losses on the held-out text.
LoggedTraining TrainingOfLanguageModel(const Json& report,
                                       const std::string& path) {
  LoggedTraining training = {.name = path, .done = true};
  training.total = NumberAt(report, "tokens");
  const Json& losses = report.at("loss");
  double epoch = NumberAt(report, "epoch_tokens");
  if (!(epoch > 0)) epoch = training.total / static_cast<double>(losses.size());
  for (const Json& loss : losses) {
    const auto number = static_cast<double>(training.moments.size() + 1);
    training.moments.push_back(
        {std::min(epoch * number, training.total), NumberOf(loss), kNaN, kNaN});
  }
  for (const Json& point : ObjectsAt(report, "validations")) {
    const double tokens = NumberAt(point, "tokens");
    if (!std::isfinite(tokens)) continue;
    training.moments.push_back(
        {tokens, kNaN, kNaN, kNaN, LossOfValidation(point)});
  }
  return training;
}

// Returns whether this is a report of "lm train".
bool IsOfLanguageModel(const Json& report) {
  const auto losses = report.find("loss");
  return losses != report.end() && losses->is_array() && !losses->empty() &&
         NumberAt(report, "tokens") > 0;
}

// Reads a report. It has one loss per epoch, and all epochs are equally long.
LoggedTraining TrainingOfReport(const Json& report, const std::string& path) {
  LoggedTraining training = {.name = path, .done = true};
  const std::vector<Json> epochs = ObjectsAt(report, "epochs");
  training.total = NumberAt(report, "words_trained");
  const double words = training.total / static_cast<double>(epochs.size());
  for (const Json& epoch : epochs) {
    const auto number = static_cast<double>(training.moments.size() + 1);
    training.moments.push_back({words * number, NumberAt(epoch, "loss"), kNaN,
                                words / NumberAt(epoch, "seconds")});
  }
  return training;
}

absl::StatusOr<LoggedTraining> TrainingOfLog(absl::string_view text,
                                             const std::string& path) {
  LoggedTraining training = {.name = path};
  // The last line may be incomplete while training writes it.
  text = text.substr(0, text.rfind('\n') + 1);
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const Json object = ParseJson(line);
    if (!object.is_object()) return BadLine(path, number, false);
    training.done = object.contains("done");
    if (training.done) continue;
    const double words = NumberAt(object, "words");
    if (!std::isfinite(words)) return BadLine(path, number, true);
    training.moments.push_back({words, NumberAt(object, "loss"),
                                NumberAt(object, "learning_rate"),
                                NumberAt(object, "words_per_second")});
    const double total = NumberAt(object, "total");
    if (std::isfinite(total)) training.total = total;
  }
  if (!training.moments.empty()) return training;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the file contains no lines that \"firth train --log\" wrote"));
}

Measured ShareOf(const Json& section) {
  const double asked = NumberAt(section, "asked");
  const double correct = NumberAt(section, "correct");
  const bool makes_sense =
      asked >= 1 && correct >= 0 && correct <= asked && asked < 1e15;
  if (!makes_sense) return {kNaN, kNaN, kNaN};
  const Interval interval = WilsonInterval(static_cast<uint64_t>(correct),
                                           static_cast<uint64_t>(asked));
  return {correct / asked, interval.low, interval.high};
}

MeasuredGroup AnalogiesOf(const Json& result) {
  MeasuredGroup group = {.name = FileAt(result), .percent = true};
  const std::vector<Json> sections = ObjectsAt(result, "sections");
  for (const Json& section : sections) {
    const std::string name = TextAt(section, "name");
    group.tests.push_back(
        {name.empty() ? "(no section)" : name, {ShareOf(section)}});
  }
  if (sections.size() != 1) {
    group.tests.push_back({"total", {ShareOf(result.value("all", result))}});
  }
  return group;
}

Measured CorrelationOf(const Json& result) {
  const auto interval = result.find("interval");
  const bool is_pair = interval != result.end() && interval->is_array() &&
                       interval->size() == 2 && (*interval)[0].is_number() &&
                       (*interval)[1].is_number();
  const double value = NumberAt(result, "spearman");
  if (!is_pair || !std::isfinite(value)) return {kNaN, kNaN, kNaN};
  return {value, (*interval)[0].get<double>(), (*interval)[1].get<double>()};
}

std::vector<MeasuredGroup> GroupsOf(const Json& model) {
  std::vector<MeasuredGroup> groups;
  for (const Json& result : ObjectsAt(model, "analogies")) {
    groups.push_back(AnalogiesOf(result));
  }
  MeasuredGroup similarity = {.name = "Similarity (Spearman)"};
  for (const Json& result : ObjectsAt(model, "similarity")) {
    similarity.tests.push_back({FileAt(result), {CorrelationOf(result)}});
  }
  if (!similarity.tests.empty()) groups.push_back(std::move(similarity));
  return groups;
}

std::string NamesOf(const std::vector<MeasuredGroup>& groups) {
  std::string names;
  for (const MeasuredGroup& group : groups) {
    absl::StrAppend(&names, group.name, "\n");
    for (const MeasuredTest& test : group.tests) {
      absl::StrAppend(&names, " ", test.name, "\n");
    }
  }
  return names;
}

// Adds the results of a model to those of the previous models.
absl::Status AddModel(const Json& model, const std::string& name,
                      Evaluations* all) {
  std::vector<MeasuredGroup> groups = GroupsOf(model);
  if (groups.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": no results, as \"firth eval --json\" prints them"));
  }
  all->models.push_back(name);
  if (all->models.size() == 1) {
    all->groups = std::move(groups);
    return absl::OkStatus();
  }
  if (NamesOf(groups) != NamesOf(all->groups)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": the results are of other tests than those of ",
                     all->models[0]));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t k = 0; k < groups[i].tests.size(); ++k) {
      all->groups[i].tests[k].models.push_back(groups[i].tests[k].models[0]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlotInput> TellPlotInput(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  if (!(file >> first) || first != '{') return PlotInput::kVectors;
  // A vector file may begin with a word "{", but JSON contains no zero bytes.
  FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
  if (absl::StrContains(text, '\0')) return PlotInput::kVectors;
  Json object = ParseJson(text);
  if (!object.is_object()) object = ParseJson(text.substr(0, text.find('\n')));
  if (!object.is_object() && absl::StartsWith(text, "{\"")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected JSON as Firth prints it, found JSON that is damaged "
        "or cut off"));
  }
  if (!object.is_object()) return PlotInput::kVectors;
  return IsEvaluation(object)  ? PlotInput::kEvaluation
         : IsAttention(object) ? PlotInput::kAttention
         : IsGradients(object) ? PlotInput::kGradients
                               : PlotInput::kTraining;
}

absl::StatusOr<AttentionTable> ReadAttention(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
  const Json object = ParseJson(text.substr(0, text.find('\n')));
  const Json* const result = AttendedResult(object);
  if (result == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": expected attention in the first line, as \"firth "
                     "seq2seq apply --json "
                     "--attention\" prints it"));
  }
  constexpr absl::string_view kEnd = "</S>";
  AttentionTable table;
  table.source = TextsAt(object, "source");
  table.source.emplace_back(kEnd);
  table.target = TextsAt(*result, "tokens");
  const Json& rows = result->at("attention");
  if (rows.size() == table.target.size() + 1) table.target.emplace_back(kEnd);
  for (const Json& row : rows) {
    for (const Json& weight : row) {
      table.weights.push_back(weight.is_number() ? weight.get<float>() : -1);
    }
  }
  const bool fits =
      rows.size() == table.target.size() &&
      std::all_of(
          rows.begin(), rows.end(),
          [&](const Json& row) { return row.size() == table.source.size(); }) &&
      std::all_of(table.weights.begin(), table.weights.end(),
                  [](float weight) { return weight >= 0 && weight <= 1.001f; });
  if (fits) return table;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected weights from 0 to 1 in the first line for each of ",
      table.target.size(), " tokens and each of ", table.source.size(),
      " tokens of the source"));
}

absl::StatusOr<std::vector<GradientCurve>> ReadGradients(
    const std::vector<std::string>& paths) {
  std::vector<GradientCurve> curves;
  for (const std::string& path : paths) {
    FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
    const std::vector<Json> gradients = ObjectsAt(ParseJson(text), "gradients");
    const size_t before = curves.size();
    for (const Json& object : gradients) {
      std::optional<GradientCurve> curve = CurveOf(object);
      if (!curve.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(
            path,
            ": expected \"of\", \"first_distance\" and norms of 0 or more in "
            "each of \"gradients\", as \"firth lm gradients --json\" prints "
            "them"));
      }
      if (paths.size() > 1 && curve->name != "input") continue;
      if (paths.size() > 1) curve->name = path;
      curves.push_back(*std::move(curve));
    }
    if (curves.size() > before) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": no gradients of the input, as \"firth lm gradients "
                     "--json\" prints them"));
  }
  return curves;
}

absl::StatusOr<LoggedTraining> ReadTraining(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
  const Json whole = ParseJson(text);
  if (whole.is_object() && !ObjectsAt(whole, "epochs").empty() &&
      NumberAt(whole, "words_trained") > 0) {
    return TrainingOfReport(whole, path);
  }
  if (whole.is_object() && IsOfLanguageModel(whole)) {
    return TrainingOfLanguageModel(whole, path);
  }
  return TrainingOfLog(text, path);
}

absl::StatusOr<Evaluations> ReadEvaluations(
    const std::vector<std::string>& paths) {
  Evaluations all;
  for (const std::string& path : paths) {
    FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
    const Json object = ParseJson(text);
    if (!object.is_object()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": not a JSON object, as \"firth eval --json\" prints it"));
    }
    const auto other = object.find("other");
    if (other == object.end() || !other->is_object()) {
      FIRTH_RETURN_IF_ERROR(AddModel(object, path, &all));
      continue;
    }
    FIRTH_RETURN_IF_ERROR(AddModel(object, path + ", A", &all));
    FIRTH_RETURN_IF_ERROR(AddModel(*other, path + ", B", &all));
  }
  if (!all.models.empty()) return all;
  return absl::InvalidArgumentError(
      absl::StrCat(paths[0], ": the file contains no models with results"));
}

bool IsMap(const VectorFile& file) { return file.vectors.dim() == 2; }

PlottedMap ToPlot(const WordMap& map) {
  PlottedMap plotted;
  const Vocabulary& vocabulary = map.points.vocabulary();
  for (size_t i = 0; i < map.points.size(); ++i) {
    const std::vector<float> at = map.points.CopyVector(ToWordId(i));
    plotted.words.emplace_back(vocabulary.Word(ToWordId(i)));
    plotted.points.push_back({at[0], at[1]});
  }
  for (const MapCluster& cluster : map.clusters) {
    const size_t named = std::min<size_t>(cluster.words.size(), 2);
    plotted.clusters.push_back(
        {{cluster.x, cluster.y},
         cluster.level,
         absl::StrJoin(absl::MakeConstSpan(cluster.words).first(named), ", ")});
  }
  return plotted;
}

}  // namespace firth::tools
