// MakeQuestion() builds an entry of the list from a request struct, an answer
// struct and a function from one to the other.

#ifndef FIRTH_ASK_QUESTION_H_
#define FIRTH_ASK_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/ask.h"

namespace firth {

template <class Request, class Answer>
using AnswerBatch = std::vector<absl::StatusOr<Answer>> (*)(
    const Opened&, absl::Span<const Request>);
template <class Request, class Answer>
using AnswerOne = absl::StatusOr<Answer> (*)(const Opened&, const Request&);
template <class Request>
using SizeOfAnswer = uint64_t (*)(const Opened&, const Request&);

template <class Request, class Answer>
class TypedBatch : public Batch {
 public:
  TypedBatch(AnswerBatch<Request, Answer> batch, AnswerOne<Request, Answer> one)
      : batch_(batch), one_(one) {}

  size_t size() const override { return requests_.size(); }
  void* Add(const void* like) override {
    requests_.push_back(like == nullptr ? Request()
                                        : *static_cast<const Request*>(like));
    return &requests_.back();
  }
  const void* request(size_t i) const override { return &requests_[i]; }
  void AnswerAll(const Opened& opened) override {
    if (batch_ != nullptr) {
      answers_ = batch_(opened, requests_);
      return;
    }
    answers_.reserve(requests_.size());
    for (const Request& request : requests_) {
      answers_.push_back(opened.hooks().StopRequested()
                             ? absl::CancelledError("interrupted")
                             : one_(opened, request));
    }
  }
  absl::StatusOr<const void*> answer(size_t i) const override {
    if (!answers_[i].ok()) return answers_[i].status();
    return &*answers_[i];
  }

 private:
  AnswerBatch<Request, Answer> batch_;
  AnswerOne<Request, Answer> one_;
  std::vector<Request> requests_;
  std::vector<absl::StatusOr<Answer>> answers_;
};

namespace ask_internal {

template <class Request, class Answer>
Question Complete(Question question, AnswerBatch<Request, Answer> batch,
                  AnswerOne<Request, Answer> one, SizeOfAnswer<Request> size) {
  question.request = &TableFor<Request>();
  question.answer = &AnswerTypeOf<Answer>();
  question.new_batch = [=] {
    return std::make_unique<TypedBatch<Request, Answer>>(batch, one);
  };
  if constexpr (requires(const Request& request) { request.Validate(); }) {
    question.check = [](const void* request) {
      return static_cast<const Request*>(request)->Validate();
    };
  }
  question.size_of = [size](const Opened& opened, const void* request) {
    return size == nullptr
               ? uint64_t{0}
               : size(opened, *static_cast<const Request*>(request));
  };
  return question;
}

}  // namespace ask_internal

// Completes a question whose texts and slots are set. If the request has a
// method Validate(), it becomes Question::check.
template <class Request, class Answer>
Question MakeQuestion(Question question,
                      std::vector<absl::StatusOr<Answer>> (*answer)(
                          const Opened&, absl::Span<const Request>),
                      SizeOfAnswer<Request> size = nullptr) {
  return ask_internal::Complete<Request, Answer>(std::move(question), answer,
                                                 nullptr, size);
}
// Completes a question whose requests are answered one by one.
template <class Request, class Answer>
Question MakeQuestion(Question question,
                      absl::StatusOr<Answer> (*answer)(const Opened&,
                                                       const Request&),
                      SizeOfAnswer<Request> size = nullptr) {
  return ask_internal::Complete<Request, Answer>(std::move(question), nullptr,
                                                 answer, size);
}

}  // namespace firth

#endif  // FIRTH_ASK_QUESTION_H_
