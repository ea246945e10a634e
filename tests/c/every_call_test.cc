// Every call of firth/firth.h with each of its arguments wrong in every way:
// it must say which one it was, and leave its outputs as they were. Whoever
// adds a function adds a line to CallsThatFail().

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "c/c_test_support.h"
#include "c/call_table.h"
#include "firth/firth.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::StartsWith;

// Frees what a call has made.
void FreeMade(const Outputs& out, const Outputs& before) {
  if (out.vectors != before.vectors) firth_vectors_free(out.vectors);
  if (out.search != before.search) firth_search_free(out.search);
  if (out.encoder != before.encoder) firth_sentence_encoder_free(out.encoder);
  if (out.corpus != before.corpus) firth_corpus_free(out.corpus);
  if (out.model != before.model) firth_language_model_free(out.model);
  if (out.tagger != before.tagger) firth_tagger_free(out.tagger);
  if (out.seq2seq != before.seq2seq) firth_seq2seq_free(out.seq2seq);
  if (out.documents != before.documents) firth_documents_free(out.documents);
  if (out.labelled != before.labelled) firth_labelled_texts_free(out.labelled);
  if (out.classifier != before.classifier) {
    firth_classifier_free(out.classifier);
  }
  if (out.models != before.models) firth_models_free(out.models);
  if (out.buffer != before.buffer) firth_buffer_free(out.buffer);
}

// That cannot fail. handles_test.cc gives them wrong handles.
const std::set<std::string>& CallsThatDoNotFail() {
  static const auto& names = *new std::set<std::string>{
      "firth_version",         "firth_status_code",
      "firth_status_message",  "firth_status_free",
      "firth_buffer_data",     "firth_buffer_size",
      "firth_buffer_free",     "firth_vectors_free",
      "firth_search_free",     "firth_sentence_encoder_free",
      "firth_corpus_free",     "firth_language_model_free",
      "firth_tagger_free",     "firth_labelled_texts_free",
      "firth_classifier_free", "firth_models_free",
      "firth_seq2seq_free",    "firth_documents_free"};
  return names;
}

// The names that the pattern finds in the header.
std::set<std::string> CallsOfHeader(const std::string& source,
                                    const std::string& pattern) {
  const std::string header = ReadWholeFile(source + "/include/firth/firth.h");
  const std::regex declared(pattern);
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declared), end;
       it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

class EveryCallTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { files_ = new CallFiles; }
  static void TearDownTestSuite() { delete files_; }

  EveryCallTest() {
    const CallFiles& files = *files_;
    EXPECT_TRUE(Fine(firth_vectors_load(files.vectors_path.data(),
                                        SizeOf(files.vectors_path), nullptr, 0,
                                        nullptr, nullptr, &made_.vectors)));
    EXPECT_TRUE(Fine(firth_search_create(made_.vectors, nullptr, 0, nullptr,
                                         nullptr, &made_.search)));
    EXPECT_TRUE(Fine(firth_sentence_encoder_create(made_.vectors, nullptr, 0,
                                                   &made_.encoder)));
    EXPECT_TRUE(Fine(firth_corpus_read(files.text_options.data(),
                                       SizeOf(files.text_options), nullptr,
                                       nullptr, nullptr, &made_.corpus)));
    EXPECT_TRUE(Fine(firth_language_model_load(
        files.model_path.data(), SizeOf(files.model_path), &made_.model)));
    EXPECT_TRUE(Fine(
        firth_tagger_load(files.tagger_path.data(), SizeOf(files.tagger_path),
                          files.tagger_options.data(),
                          SizeOf(files.tagger_options), &made_.tagger)));
    EXPECT_TRUE(
        Fine(firth_seq2seq_load(files.seq2seq_path.data(),
                                SizeOf(files.seq2seq_path), &made_.seq2seq)));
    EXPECT_TRUE(Fine(firth_documents_load(files.documents_path.data(),
                                          SizeOf(files.documents_path),
                                          &made_.documents)));
    EXPECT_TRUE(Fine(firth_documents_read(nullptr, files.text_options.data(),
                                          SizeOf(files.text_options), nullptr,
                                          nullptr, &document_corpus_)));
    EXPECT_TRUE(Fine(firth_labelled_texts_read(
        files.labelled_options.data(), SizeOf(files.labelled_options), nullptr,
        nullptr, &made_.labelled)));
    EXPECT_TRUE(Fine(firth_classifier_load(files.classifier_path.data(),
                                           SizeOf(files.classifier_path),
                                           nullptr, 0, &made_.classifier)));
    EXPECT_TRUE(Fine(firth_search_create(made_.vectors, nullptr, 0, nullptr,
                                         nullptr, &freed_)));
    firth_search_free(freed_);
    right_.vectors = made_.vectors;
    right_.search = made_.search;
    right_.encoder = made_.encoder;
    right_.corpus = made_.corpus;
    right_.model = made_.model;
    right_.tagger = made_.tagger;
    right_.seq2seq = made_.seq2seq;
    right_.documents = made_.documents;
    right_.document_corpus = document_corpus_;
    right_.labelled = made_.labelled;
    right_.classifier = made_.classifier;
    EXPECT_TRUE(Fine(firth_models_create(&made_.models)));
    EXPECT_TRUE(
        Fine(firth_models_add_vectors(made_.models, "v", 1, made_.vectors)));
    right_.models = made_.models;
  }

  ~EveryCallTest() override {
    FreeMade(made_, Outputs());
    firth_corpus_free(document_corpus_);
  }

  std::vector<Call> CallsThatFail() const {
    const WrongArguments wrong(right_, freed_);
    std::vector<Call> calls = VectorCalls(wrong, *files_);
    for (const auto& more :
         {TextCalls(wrong, *files_), ModelCalls(wrong, *files_),
          ClassifierCalls(wrong, *files_), AskCalls(wrong, *files_)}) {
      calls.insert(calls.end(), more.begin(), more.end());
    }
    return calls;
  }

  static CallFiles* files_;
  Outputs made_ = {};
  FirthCorpus* document_corpus_ = nullptr;
  FirthSearch* freed_ = nullptr;
  Arguments right_;
};

