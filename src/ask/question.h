// Declares the questions, and builds their entries in the list from a request
// struct, an answer struct and a function from one to the other. To add a
// question, write it into the file of its subject, declare it here and add it
// to the list in ask.cc.

#ifndef FIRTH_ASK_QUESTION_H_
#define FIRTH_ASK_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/ask.h"
#include "firth/fields.h"

namespace firth {

// Returns the names of the fields that a query sets (see AskJson()): the
// arguments of the command or, if it reads texts, "text". Empty if there are
// none.
std::vector<std::string> QueryFields(const Question& question);

// Returns the slot of questions about one model of vectors.
Slot VectorsSlot(VectorAccess access);
// Returns the slot of questions about one model of another kind.
Slot ModelSlot(ModelKind kind);

Question NeighborsQuestion();
Question AnalogyQuestion();
Question CommonQuestion();
Question SimilarityQuestion();
Question MatrixQuestion();
Question OddQuestion();
Question RankQuestion();
Question CloserQuestion();
Question VectorsQuestion();
Question NGramsQuestion();
Question SpellingQuestion();
Question WordsQuestion();
Question CompareQuestion();
Question AxisQuestion();
Question TextSimilarityQuestion();
Question EvalQuestion();
Question BiasQuestion();
Question DriftQuestion();
Question SentenceVectorsQuestion();
Question ClassifyQuestion();
Question TagQuestion();
Question Seq2SeqQuestion();
Question EmbedQuestion();
Question ContextQuestion();
Question LmScoreQuestion();
Question LmNextQuestion();
Question NextWordsQuestion();
Question LmFillQuestion();
Question MapQuestion();

template <class Answer>
using Answers = std::vector<absl::StatusOr<Answer>>;
template <class Request>
using SizeOfAnswer = uint64_t (*)(const Opened&, const Request&);

// Answers requests one by one until a stop is requested.
template <class Answer, class Request, class Call>
Answers<Answer> AnswerEach(const Opened& opened,
                           absl::Span<const Request> requests, Call answer) {
  Answers<Answer> answers;
  answers.reserve(requests.size());
  for (const Request& request : requests) {
    answers.push_back(opened.hooks().StopRequested()
                          ? absl::CancelledError("interrupted")
                          : answer(request));
  }
  return answers;
}

// Calls `answer` with runs of requests for which `same` holds. If that fails,
// calls it with each request of the run alone, so that an error in one request
// does not affect the others. `answer` returns one answer per request.
template <class Answer, class Request, class Same, class Call>
Answers<Answer> AnswerTogether(absl::Span<const Request> requests, Same same,
                               Call answer) {
  Answers<Answer> answers;
  const auto add = [&](absl::Span<const Request> run) {
    absl::StatusOr<std::vector<Answer>> found = answer(run);
    if (!found.ok()) return found.status();
    for (Answer& one : *found) answers.emplace_back(std::move(one));
    return absl::OkStatus();
  };
  for (size_t begin = 0; begin < requests.size();) {
    size_t end = begin + 1;
    while (end < requests.size() && same(requests[begin], requests[end])) ++end;
    const auto run = requests.subspan(begin, end - begin);
    begin = end;
    if (add(run).ok()) continue;
    for (size_t i = 0; i < run.size(); ++i) {
      const absl::Status status = add(run.subspan(i, 1));
      if (!status.ok()) answers.emplace_back(status);
    }
  }
  return answers;
}

template <class Request, class Answer>
class TypedBatch : public Batch {
 public:
  using Call =
      std::function<Answers<Answer>(const Opened&, absl::Span<const Request>)>;

  explicit TypedBatch(Call answer) : answer_(std::move(answer)) {}

  size_t size() const override { return requests_.size(); }
  void* Add(const void* like) override {
    requests_.push_back(like == nullptr ? Request()
                                        : *static_cast<const Request*>(like));
    return &requests_.back();
  }
  const void* request(size_t i) const override { return &requests_[i]; }
  void AnswerAll(const Opened& opened) override {
    answers_ = answer_(opened, requests_);
  }
  absl::StatusOr<const void*> answer(size_t i) const override {
    if (!answers_[i].ok()) return answers_[i].status();
    return &*answers_[i];
  }

 private:
  Call answer_;
  std::vector<Request> requests_;
  Answers<Answer> answers_;
};

// The functions MakeQuestion() complete a question whose texts and slots are
// set. They differ in how `answer` is called. If the request has a method
// Validate(), it becomes Question::check.

// `answer` is called once with all requests.
template <class Request, class Answer>
Question MakeQuestion(Question question,
                      typename TypedBatch<Request, Answer>::Call answer,
                      SizeOfAnswer<Request> size) {
  question.request = &TableFor<Request>();
  question.answer = &AnswerTypeOf<Answer>();
  question.new_batch = [answer = std::move(answer)] {
    return std::make_unique<TypedBatch<Request, Answer>>(answer);
  };
  if constexpr (requires(const Request& request) { request.Validate(); }) {
    question.check = [](const void* request) {
      return static_cast<const Request*>(request)->Validate();
    };
  }
  question.size_of = [size](const Opened& opened, const void* request) {
    return size(opened, *static_cast<const Request*>(request));
  };
  return question;
}

// `answer` is called with each request.
template <class Request, class Answer>
Question MakeQuestion(Question question,
                      absl::StatusOr<Answer> (*answer)(const Opened&,
                                                       const Request&),
                      SizeOfAnswer<Request> size) {
  return MakeQuestion<Request, Answer>(
      std::move(question),
      [answer](const Opened& opened, absl::Span<const Request> requests) {
        return AnswerEach<Answer>(
            opened, requests,
            [&](const Request& request) { return answer(opened, request); });
      },
      size);
}

// `answer` is called with runs of requests for which `same` holds; see
// AnswerTogether(). Without `same`, it is called with all requests first.
template <class Request, class Answer>
Question MakeQuestion(
    Question question,
    absl::StatusOr<std::vector<Answer>> (*answer)(const Opened&,
                                                  absl::Span<const Request>),
    SizeOfAnswer<Request> size,
    bool (*same)(const Request& a, const Request& b) =
        [](const Request&, const Request&) { return true; }) {
  return MakeQuestion<Request, Answer>(
      std::move(question),
      [answer, same](const Opened& opened, absl::Span<const Request> requests) {
        return AnswerTogether<Answer>(
            requests, same,
            [&](absl::Span<const Request> run) { return answer(opened, run); });
      },
      size);
}

// `answer` is called with each request and with the tool that `make` returned
// for Request::options, such as an aligned pair of models. Making a tool takes
// long, so the next request with equal options uses the same one.
template <class Request, class Answer, class Tool, class Options>
Question MakeQuestion(Question question,
                      absl::StatusOr<Tool> (*make)(const Opened&,
                                                   const Options&),
                      absl::StatusOr<Answer> (*answer)(const Opened&,
                                                       const Tool&,
                                                       const Request&),
                      SizeOfAnswer<Request> size) {
  return MakeQuestion<Request, Answer>(
      std::move(question),
      [make, answer](const Opened& opened, absl::Span<const Request> requests) {
        std::string options;
        absl::StatusOr<Tool> tool;
        return AnswerEach<Answer>(
            opened, requests,
            [&](const Request& request) -> absl::StatusOr<Answer> {
              std::string its_options = FieldsJson(request.options);
              if (its_options != options) {
                options = std::move(its_options);
                tool = make(opened, request.options);
              }
              if (!tool.ok()) return tool.status();
              return answer(opened, *tool, request);
            });
      },
      size);
}

}  // namespace firth

#endif  // FIRTH_ASK_QUESTION_H_
