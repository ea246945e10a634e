// Recurrent cells as data that Recurrent reads.
//
// A cell computes a new state and an output from the pre-activations of its
// gates and the previous state. Each unit has `planes` numbers, the gates. A
// row of the gate matrix is plane 0 of all units, then plane 1, ... A step is
//
//   gates = x W [input planes] + out' R [recurrent planes] + bias
//   gates += state' M                for a cell with matrices on its state
//   Start(): a first part that computes `middle`; gates += middle M
//   Finish(): activations, state, output
//
// where ' marks the previous step. Most cells have only Finish(). The
// arithmetic is in cells-inl.h: a shape and a few formulas for one unit, which
// are compiled for vectors of floats and for doubles (simd/lanes-inl.h). To add
// a cell, write its struct there, and add its name to CellKind and kCellNames
// (both in firth/network_kinds.h).

#ifndef FIRTH_NN_CELLS_H_
#define FIRTH_NN_CELLS_H_

#include <cstddef>
#include <cstdint>

#include "firth/network_kinds.h"

namespace firth::nn {

struct PlaneRange {
  size_t begin;
  size_t end;
  constexpr size_t size() const { return end - begin; }
};

// Weights from the state, rather than from the input or the output, to one
// plane: one number per unit, or a matrix [units, units].
struct StateWeights {
  enum class From { kPrevious, kNew, kMiddle };
  const char* name;
  size_t plane;
  From from;
};

constexpr size_t kMostPlanes = 4;
constexpr size_t kMostStateWeights = 3;
constexpr size_t kNoPlane = kMostPlanes;

struct CellShape {
  size_t planes;
  PlaneRange input;
  PlaneRange recurrent;
  size_t forget_plane = kNoPlane;  // the forget bias is added to it
  bool has_middle = false;         // whether it has Start()
  bool diagonal = false;  // state weights are numbers and used inside the cell
  size_t num_state_weights = 0;
  StateWeights state_weights[kMostStateWeights] = {};
};

const CellShape& ShapeOf(CellKind kind);

// One step of a batch. Rows have `units` numbers without gaps, or planes *
// units for gates. Pointers that a cell does not use are null.
template <class T>
struct CellStep {
  size_t rows = 0;
  size_t units = 0;
  T* gates = nullptr;       // forward: replaced by activations; backward:
                            // activations are replaced by gradients
  const T* bias = nullptr;  // [planes * units]
  const T* previous = nullptr;
  T* state = nullptr;
  T* output = nullptr;
  T* middle = nullptr;
  const T* state_weights[kMostStateWeights] = {};  // diagonal ones
  T clip = 0;                       // of the state; infinity means none
  const uint8_t* active = nullptr;  // [rows] 0 holds the state; null runs all
  const T* d_output = nullptr;
  T* d_state = nullptr;  // in: of the new state; out: of the previous one
  T* d_middle = nullptr;
};

// The phases of a step. A cell without a middle has only the first and the
// third. A row that is not active keeps its state, has output 0 and passes on
// its d_state; the gradients of its gates are 0.
enum class CellPhase { kFinish, kStart, kFinishBackward, kStartBackward };
void RunCell(CellKind kind, CellPhase phase, const CellStep<float>& step);
void RunCell(CellKind kind, CellPhase phase, const CellStep<double>& step);

}  // namespace firth::nn

#endif  // FIRTH_NN_CELLS_H_
