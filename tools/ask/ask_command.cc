// A command runs in four steps. It splits its arguments into model files and
// words, opens the models, adds a request to a batch for each word, list of
// words or line of standard input, and prints the answers of all models to the
// batch.

#include "ask/ask_command.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ask/answer_text.h"
#include "cli/console.h"
#include "cli/foreign_names.h"
#include "cli/human.h"
#include "firth/complete_word.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Maximum number of lines that are answered together. They are enough for an
// efficient matrix product, but few enough for a quick first answer.
constexpr size_t kMostTogether = 256;

std::vector<std::string> SplitLine(const Question& question,
                                   const std::string& line) {
  if (!question.takes_texts) {
    return absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"),
                          absl::SkipEmpty());
  }
  return absl::StrSplit(line, '\t');
}

bool IsFile(const std::string& argument) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(argument, ignored);
}

// Returns texts of several lines side by side, as columns.
std::string SideBySide(const std::vector<std::string>& texts) {
  TextTable table(std::string(texts.size(), 'l'));
  std::vector<std::vector<std::string>> columns;
  size_t lines = 0;
  for (const std::string& text : texts) {
    columns.push_back(absl::StrSplit(absl::StripSuffix(text, "\n"), '\n'));
    lines = std::max(lines, columns.back().size());
  }
  for (size_t line = 0; line < lines; ++line) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const std::vector<std::string>& column : columns) {
      cells.push_back(line < column.size() ? column[line] : "");
    }
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

}  // namespace

AskCommand::AskCommand(const Question& question)
    : question_(question),
      prototype_(question.new_batch()),
      fields_(*question.request, prototype_->Add(nullptr)) {
  if (question.arguments.empty()) {
    form_ = Form::kNoWords;
  } else if (question.arguments.size() > 1) {
    form_ = Form::kTogether;
  } else {
    const FieldKind kind = KindOf(question.arguments[0]);
    form_ = kind == FieldKind::kTerms  ? Form::kTerms
            : kind == FieldKind::kText ? Form::kEach
                                       : Form::kTogether;
  }
  for (const Slot& slot : question.slots) {
    if (!IsArgument(slot)) continue;
    absl::StrAppend(&synopsis_, synopsis_.empty() ? "" : " ",
                    slot.required ? ArgumentName(slot)
                                  : absl::StrCat("[", ArgumentName(slot), "]"));
  }
  const std::string words = WordsText();
  if (!words.empty()) absl::StrAppend(&synopsis_, " [", words, "]");
  absl::StrAppend(&synopsis_, " [OPTION...]");
  description_ = question.description;
  if (!HasWholeRequest()) {
    absl::StrAppend(&description_, "\n\nWithout ", words,
                    ", reads questions from standard input, one per line",
                    question_.takes_texts
                        ? ", with its texts separated by a tab."
                    : TakesMoreModels()
                        ? ". If other vector files are given, their answers "
                          "are printed next to those of the first."
                        : ".");
  }
  text_ = {CommandOf(question), question.summary, synopsis_, description_};
}

size_t AskCommand::NumModels() const {
  return absl::c_count_if(question_.slots,
                          [](const Slot& slot) { return slot.required; });
}

bool AskCommand::TakesMoreModels() const {
  return question_.slots.size() == 1 && form_ != Form::kNoWords &&
         !question_.takes_texts &&
         question_.slots[0].kind == ModelKind::kVectors;
}

bool AskCommand::IsArgument(const Slot& slot) const {
  return slot.required || form_ == Form::kNoWords;
}

std::string AskCommand::ArgumentName(const Slot& slot) const {
  if (NumModels() > 1 || !slot.required) {
    return absl::AsciiStrToUpper(slot.name);
  }
  return slot.kind == ModelKind::kVectors ? "VECTORS" : "MODEL";
}

bool AskCommand::WordsAreOptional() const {
  if (form_ != Form::kTogether) return false;
  const Field& last = *fields_.Find(question_.arguments.back());
  return last.kind == FieldKind::kTexts && last.min == 0;
}

