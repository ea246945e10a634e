// Analogies are processed in groups with at most kMaxGroupWords different words
// among their a, b and c. Threads divide the vocabulary into tiles. The cosines
// of the group's words with a tile are one matrix product. The best word of the
// tile for each analogy is then found by adding (3CosAdd) or dividing (3CosMul)
// three rows of cosines.

#include "query/analogy_batch.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "query/neighbor_batch.h"
#include "query/unit_rows.h"
#include "simd/gemm.h"
#include "simd/query_batch.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// A tile of cosines, [kMaxGroupWords, kTileWords] floats, is private to a
// thread and should stay in an L2 cache.
constexpr size_t kMaxGroupWords = 1024;
constexpr size_t kTileWords = 256;

// The best answer to one analogy so far. Initially worse than any.
struct Answer {
  float score = -std::numeric_limits<float>::infinity();
  size_t word = std::numeric_limits<size_t>::max();

  // Compares by score, then by id, so that merging the answers of threads does
  // not depend on their order.
  void Merge(const Answer& other) {
    if (other.score > score || (other.score == score && other.word < word)) {
      *this = other;
    }
  }
};

// A run of analogies with at most kMaxGroupWords different words.
struct Group {
  absl::Span<const Analogy> analogies;
  // Rows of each analogy's a, b and c in unit_rows.
  std::vector<std::array<size_t, 3>> rows;
  PaddedMatrix unit_rows;  // [different words, dim]
};

// Moves as many analogies as fit from the front of *rest to a new group.
Group NextGroup(const WordVectors& vectors, const TestWords& words,
                absl::Span<const Analogy>* rest) {
  absl::flat_hash_map<WordId, size_t> rows;
  Group group;
  for (const Analogy& analogy : *rest) {
    if (rows.size() + 3 > kMaxGroupWords) break;
    std::array<size_t, 3> places;
    size_t place = 0;
    for (const WordId word : {analogy.a, analogy.b, analogy.c}) {
      places[place++] = rows.emplace(word, rows.size()).first->second;
    }
    group.rows.push_back(places);
  }
  group.analogies = rest->subspan(0, group.rows.size());
  rest->remove_prefix(group.rows.size());
  group.unit_rows = PaddedMatrix(rows.size(), vectors.dim());
  for (const auto& [word, row] : rows) {
    const std::vector<float> unit =
        UnitQueryVector(vectors.rows(), words.Vector(word));
    std::copy(unit.begin(), unit.end(), group.unit_rows.Row(row));
  }
  return group;
}

class GroupSolver {
 public:
  GroupSolver(const WordVectors& vectors, absl::Span<const float> inverse_norms,
              AnalogyMethod method, const Group& group)
      : vectors_(vectors),
        inverse_norms_(inverse_norms),
        method_(method),
        group_(group) {}

  // Returns the answers to the group's analogies, using all cores.
  std::vector<Answer> Solve(const Hooks& hooks) const;

 private:
  // Buffers of one thread.
  struct TileScan {
    explicit TileScan(const GroupSolver& solver)
        : answers(solver.group_.analogies.size()),
          cosines(solver.group_.unit_rows.rows(), kTileWords),
          block(solver.vectors_.rows(), kTileWords) {}
    std::vector<Answer> answers;
    PaddedMatrix cosines;
    RowBlock block;
  };

  // Computes the cosines of the group's words with those of a tile, shifted for
  // 3CosMul: cosines [group words, kTileWords].
  void FillTile(size_t begin, size_t count, RowBlock* block,
                float* cosines) const;
  // Searches a tile for better answers.
  void SolveTile(size_t begin, size_t count, const float* cosines,
                 std::vector<Answer>* answers) const;
  // Searches the words [from, to) of the tile for a better answer.
  void Improve(const float* a, const float* b, const float* c, size_t begin,
               size_t from, size_t to, Answer* answer) const;

  const WordVectors& vectors_;
  absl::Span<const float> inverse_norms_;
  AnalogyMethod method_;
  const Group& group_;
};

