// Recurrent cells, as data: what Recurrent needs to know of one.
//
// A cell turns the pre-activations of its gates and the state of the step
// before into a new state and an output. Each unit has `planes` numbers, the
// gates; a row of the gate matrix is plane 0 of all units, then plane 1, ... A
// step is
//
//   gates = x W [input planes] + out' R [recurrent planes] + bias
//   gates += state' M                for a cell with matrices on its state
//   Start(): a first part that leaves `middle`; gates += middle M
//   Finish(): activations, state, output
//
// where ' marks the step before. Most cells have Finish() alone. The arithmetic
// is in <name>_cell-inl.h: a shape and a few lines of formula that work on one
// unit, for vectors of floats and for doubles (simd/lanes-inl.h). To add a
// cell, write that file, and name it in CellKind, in kCellNames (both in
// firth/network_kinds.h) and in cells-inl.h.

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

// Weights that lead into one plane from the state, not from the input or the
// output: a number a unit, or a matrix [units, units].
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
  size_t forget_plane = kNoPlane;  // takes the forget bias
  bool has_middle = false;         // has Start()
  bool diagonal = false;  // its state weights are numbers, used inside it
  size_t num_state_weights = 0;
  StateWeights state_weights[kMostStateWeights] = {};
};

const CellShape& ShapeOf(CellKind kind);

// One step of a batch: rows of `units` numbers without gaps, gates of
// planes * units. Null where a cell has no use for it.
template <class T>
struct CellStep {
  size_t rows = 0;
  size_t units = 0;
  T* gates = nullptr;       // forward: activations replace what is there;
                            // backward: gradients replace activations
  const T* bias = nullptr;  // [planes * units]
  const T* previous = nullptr;
  T* state = nullptr;
  T* output = nullptr;
  T* middle = nullptr;
  const T* state_weights[kMostStateWeights] = {};  // diagonal ones
  T clip = 0;                       // of the state; infinity: none
  const uint8_t* active = nullptr;  // [rows] 0: hold the state; null: all go on
  const T* d_output = nullptr;
  T* d_state = nullptr;  // in: of the new state; out: of the previous one
  T* d_middle = nullptr;
};

// The phases of a step. A cell without a middle has the first and the third.
// A row that is not active keeps its state, has an output of 0 and hands on its
// d_state; the gradients of its gates are 0.
enum class CellPhase { kFinish, kStart, kFinishBackward, kStartBackward };
void RunCell(CellKind kind, CellPhase phase, const CellStep<float>& step);
void RunCell(CellKind kind, CellPhase phase, const CellStep<double>& step);

}  // namespace firth::nn

#endif  // FIRTH_NN_CELLS_H_