bool AskCommand::HasWholeRequest() const {
  return form_ == Form::kNoWords || WordsAreOptional();
}

bool AskCommand::Given(absl::string_view option) const {
  return options_->Given(option);
}

// Returns the names of the words in the synopsis, such as "WORD OTHER" for two
// texts or "WORD..." for a list.
std::string AskCommand::WordsText() const {
  std::string text;
  for (const std::string& argument : question_.arguments) {
    const bool is_text = KindOf(argument) == FieldKind::kText;
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    is_text ? absl::AsciiStrToUpper(argument) : "WORD",
                    is_text && form_ == Form::kTogether ? "" : "...");
  }
  return text;
}

void AskCommand::DeclareFields(OptionSet* options) {
  for (const std::string& name : fields_.names()) {
    const Field& field = *fields_.Find(name);
    const bool is_argument = absl::c_linear_search(question_.arguments, name);
    if (is_argument && field.kind == FieldKind::kText) continue;
    // A text is given as such, and not as its words.
    if (question_.takes_texts && name == "words") continue;
    if (field.role == FieldRole::kPlace) {
      options->PathField(&fields_, name, Reads());
    } else {
      options->Fields(&fields_, {name});
    }
  }
}

void AskCommand::DeclareModels(OptionSet* options) {
  std::vector<std::pair<std::string, FileUse>> uses;
  std::string names;
  for (const Slot& slot : question_.slots) {
    if (!IsArgument(slot)) {
      options->Path(slot.name, "FILE", &others_[slot.name], Reads(),
                    absl::StrCat("path to ", slot.help));
      continue;
    }
    uses.emplace_back(ArgumentName(slot), Reads());
    if (!slot.required) continue;
    absl::StrAppend(&names, names.empty() ? "" : " and ", ArgumentName(slot));
  }
  const size_t most = form_ == Form::kNoWords
                          ? question_.slots.size()
                          : std::numeric_limits<size_t>::max();
  if (form_ != Form::kNoWords) uses.emplace_back("WORD", NoFile());
  options->Arguments(names, NumModels(), most, &arguments_, std::move(uses));
}

void AskCommand::Declare(OptionSet* options) {
  options_ = options;
  DeclareFields(options);
  if (question_.slots[0].access == VectorAccess::kSearched) {
    search_.Declare(options);
  }
  if (form_ == Form::kTerms) {
    options->TakeDashedWords();
    options->Switch(
        "by-vector", &by_vector_,
        "read vectors from standard input instead of words; each line has the "
        "numbers of one vector, optionally after a label");
  }
  if (HasDigits()) {
    options->Integer(
        "digits", &digits_, 1, 9,
        "number of decimals to print; JSON always has full precision");
  }
  options->Switch("json", &json_,
                  "print one JSON object per question, each on a line of its "
                  "own");
  DeclareModels(options);
}

bool AskCommand::HasDigits() const { return HasDecimals(*question_.answer); }

bool AskCommand::InOptions() const {
  if (HasWholeRequest() && words_.empty()) return true;
  if (form_ == Form::kTerms && Given("negative")) return true;
  return absl::c_any_of(question_.arguments, [this](const std::string& name) {
    return options_->Find(name) != nullptr && Given(name);
  });
}

