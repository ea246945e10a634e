// Handles, statuses and buffers: what is null, freed or of another kind, and
// what threads do to each other.

#include "c/handles.h"
#include "absl/strings/str_cat.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "c/c_test_support.h"
#include "c/call.h"
#include "firth/firth.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Of header_in_c.c.
extern "C" int64_t firth_test_ask_in_c(void);

namespace firth {
namespace {

struct Counted {
  static constexpr absl::string_view kName = "Counted";
  explicit Counted(std::atomic<int>* its_alive) : alive(its_alive) { ++*alive; }
  ~Counted() { --*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::atomic<int>* alive;
};

TEST(HandlesTest, AnObjectGoesWithItsHandleInEveryThreadThatAsked) {
  std::atomic<int> alive = 0;
  Counted* const handle = c::MakeHandle(std::make_shared<Counted>(&alive));
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&] { EXPECT_NE(c::FindObject(handle), nullptr); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alive, 1);
  c::FreeHandle(handle);
  EXPECT_EQ(alive, 0);
}

TEST(HandlesTest, AnObjectInUseOutlivesItsHandle) {
  std::atomic<int> alive = 0;
  Counted* const handle = c::MakeHandle(std::make_shared<Counted>(&alive));
  std::shared_ptr<Counted> in_use = c::FindObject(handle);
  c::FreeHandle(handle);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(c::FindObject(handle), nullptr);
  in_use = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(HandlesTest, AFreedHandleIsNeverThatOfALaterObject) {
  std::atomic<int> alive = 0;
  Counted* const first = c::MakeHandle(std::make_shared<Counted>(&alive));
  c::FreeHandle(first);
  for (int i = 0; i < 100; ++i) {
    Counted* const later = c::MakeHandle(std::make_shared<Counted>(&alive));
    EXPECT_NE(later, first);
    c::FreeHandle(later);
  }
  EXPECT_EQ(c::FindObject(first), nullptr);
}

TEST(HandlesTest, MessagesTellNullFromWhatIsGone) {
  FirthVectors* const none = nullptr;
  EXPECT_EQ(FailureOf(firth_vectors_shape(none, nullptr, nullptr)).message,
            "vectors: expected a FirthVectors, found null");
  FirthVectors* const freed = VectorsOf({"a"}, {1});
  firth_vectors_free(freed);
  EXPECT_EQ(FailureOf(firth_vectors_shape(freed, nullptr, nullptr)).message,
            "vectors: expected a FirthVectors, found a freed handle or another "
            "pointer");
  firth_vectors_free(freed);
}

TEST(HandlesTest, OneThreadFreesWhatAnotherAsks) {
  for (int round = 0; round < 20; ++round) {
    FirthVectors* const vectors = VectorsOf({"a", "b"}, {1, 2});
    std::atomic<int> answers = 0;
    std::thread asking([&] {
      for (;;) {
        int64_t id = -1;
        const CFailure failure =
            FailureOf(firth_vectors_find(vectors, "b", 1, &id));
        if (failure.code != FIRTH_OK) {
          EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
          return;
        }
        EXPECT_EQ(id, 1);
        ++answers;
      }
    });
    while (answers < 10) std::this_thread::yield();
    firth_vectors_free(vectors);
    asking.join();
  }
}

TEST(HandlesTest, TwoThreadsAskOneObject) {
  FirthVectors* const vectors = VectorsOf({"a", "b"}, {1, 2});
  const auto ask = [&] {
    for (int i = 0; i < 10000; ++i) {
      int64_t id = -1;
      ASSERT_TRUE(
          Fine(firth_vectors_find(vectors, i % 2 == 0 ? "a" : "b", 1, &id)));
      ASSERT_EQ(id, i % 2);
    }
  };
  std::thread other(ask);
  ask();
  other.join();
  firth_vectors_free(vectors);
}

TEST(HandlesTest, StatusesAndBuffersSurviveWrongHandles) {
  EXPECT_EQ(firth_status_code(nullptr), FIRTH_OK);
  EXPECT_STREQ(firth_status_message(nullptr), "");
  FirthStatus* const status = firth_vectors_shape(nullptr, nullptr, nullptr);
  firth_status_free(status);
  firth_status_free(status);
  EXPECT_EQ(firth_status_code(status), FIRTH_INVALID_ARGUMENT);
  EXPECT_STREQ(firth_status_message(status),
               "status: not a value of FirthStatus");
  EXPECT_EQ(firth_buffer_data(nullptr), nullptr);
  EXPECT_EQ(firth_buffer_size(reinterpret_cast<FirthBuffer*>(status)), 0);
  firth_buffer_free(nullptr);
}

TEST(HandlesTest, WhatIsFreedLeavesNothing) {
  const size_t before = c::NumHandles();
  FirthVectors* const vectors = VectorsOf({"a"}, {1});
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_describe(vectors, &json)));
  EXPECT_EQ(c::NumHandles(), before + 2);
  firth_buffer_free(json);
  firth_vectors_free(vectors);
  EXPECT_EQ(c::NumHandles(), before);
}

TEST(AnswerTest, ExceptionsBecomeStatuses) {
  const auto answer = [](auto throwing) {
    return FailureOf(c::Answer([&]() -> absl::Status {
      throwing();
      return {};
    }));
  };
  EXPECT_EQ(answer([] { throw std::bad_alloc(); }).code,
            FIRTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(answer([] { std::vector<int>().reserve(SIZE_MAX); }).code,
            FIRTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(answer([] { throw std::runtime_error("why"); }).message,
            "unexpected: why");
  EXPECT_EQ(answer([] { throw 1; }).code, FIRTH_INTERNAL);
}

TEST(AnswerTest, CodesAreThoseOfTheHeader) {
  const std::vector<std::pair<absl::Status, int>> codes = {
      {absl::CancelledError("x"), FIRTH_CANCELLED},
      {absl::InvalidArgumentError("x"), FIRTH_INVALID_ARGUMENT},
      {absl::NotFoundError("x"), FIRTH_NOT_FOUND},
      {absl::PermissionDeniedError("x"), FIRTH_PERMISSION_DENIED},
      {absl::ResourceExhaustedError("x"), FIRTH_RESOURCE_EXHAUSTED},
      {absl::FailedPreconditionError("x"), FIRTH_FAILED_PRECONDITION},
      {absl::OutOfRangeError("x"), FIRTH_OUT_OF_RANGE},
      {absl::UnimplementedError("x"), FIRTH_UNIMPLEMENTED},
      {absl::InternalError("x"), FIRTH_INTERNAL},
      {absl::DataLossError("x"), FIRTH_DATA_LOSS},
      {absl::AbortedError("x"), FIRTH_INTERNAL}};
  for (const auto& [status, code] : codes) {
    EXPECT_EQ(FailureOf(c::Answer([&given = status] { return given; })).code,
              code)
        << status;
    // The numbers, too, are for ever.
    if (code != FIRTH_INTERNAL) {
      EXPECT_EQ(code, status.raw_code());
    }
  }
}

TEST(AnswerTest, AMessageIsUtf8WithoutNul) {
  const absl::Status status =
      absl::NotFoundError(absl::string_view("\xff word\0s", 8));
  EXPECT_EQ(FailureOf(c::Answer([&] { return status; })).message,
            "\xEF\xBF\xBD word s");
}

TEST(AnswerTest, BuffersStartOnBordersOf64Bytes) {
  for (const size_t size : {0, 1, 100}) {
    const auto buffer = c::MakeBuffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data.get()) % 64, 0u);
    EXPECT_EQ(buffer->size, size);
  }
}

TEST(FirthHeaderTest, IsC) { EXPECT_EQ(firth_test_ask_in_c(), 1); }

TEST(FirthHeaderTest, VersionIsThatOfTheBuild) {
  EXPECT_STREQ(firth_version(), FIRTH_VERSION);
  EXPECT_EQ(absl::StrCat(FIRTH_VERSION_MAJOR, ".", FIRTH_VERSION_MINOR, ".",
                         FIRTH_VERSION_PATCH),
            FIRTH_VERSION);
}

}  // namespace
}  // namespace firth
