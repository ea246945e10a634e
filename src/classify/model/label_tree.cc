#include "classify/model/label_tree.h"

#include <algorithm>

namespace firth {
namespace {

// The inner one of two equally probable nodes is taken first. A leaf below it
// may be as probable, and must then come before the other leaf if its index is
// lower.
bool ComesLater(const LabelTree::Waiting& a, const LabelTree::Waiting& b,
                size_t labels) {
  if (a.probability != b.probability) return a.probability < b.probability;
  const bool a_is_leaf = a.node < labels;
  const bool b_is_leaf = b.node < labels;
  return a_is_leaf != b_is_leaf ? a_is_leaf : a.node > b.node;
}

float Turned(float probability, float turn, size_t branch) {
  return probability * (branch == 1 ? turn : 1 - turn);
}

}  // namespace

LabelTree::LabelTree(absl::Span<const uint64_t> counts)
    : tree_(counts, HuffmanTies::kInnerFirst), children_(tree_.num_nodes()) {
  const auto labels = static_cast<uint32_t>(counts.size());
  for (uint32_t label = 0; label < labels; ++label) {
    const absl::Span<const HuffmanTree::Step> path = Path(label);
    for (size_t i = 0; i < path.size(); ++i) {
      const bool is_last = i + 1 == path.size();
      children_[path[i].node][path[i].branch] =
          is_last ? label : labels + path[i + 1].node;
    }
  }
}

float LabelTree::Probability(size_t label,
                             absl::Span<const float> turns) const {
  float probability = 1;
  for (const HuffmanTree::Step step : Path(label)) {
    probability = Turned(probability, turns[step.node], step.branch);
  }
  return probability;
}

void LabelTree::FindMostProbable(absl::FunctionRef<float(uint32_t node)> turn,
                                 size_t most, double least,
                                 std::vector<Waiting>* room,
                                 std::vector<LabelProbability>* found) const {
  const auto labels = static_cast<uint32_t>(num_nodes() + 1);
  const auto comes_later = [labels](const Waiting& a, const Waiting& b) {
    return ComesLater(a, b, labels);
  };
  const uint32_t root = Path(0).front().node;
  found->clear();
  room->assign(1, {1, labels + root});
  while (!room->empty() && found->size() < most) {
    std::pop_heap(room->begin(), room->end(), comes_later);
    const auto [probability, node] = room->back();
    room->pop_back();
    if (node < labels) {
      found->push_back({node, probability});
      continue;
    }
    const float p = turn(node - labels);
    for (const size_t branch : {0, 1}) {
      const Waiting child = {Turned(probability, p, branch),
                             children_[node - labels][branch]};
      if (static_cast<double>(child.probability) < least) continue;
      room->push_back(child);
      std::push_heap(room->begin(), room->end(), comes_later);
    }
  }
}

}  // namespace firth