absl::Status AskCommand::Check(const OptionSet& options) {
  FIRTH_RETURN_IF_ERROR(search_.Check());
  if (options.Given("index") && fields_.Find("method") != nullptr &&
      fields_.Text("method") == "mul") {
    return absl::InvalidArgumentError(
        "--index cannot be combined with --method mul, which must compare all "
        "vectors");
  }
  if (HasDigits() && options.Given("digits") && json_) {
    return absl::InvalidArgumentError(
        "--digits cannot be combined with --json, which prints all digits");
  }
  SplitArguments();
  const bool in_options = InOptions();
  if (!in_options && !by_vector_) return CheckWords(words_);
  if (in_options) {
    FIRTH_RETURN_IF_ERROR(
        CheckFields(*question_.request, prototype_->request(0)));
    if (question_.check) {
      FIRTH_RETURN_IF_ERROR(question_.check(prototype_->request(0)));
    }
  }
  if (in_options && by_vector_) {
    return absl::InvalidArgumentError(
        "--by-vector cannot be combined with --positive or --negative");
  }
  if (words_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the word \"", words_[0], "\" cannot be combined with ",
      by_vector_
          ? "--by-vector"
          : absl::StrCat("--", question_.arguments[0],
                         form_ == Form::kTerms ? " or --negative" : "")));
}

absl::Status AskCommand::CheckOneModel(absl::string_view option) const {
  if (paths_.size() <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option, " requires exactly one vector file, found ", paths_.size()));
}

std::string AskCommand::IndexPath() const {
  const bool is_read = std::holds_alternative<HnswSearch>(search_.search);
  return is_read && !arguments_.empty() ? HnswPath(arguments_[0]) : "";
}

void AskCommand::SplitArguments() {
  const size_t models =
      form_ == Form::kNoWords ? arguments_.size() : NumModels();
  auto word = arguments_.begin() + static_cast<ptrdiff_t>(models);
  while (TakesMoreModels() && word != arguments_.end() && IsFile(*word)) {
    ++word;
  }
  paths_.assign(arguments_.begin(), word);
  words_.assign(word, arguments_.end());
}

absl::Status AskCommand::OpenModels() {
  size_t next = 0;
  for (const Slot& slot : question_.slots) {
    const std::string path = !IsArgument(slot)      ? others_[slot.name]
                             : next < paths_.size() ? paths_[next++]
                                                    : "";
    models_.emplace_back();
    if (path.empty()) continue;
    FIRTH_ASSIGN_OR_RETURN(models_.back(),
                           OpenModel(path, path, &slot, search_));
  }
  return TakesMoreModels() ? OpenMoreModels() : absl::OkStatus();
}

// Opens the other vector files. An argument that is both a file and a word of
// the first model is treated as a word.
absl::Status AskCommand::OpenMoreModels() {
  const Vocabulary& vocabulary = vectors().vectors().vocabulary();
  const auto word = std::find_if(paths_.begin() + 1, paths_.end(),
                                 [&](const std::string& path) {
                                   return vocabulary.Find(path).has_value();
                                 });
  words_.insert(words_.begin(), word, paths_.end());
  paths_.erase(word, paths_.end());
  FIRTH_RETURN_IF_ERROR(CheckWords(words_));
  for (size_t i = 1; i < paths_.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(
        models_.emplace_back(),
        OpenModel(paths_[i], paths_[i], &question_.slots[0], search_));
  }
  return absl::OkStatus();
}

const OpenedVectors& AskCommand::vectors(size_t model) const {
  return *std::get<0>(models_[model].content);
}

absl::StatusOr<ExitCode> AskCommand::Run(const OptionSet&) {
  FIRTH_RETURN_IF_ERROR(OpenModels());
  return AnswerEverything();
}

absl::StatusOr<ExitCode> AskCommand::AnswerEverything() {
  Asked asked = NewBatch();
  FIRTH_RETURN_IF_ERROR(AddWords(words_, "", &asked));
  if (InOptions()) AddRequest("", &asked);
  if (asked.batch->size() == 0) return AnswerLines();
  return AnswerAll(asked, asked.batch->size() > 1) ? ExitCode::kDone
                                                   : ExitCode::kFailed;
}

