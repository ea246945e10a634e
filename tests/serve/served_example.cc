#include "serve/served_example.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "base/check.h"
#include "firth/classifier.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/seq2seq.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "support/tiny_vectors.h"
#include "tools/ask/open_models.h"

namespace firth {
namespace {

constexpr char kOld[] =
    "5 2\nking 1 0\nqueen 0.8 0.6\nman 0 1\nwoman -0.6 0.8\nriver -1 0\n";
constexpr char kNew[] = "4 2\nking 0 1\nqueen 0.6 0.8\nman 1 0\ncastle 0.1 1\n";
constexpr char kMap[] = "3 2\nking 0.5 -0.5\nqueen 0.25 0\nman -2 3\n";
constexpr char kSentences[] =
    "the king spoke\na queen spoke\nthe river ran\na king of spades\n";

void TrainLanguageModelFile(const std::string& path) {
  CorpusOptions reading;
  reading.text = kSentences;
  reading.threads = 1;
  const absl::StatusOr<Corpus> text = ReadCorpus(reading, {.min_count = 1});
  FIRTH_CHECK(text.ok());
  LanguageModelTraining training;
  training.vocabulary.min_count = 1;
  training.head = HeadKind::kSoftmax;
  training.dim = training.units = 2;
  training.projection = 0;
  training.layers = 1;
  training.epochs = 1;
  training.batch = 1;
  training.threads = 1;
  auto trained = TrainLanguageModel(*text, training);
  FIRTH_CHECK(trained.ok());
  FIRTH_CHECK(trained->model.Save(path).ok());
}

void TrainTaggerFile(const TempFolder& folder) {
  std::vector<TaggedSentence> train(2);
  train[0].tokens = {"the", "king"};
  train[0].tags = {"D", "N"};
  train[1].tokens = {"spoke"};
  train[1].tags = {"V"};
  TaggerOptions options;
  options.lstm_layers = 0;
  options.epochs = 1;
  options.threads = 1;
  TaggerReport report;
  const TaggerInputs inputs{"", folder.File("lm.safetensors")};
  absl::StatusOr<Tagger> tagger =
      Tagger::Train(train, {}, inputs, options, {}, &report);
  FIRTH_CHECK(tagger.ok());
  FIRTH_CHECK(tagger->Save(folder.File("unpacked.safetensors")).ok());
  FIRTH_CHECK(PackTagger(folder.File("unpacked.safetensors"), inputs,
                         folder.File("tagger.safetensors"))
                  .ok());
}

void TrainClassifierFile(const std::string& path) {
  std::vector<LabelledText> train;
  for (const char* text : {"the king spoke", "a queen spoke", "the king"}) {
    train.push_back({{"court"}, text});
  }
  for (const char* text : {"the river ran", "a river", "rivers ran dry"}) {
    train.push_back({{"land"}, text});
  }
  ClassifierOptions options;
  options.held_out = 0;
  options.threads = 1;
  ClassifierReport report;
  const absl::StatusOr<Classifier> classifier =
      Classifier::Train(train, {}, {}, options, {}, &report);
  FIRTH_CHECK(classifier.ok());
  FIRTH_CHECK(classifier->Save(path).ok());
}

void TrainSeq2SeqFile(const std::string& path) {
  const std::vector<TextPair> train = {
      {{"the", "king", "spoke"}, {"spoke", "king", "the"}},
      {{"a", "queen"}, {"queen", "a"}}};
  Seq2SeqOptions options;
  options.shape.units = 2;
  options.epochs = 1;
  options.threads = 1;
  Seq2SeqReport report;
  const absl::StatusOr<Seq2Seq> model =
      Seq2Seq::Train(train, {}, options, {}, &report);
  FIRTH_CHECK(model.ok());
  FIRTH_CHECK(model->Save(path).ok());
}

}  // namespace

const TempFolder& ServedFolder() {
  static const TempFolder& folder = *[] {
    static TempFolder made;
    made.Write("old.vec", kOld);
    made.Write("new.vec", kNew);
    made.Write("map.vec", kMap);
    made.Write("text.txt", kSentences);
    made.Write("run.jsonl", "{\"t\":1}\n{\"done\":true}\n");
    made.Write("analogies.txt",
               ": family\nman king woman queen\nman king woman river\n"
               "man king woman emperor\n");
    made.Write("pairs.txt", "king queen 9\nking man 3\nking river 1\n");
    TrainLanguageModelFile(made.File("lm.safetensors"));
    TrainTaggerFile(made);
    TrainClassifierFile(made.File("classifier.safetensors"));
    TrainSeq2SeqFile(made.File("seq2seq.safetensors"));
    return &made;
  }();
  return folder;
}

void AddModel(const std::string& path, OpenedModels* models) {
  const std::string name = std::filesystem::path(path).stem();
  absl::StatusOr<OpenedModel> model =
      tools::OpenModel(name, path, nullptr, {.search = Int8Search()});
  FIRTH_CHECK(model.ok());
  FIRTH_CHECK(models->Add(*std::move(model)).ok());
}

tools::ServedFiles OpenServedExample() {
  const TempFolder& folder = ServedFolder();
  tools::ServedFiles files;
  for (const char* name :
       {"old.vec", "new.vec", "lm.safetensors", "tagger.safetensors",
        "classifier.safetensors", "seq2seq.safetensors"}) {
    AddModel(folder.File(name), &files.models);
  }
  const auto map = LoadMap(folder.File("map.vec"));
  FIRTH_CHECK(map.ok());
  const auto old = files.models.Find(ModelKind::kVectors, "old");
  FIRTH_CHECK(old.ok());
  const auto served =
      *tools::ServedMap::Create(*map, std::get<0>((*old)->content));
  FIRTH_CHECK(served
                  ->AddColumns({{"kind", {"person", "river"}, {0, 0, 1}},
                                {"year", {}, {1900, 2000, 1950}}})
                  .ok());
  files.maps["old"] = served;
  files.files["analogies"] = {folder.File("analogies.txt")};
  files.files["similarity"] = {folder.File("pairs.txt")};
  files.files["reference"] = {folder.File("text.txt")};
  files.log = folder.File("run.jsonl");
  return files;
}

tools::Request GetRequest(const std::string& target) {
  tools::Request request;
  request.method = "GET";
  request.target = target;
  request.host = "localhost:8080";
  return request;
}

tools::Request PostRequest(const std::string& target, const std::string& body) {
  tools::Request request = GetRequest(target);
  request.method = "POST";
  request.content_type = "application/json";
  request.body = body;
  return request;
}

tools::Json ExampleBody(const Question& question) {
  tools::Json body = tools::Json::object();
  const std::vector<std::string> names = {"old", "new"};
  for (size_t i = 0; i < question.slots.size(); ++i) {
    const Slot& slot = question.slots[i];
    if (slot.required && slot.kind == ModelKind::kVectors) {
      body[slot.name] = names[i];
    }
  }
  body["requests"] = tools::Json::array({tools::Json::parse(question.example)});
  return body;
}

tools::Response ResponseOf(const tools::Service& service,
                           tools::Request request) {
  std::variant<tools::Job, tools::Response> admitted =
      service.Admit(std::move(request));
  if (auto* const response = std::get_if<tools::Response>(&admitted)) {
    return std::move(*response);
  }
  return service.Work(std::get<tools::Job>(admitted));
}

tools::Json BodyOf(const tools::Response& response) {
  return tools::Json::parse(*response.body, nullptr, false);
}

}  // namespace firth
