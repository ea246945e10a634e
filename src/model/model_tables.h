// ModelTables: all that training moves, apart from the model.

#ifndef FIRTH_MODEL_MODEL_TABLES_H_
#define FIRTH_MODEL_MODEL_TABLES_H_

#include <array>
#include <cstddef>

#include "base/matrix.h"
#include "model/embedding_model.h"

namespace firth {

// The tables of a model, in this order; those that it does not have are empty.
constexpr size_t kNumTables = 4;
constexpr std::array<const char*, kNumTables> kTableNames = {
    "input", "output", "output_bias", "position_weights"};

using ModelTables = std::array<PaddedMatrix, kNumTables>;

// While no worker runs.
std::array<const PaddedMatrix*, kNumTables> TablesOf(
    const EmbeddingModel& model);
std::array<PaddedMatrix*, kNumTables> TablesOf(EmbeddingModel* model);
ModelTables CopyTables(const EmbeddingModel& model);
// Into what may be a copy already, whose memory then serves again.
void CopyTables(const EmbeddingModel& model, ModelTables* copies);
// Of a model of the same shape.
void SetTables(const ModelTables& tables, EmbeddingModel* model);

}  // namespace firth

#endif  // FIRTH_MODEL_MODEL_TABLES_H_