absl::StatusOr<ExitCode> AskCommand::AnswerLines() {
  if (question_.takes_texts && SomebodyTypes()) {
    return absl::InvalidArgumentError(
        "give each text as one argument, or write lines to standard input in "
        "which a tab separates the texts");
  }
  LineReader reader(PromptForQuestions());
  if (reader.interactive()) PrintWelcome();
  bool good = true;
  uint64_t number = 0;  // Number of the current line, from 1.
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                           reader.Next(kMostTogether));
    if (lines.empty()) break;
    Asked asked = NewBatch();
    for (const LineReader::Line& line : lines) {
      ++number;
      const std::string place =
          reader.interactive() ? ""
                               : absl::StrCat("standard input:", number, ": ");
      absl::Status status = line.status();
      if (status.ok()) {
        const std::vector<std::string> words = SplitLine(question_, *line);
        status = by_vector_ && !words.empty() ? AddNumbers(words, place, &asked)
                                              : AddWords(words, place, &asked);
      }
      if (status.ok()) continue;
      // Answers appear in the order of the lines.
      AnswerAll(std::exchange(asked, NewBatch()), /*labelled=*/true);
      Show(place, {status}, /*labelled=*/true);
      good = false;
    }
    const bool labelled = !reader.interactive() ||
                          (form_ != Form::kTogether && asked.batch->size() > 1);
    good = AnswerAll(asked, labelled) && good;
    // If the answers cannot be written, the program reports the error when it
    // ends.
    if (!FlushResults().ok()) break;
  }
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

void AskCommand::PrintWelcome() const {
  std::string size;
  if (models_[0].kind() == ModelKind::kVectors) {
    const WordVectors& words = vectors().vectors();
    size = absl::StrCat(Counted(words.size(), "word"), " of ",
                        Counted(words.dim(), "dimension"), "; ");
  }
  PrintMessage(absl::StrCat(
      size,
      "write one question per line; \"help\" prints help, and Ctrl-D ends the "
      "session"));
}

PromptOptions AskCommand::PromptForQuestions() const {
  const std::string words = WordsText();
  std::string help =
      absl::StrCat(text().name, ": ", question_.summary, "\nWrite ", words);
  if (form_ != Form::kTogether) help += "; each word is a question";
  if (form_ == Form::kTerms) {
    help += ", and so is a sum such as king - man + woman";
  }
  PromptOptions prompt = {
      .text = absl::StrCat(
          absl::StrReplaceAll(absl::AsciiStrToLower(words),
                              {{"...", form_ == Form::kTogether ? "s" : ""}}),
          "> "),
      .help = help + ".",
      .command_for_help =
          absl::StrCat("firth ", text().name, " ", paths_[0], " help",
                       form_ == Form::kTogether ? " ..." : "")};
  if (question_.slots[0].kind == ModelKind::kVectors) {
    prompt.complete = [this](absl::string_view typed, size_t most) {
      return CompleteWord(vectors().vectors().vocabulary(), typed, most);
    };
  }
  return prompt;
}

bool AskCommand::SkipsUnknown() const {
  return fields_.Find("oov") != nullptr && fields_.Text("oov") == "skip";
}

bool AskCommand::AnswerAll(const Asked& asked, bool labelled) {
  const size_t requests = asked.batch->size();
  std::vector<const OpenedModel*> slots;  // Null if a slot is empty.
  for (const OpenedModel& model : models_) {
    slots.push_back(model.name.empty() ? nullptr : &model);
  }
  std::vector<std::unique_ptr<Batch>> batches;
  for (size_t model = 0; model < (HasMoreModels() ? slots.size() : 1);
       ++model) {
    batches.push_back(question_.new_batch());
    for (size_t i = 0; i < requests; ++i) {
      batches.back()->Add(asked.batch->request(i));
    }
    batches.back()->AnswerAll(HasMoreModels() ? Opened({slots[model]})
                                              : Opened(slots));
  }
  bool good = true;
  for (size_t i = 0; i < requests; ++i) {
    std::vector<absl::StatusOr<const void*>> answers;
    answers.reserve(batches.size());
    for (const auto& batch : batches) answers.push_back(batch->answer(i));
    good = Show(asked.places[i], answers, labelled) && good;
  }
  return good;
}

