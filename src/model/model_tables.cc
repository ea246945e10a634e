#include "model/model_tables.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace firth {
namespace {

void CopyRows(const PaddedMatrix& from, PaddedMatrix* to) {
  FIRTH_CHECK(from.rows() == to->rows() && from.cols() == to->cols());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < from.rows(); ++row) {
    std::memcpy(to->Row(row), from.Row(row), from.stride() * sizeof(float));
  }
}

}  // namespace

std::array<const PaddedMatrix*, kNumTables> TablesOf(
    const EmbeddingModel& model) {
  return {&model.input().Quiet(), &model.output().Quiet(),
          &model.output_bias().Quiet(), &model.position_weights().Quiet()};
}

std::array<PaddedMatrix*, kNumTables> TablesOf(EmbeddingModel* model) {
  return {&model->input().Quiet(), &model->output().Quiet(),
          &model->output_bias().Quiet(), &model->position_weights().Quiet()};
}

ModelTables CopyTables(const EmbeddingModel& model) {
  ModelTables copies;
  CopyTables(model, &copies);
  return copies;
}

void CopyTables(const EmbeddingModel& model, ModelTables* copies) {
  const auto tables = TablesOf(model);
  for (size_t i = 0; i < kNumTables; ++i) {
    PaddedMatrix& copy = (*copies)[i];
    if (copy.rows() != tables[i]->rows() || copy.cols() != tables[i]->cols()) {
      copy = PaddedMatrix(tables[i]->rows(), tables[i]->cols());
    }
    CopyRows(*tables[i], &copy);
  }
}

void SetTables(const ModelTables& tables, EmbeddingModel* model) {
  const auto to = TablesOf(model);
  for (size_t i = 0; i < kNumTables; ++i) CopyRows(tables[i], to[i]);
}

}  // namespace firth
