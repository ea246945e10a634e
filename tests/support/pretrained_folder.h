// The smallest folders of others' models: a BERT and a GPT-2 of one layer.

#ifndef FIRTH_TESTS_SUPPORT_PRETRAINED_FOLDER_H_
#define FIRTH_TESTS_SUPPORT_PRETRAINED_FOLDER_H_

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

struct Tensor {
  std::vector<uint64_t> shape;
  std::vector<float> values;
};
using Tensors = std::map<std::string, Tensor>;

// Of any values.
inline void AddTensor(const std::string& name, std::vector<uint64_t> shape,
                      Tensors* tensors) {
  uint64_t size = 1;
  for (const uint64_t n : shape) size *= n;
  Tensor& tensor = (*tensors)[name];
  tensor.shape = std::move(shape);
  for (uint64_t i = 0; i < size; ++i) {
    tensor.values.push_back(
        std::sin(static_cast<float>(i + 7 * tensors->size())));
  }
}

// One layer of 2 values and 6 pieces.
constexpr char kBertConfig[] = R"({"model_type": "bert", "hidden_size": 2,
"num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 3,
"vocab_size": 6, "max_position_embeddings": 8, "type_vocab_size": 2,
"hidden_act": "gelu"})";
constexpr char kBertPieces[] = "[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";

inline Tensors BertTensors() {
  Tensors tensors;
  const auto add = [&](const std::string& name, std::vector<uint64_t> shape) {
    AddTensor(name, std::move(shape), &tensors);
  };
  add("bert.embeddings.word_embeddings.weight", {6, 2});
  add("bert.embeddings.position_embeddings.weight", {8, 2});
  add("bert.embeddings.token_type_embeddings.weight", {2, 2});
  const std::string layer = "bert.encoder.layer.0.";
  for (const char* const part : {"query", "key", "value"}) {
    add(layer + "attention.self." + part + ".weight", {2, 2});
    add(layer + "attention.self." + part + ".bias", {2});
  }
  add(layer + "attention.output.dense.weight", {2, 2});
  add(layer + "attention.output.dense.bias", {2});
  add(layer + "intermediate.dense.weight", {3, 2});
  add(layer + "intermediate.dense.bias", {3});
  add(layer + "output.dense.weight", {2, 3});
  add(layer + "output.dense.bias", {2});
  add("cls.predictions.bias", {6});
  add("cls.predictions.transform.dense.weight", {2, 2});
  add("cls.predictions.transform.dense.bias", {2});
  for (const std::string& norm :
       {std::string("bert.embeddings.LayerNorm"),
        layer + "attention.output.LayerNorm", layer + "output.LayerNorm",
        std::string("cls.predictions.transform.LayerNorm")}) {
    add(norm + ".weight", {2});
    add(norm + ".bias", {2});
  }
  return tensors;
}

// One layer of 1 value; two words and all that they need.
constexpr char kGpt2Config[] = R"({"model_type": "gpt2", "n_embd": 1,
"n_layer": 1, "n_head": 1, "n_inner": 1, "vocab_size": 4, "n_positions": 8})";
constexpr char kGpt2Pieces[] =
    R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3})";
constexpr char kGpt2Merges[] = "#version: 0.2\na b\n";

inline Tensors Gpt2Tensors() {
  Tensors tensors;
  const auto add = [&](const std::string& name, std::vector<uint64_t> shape) {
    AddTensor(name, std::move(shape), &tensors);
  };
  add("wte.weight", {4, 1});
  add("wpe.weight", {8, 1});
  add("h.0.attn.c_attn.weight", {1, 3});
  add("h.0.attn.c_attn.bias", {3});
  for (const char* const part : {"attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
    add(std::string("h.0.") + part + ".weight", {1, 1});
    add(std::string("h.0.") + part + ".bias", {1});
  }
  for (const char* const norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) {
    add(std::string(norm) + ".weight", {1});
    add(std::string(norm) + ".bias", {1});
  }
  return tensors;
}

inline absl::Status WriteTensors(const Tensors& tensors,
                                 const std::string& path) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<float>& values = tensor.values;
    writer.Add(name, "F32", tensor.shape, [&values](OutputFile& out) {
      return out.Write(BytesOf(absl::MakeConstSpan(values)));
    });
  }
  return std::move(writer).Write(path);
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_PRETRAINED_FOLDER_H_