CallFiles* EveryCallTest::files_ = nullptr;

// Such a call must fail, name the argument and change no output.
void ExpectRefusal(const Call& call, const std::string& argument,
                   Arguments wrong) {
  Outputs out, before;
  std::memset(static_cast<void*>(&out), 0x5a, sizeof(out));
  std::memcpy(static_cast<void*>(&before), &out, sizeof(out));
  wrong.out = &out;
  const CFailure failure = FailureOf(call.call(wrong));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT) << call.name << argument;
  EXPECT_THAT(failure.message, StartsWith(argument + ":")) << call.name;
  EXPECT_EQ(std::memcmp(&out, &before, sizeof(out)), 0)
      << call.name << " changed an output although " << argument
      << " was wrong";
}

TEST_F(EveryCallTest, WrongArgumentsAreNamedAndChangeNothing) {
  for (const Call& call : CallsThatFail()) {
    Outputs out = {};
    Arguments arguments = right_;
    arguments.out = &out;
    call.prepare(&arguments);
    for (const auto& [name, breakages] : call.arguments) {
      for (const Breakage& breakage : breakages) {
        Arguments wrong = arguments;
        breakage(&wrong);
        ExpectRefusal(call, name, wrong);
      }
    }
    for (const std::string& place : call.places) {
      Arguments wrong = arguments;
      wrong.gone = {place};
      ExpectRefusal(call, place, wrong);
    }
  }
}

TEST_F(EveryCallTest, RightArgumentsDoNotFail) {
  for (const Call& call : CallsThatFail()) {
    // There is no such table in the file, and no sink to add to.
    if (call.name == "firth_vectors_output_rows") continue;
    Outputs out = {};
    Arguments arguments = right_;
    arguments.out = &out;
    call.prepare(&arguments);
    EXPECT_TRUE(Fine(call.call(arguments))) << call.name;
    FreeMade(out, Outputs());
  }
}

TEST_F(EveryCallTest, TwoThreadsMakeEachOfTheCallsAtATime) {
  for (const Call& call : CallsThatFail()) {
    if (call.name == "firth_vectors_output_rows") continue;
    const auto make = [&](std::string* failures) {
      for (int i = 0; i < 3; ++i) {
        Outputs out = {};
        Arguments arguments = right_;
        arguments.out = &out;
        call.prepare(&arguments);
        *failures += FailureOf(call.call(arguments)).message;
        FreeMade(out, Outputs());
      }
    };
    std::string here, there;
    std::thread other([&] { make(&there); });
    make(&here);
    other.join();
    EXPECT_EQ(here + there, "") << call.name;
  }
}

int32_t StopAtOnce(void*, const char*, int64_t) { return 1; }

TEST_F(EveryCallTest, LongCallsCanBeStopped) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::set<std::string> stoppable = CallsOfHeader(
      source,
      "FIRTH_API[^;]*?\\b(firth_[a-z0-9_]+)\\([^;]*?FirthProgress[^;]*;");
  EXPECT_GT(stoppable.size(), 20u);
  for (const Call& call : CallsThatFail()) {
    if (!stoppable.contains(call.name)) continue;
    Outputs out = {};
    Arguments arguments = right_;
    arguments.out = &out;
    call.prepare(&arguments);
    arguments.progress = StopAtOnce;
    FirthStatus* const status = call.call(arguments);
    // What a training has learned until then is its result; a classifier's has
    // learned nothing before it has read the texts.
    const bool trains =
        call.name.ends_with("train") && call.name != "firth_classifier_train";
    EXPECT_EQ(FailureOf(status).code, trains ? FIRTH_OK : FIRTH_CANCELLED)
        << call.name;
    FreeMade(out, Outputs());
  }
}

TEST_F(EveryCallTest, NoSentencesAreAnError) {
  Outputs out = {};
  bool given = false;
  const CFailure failure = FailureOf(firth_corpus_read_sentences(
      NoSentences, nullptr, 0, nullptr, nullptr, &given, &out.corpus));
  EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
}

TEST_F(EveryCallTest, TheListHasAllCallsOfTheHeader) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::set<std::string> names =
      CallsOfHeader(source, "FIRTH_API[^;]*?\\b(firth_[a-z0-9_]+)\\(");
  std::set<std::string> listed = CallsThatDoNotFail();
  for (const Call& call : CallsThatFail()) listed.insert(call.name);
  EXPECT_EQ(names, listed);
}

}  // namespace
}  // namespace firth