void GroupSolver::FillTile(size_t begin, size_t count, RowBlock* block,
                           float* cosines) const {
  const PaddedMatrix& units = group_.unit_rows;
  Gemm(Transpose::kNo, Transpose::kYes, units.rows(), count, units.cols(), 1,
       units.data(), units.stride(), block->Read(begin, count), block->stride(),
       0, cosines, kTileWords);
  for (size_t row = 0; row < units.rows(); ++row) {
    float* row_cosines = cosines + row * kTileWords;
    ScaleToCosines(inverse_norms_.data() + begin, count, row_cosines);
    if (method_ == AnalogyMethod::kMul) ShiftCosines(count, row_cosines);
  }
}

void GroupSolver::Improve(const float* a, const float* b, const float* c,
                          size_t begin, size_t from, size_t to,
                          Answer* answer) const {
  const auto find_better =
      method_ == AnalogyMethod::kAdd ? FindBetterSum : FindBetterQuotient;
  size_t pos;
  if (find_better(a + from, b + from, c + from, to - from, &answer->score,
                  &pos)) {
    answer->word = begin + from + pos;
  }
}

void GroupSolver::SolveTile(size_t begin, size_t count, const float* cosines,
                            std::vector<Answer>* answers) const {
  for (size_t i = 0; i < group_.analogies.size(); ++i) {
    const Analogy& analogy = group_.analogies[i];
    const float* a = cosines + group_.rows[i][0] * kTileWords;
    const float* b = cosines + group_.rows[i][1] * kTileWords;
    const float* c = cosines + group_.rows[i][2] * kTileWords;
    std::array<size_t, 3> excluded = {Index(analogy.a), Index(analogy.b),
                                      Index(analogy.c)};
    std::sort(excluded.begin(), excluded.end());
    size_t from = 0;  // start of the words between two excluded ones
    for (const size_t word : excluded) {
      if (word < begin + from || word >= begin + count) continue;
      Improve(a, b, c, begin, from, word - begin, &(*answers)[i]);
      from = word - begin + 1;
    }
    Improve(a, b, c, begin, from, count, &(*answers)[i]);
  }
}

std::vector<Answer> GroupSolver::Solve(const Hooks& hooks) const {
  const size_t num_words = inverse_norms_.size();
  std::vector<Answer> answers(group_.analogies.size());
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<TileScan> own;
    exceptions.Catch([&] { own.emplace(*this); });
    // With a monotonic schedule, each thread sees its tiles in ascending order,
    // so it keeps the smallest id among equal scores.
#pragma omp for schedule(monotonic : dynamic) nowait
    for (size_t begin = 0; begin < num_words; begin += kTileWords) {
      if (!own.has_value() || hooks.StopRequested()) continue;
      const size_t count = std::min(kTileWords, num_words - begin);
      exceptions.Catch([&] {
        FillTile(begin, count, &own->block, own->cosines.data());
        SolveTile(begin, count, own->cosines.data(), &own->answers);
      });
    }
#pragma omp critical(firth_solve_analogies)
    for (size_t i = 0; own.has_value() && i < answers.size(); ++i) {
      answers[i].Merge(own->answers[i]);
    }
  }
  exceptions.Rethrow();
  return answers;
}

}  // namespace

std::vector<std::optional<WordId>> SolveAnalogies(
    const WordVectors& vectors, const TestWords& words,
    absl::Span<const Analogy> analogies, size_t restrict, AnalogyMethod method,
    const Hooks& hooks) {
  const size_t num_words =
      restrict == 0 ? vectors.size() : std::min(restrict, vectors.size());
  const absl::Span<const float> inverse_norms =
      vectors.inverse_norms().subspan(0, num_words);
  std::vector<std::optional<WordId>> solutions;
  const size_t total = analogies.size();
  solutions.reserve(total);
  while (!analogies.empty() && !hooks.StopRequested()) {
    hooks.ReportWork(total - analogies.size(), total);
    const Group group = NextGroup(vectors, words, &analogies);
    const GroupSolver solver(vectors, inverse_norms, method, group);
    for (const Answer& answer : solver.Solve(hooks)) {
      const bool found = answer.word < num_words;
      solutions.push_back(found ? std::optional(ToWordId(answer.word))
                                : std::nullopt);
    }
  }
  return solutions;
}

}  // namespace firth