std::vector<std::string> AskCommand::UnknownIn(size_t model,
                                               const void* answer) const {
  std::vector<std::string> messages;
  const auto add = [&](const std::string& list, size_t its_model,
                       const std::string& prefix, bool is_of_all) {
    const auto* const words =
        FindMember<std::vector<UnknownWord>>(*question_.answer, answer, list);
    if (words == nullptr) return;
    const bool has_spellings = models_[its_model].kind() == ModelKind::kVectors;
    for (const auto& [word, spellings] : *words) {
      messages.push_back(absl::StrCat(
          prefix, "\"", word, "\" is not ",
          is_of_all
              ? "among the compared words, which all models contain; "
                "--restrict 0 compares all of them"
              : absl::StrCat(
                    "in the vocabulary",
                    has_spellings
                        ? DidYouMean(vectors(its_model).vectors().vocabulary(),
                                     word)
                        : std::string())));
    }
  };
  add("unknown", model, HasMoreModels() ? paths_[model] + ": " : "",
      question_.slots.size() > 1);
  for (size_t i = 0; i < question_.slots.size(); ++i) {
    add("unknown_" + question_.slots[i].name, i, models_[i].name + ": ",
        /*is_of_all=*/false);
  }
  return messages;
}

bool AskCommand::Report(const std::string& place, size_t model,
                        const absl::StatusOr<const void*>& answer) const {
  std::vector<std::string> errors;
  if (!answer.ok()) {
    errors.push_back(absl::StrCat(HasMoreModels() ? paths_[model] + ": " : "",
                                  answer.status().message()));
  } else {
    errors = ErrorsIn(*question_.answer, *answer);
    const std::vector<std::string> unknown = UnknownIn(model, *answer);
    if (!SkipsUnknown()) {
      errors.insert(errors.end(), unknown.begin(), unknown.end());
    }
  }
  for (const std::string& error : errors) {
    if (!json_) PrintError(place + error);
  }
  return errors.empty();
}

bool AskCommand::Show(const std::string& place, Answers answers,
                      bool labelled) {
  bool good = true;
  for (size_t model = 0; model < answers.size(); ++model) {
    good = Report(place, model, answers[model]) && good;
  }
  Print(answers, labelled);
  return good;
}

void AskCommand::Print(Answers answers, bool labelled) {
  if (json_) return PrintJson(answers);
  std::vector<std::string> texts;
  for (size_t model = 0; model < answers.size(); ++model) {
    const absl::StatusOr<const void*>& answer = answers[model];
    const bool has_text =
        answer.ok() && (HasAnswer(*question_.answer, *answer) ||
                        UnknownIn(model, *answer).empty());
    texts.push_back(has_text ? AnswerText(*question_.answer, *answer,
                                          {.digits = digits_,
                                           .labelled = labelled,
                                           .records = WordsAreOptional() &&
                                                      !words_.empty()})
                             : "");
  }
  if (answers.size() == 1) {
    // Each answer to texts has one line, so that answers correspond to the
    // lines of the input.
    if (question_.takes_texts && texts[0].empty()) texts[0] = "-\n";
    return PrintStyled(texts[0]);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] =
        absl::StrCat(paths_[i], "\n", texts[i].empty() ? "-\n" : texts[i]);
  }
  PrintStyled(SideBySide(texts));
}

void AskCommand::PrintJson(Answers answers) const {
  std::string line;
  if (answers.size() == 1) {
    AppendAnswer(question_, answers[0], &line);
  } else {
    line = "{\"models\":[";
    for (size_t i = 0; i < answers.size(); ++i) {
      line += i == 0 ? "{\"file\":" : ",{\"file\":";
      AppendJsonText(paths_[i], &line);
      line += ",\"answer\":";
      AppendAnswer(question_, answers[i], &line);
      line += "}";
    }
    line += "]}";
  }
  tools::Print(line + "\n");
}

}  // namespace firth::tools
