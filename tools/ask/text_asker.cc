// Texts that could not be read keep their places among the answers, so that the
// output has one line per line of input.

#include "ask/text_asker.h"

#include <variant>

#include "cli/console.h"

namespace firth::tools {

TextAsker::TextAsker(absl::string_view question)
    : question_(*FindQuestion(question)),
      prototype_(question_.new_batch()),
      fields_(*question_.request, prototype_->Add(nullptr)),
      batch_(question_.new_batch()) {}

void TextAsker::SetFields(const FieldEditor& options) {
  for (const std::string& name : options.names()) {
    if (fields_.Find(name) != nullptr) {
      fields_.SetText(name, options.Text(name));
    }
  }
}

void* TextAsker::Add() {
  errors_.emplace_back();
  return batch_->Add(prototype_->request(0));
}

void TextAsker::AddText(absl::string_view text) {
  const FieldEditor request(*question_.request, Add());
  *std::get<std::string*>(request.At("text")) = std::string(text);
}

void TextAsker::AddError(absl::string_view error) {
  errors_.push_back(absl::InvalidArgumentError(error));
}

void TextAsker::PrintAnswers(const std::vector<TaggedSentence>& sentences,
                             const OpenedModel& model) {
  for (const TaggedSentence& sentence : sentences) {
    if (!sentence.left_out.empty()) {
      AddError(sentence.left_out);
      continue;
    }
    const FieldEditor request(*question_.request, Add());
    *std::get<std::vector<std::string>*>(request.At("words")) = sentence.tokens;
  }
  for (const std::string& line : Answer(model)) Print(line + "\n");
}

std::vector<std::string> TextAsker::Answer(const OpenedModel& model) {
  batch_->AnswerAll(Opened({&model}));
  std::vector<std::string> lines;
  size_t next = 0;
  for (const absl::Status& error : errors_) {
    const absl::StatusOr<const void*> answer =
        error.ok() ? batch_->answer(next++) : error;
    failed_ |= error.ok() && !answer.ok();
    AppendAnswer(question_, answer, &lines.emplace_back());
  }
  batch_ = question_.new_batch();
  errors_.clear();
  return lines;
}

}  // namespace firth::tools
