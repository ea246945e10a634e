// The hnswlib class is filled and read through its public members, because its
// own reader and writer use only its own files, which contain the vectors, and
// trust what they read. No exception of hnswlib leaves this file.
//
// Links() consists of 32-bit numbers: the entry node and the top level; then
// for each node, in order of insertion, its row, its level and 1 + 2 * links
// numbers, which are the number of its links on level 0 and the linked nodes;
// then for each node and each level above 0, 1 + links numbers of the same
// form.

#include "query/hnsw_graph.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "query/neighbor_batch.h"
#include "simd/stored_rows.h"

// hnswlib's vectorized distances are not used. They would define functions with
// names such as cpuid() in every program.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

namespace firth {
namespace {

using Graph = hnswlib::HierarchicalNSW<float>;
using Node = hnswlib::tableint;

constexpr size_t kReportRows = 1024;
constexpr int kMostLevels = 64;  // a level has 1 / links of the nodes below

// A node's vector consists of its scale, its squared norm, and then its codes.
struct NodeHead {
  float scale;
  float squared_norm;
};
constexpr size_t kCodesAt = sizeof(NodeHead);

NodeHead Head(const void* vector) {
  NodeHead head;
  std::memcpy(&head, vector, sizeof(head));
  return head;
}

const int8_t* Codes(const void* vector) {
  return static_cast<const int8_t*>(vector) + kCodesAt;
}

// Computes |a - b|^2.
float Distance(const void* a, const void* b, const void* size) {
  const int32_t product =
      DotInt8(Codes(a), Codes(b), *static_cast<const size_t*>(size));
  const NodeHead head_a = Head(a), head_b = Head(b);
  return (head_a.squared_norm + head_b.squared_norm) -
         2 * static_cast<float>(product) * (head_a.scale * head_b.scale);
}

class CodeSpace : public hnswlib::SpaceInterface<float> {
 public:
  explicit CodeSpace(size_t size) : size_(size) {}

  size_t get_data_size() override { return kCodesAt + size_; }
  hnswlib::DISTFUNC<float> get_dist_func() override { return &Distance; }
  void* get_dist_func_param() override { return &size_; }

 private:
  size_t size_;
};

void WriteVector(const NodeHead& head, const int8_t* codes, size_t size,
                 char* vector) {
  std::memcpy(vector, &head, sizeof(head));
  std::memcpy(vector + kCodesAt, codes, size);
}

void WriteRow(const CenteredRows& rows, size_t row, char* vector) {
  WriteVector({rows.scale(row), rows.squared_norm(row)}, rows.Codes(row),
              rows.stride(), vector);
}

absl::Status FromException(const std::exception& exception) {
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot build the graph: ", exception.what()));
}

void Append(absl::Span<const uint32_t> numbers, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(numbers.data()),
                numbers.size() * sizeof(uint32_t));
}

// Reads 32-bit numbers from a string of bytes.
class NumberReader {
 public:
  explicit NumberReader(absl::string_view bytes) : bytes_(bytes) {}

  bool Read(size_t count, void* numbers) {
    const size_t size = count * sizeof(uint32_t);
    if (bytes_.size() < size) return false;
    std::memcpy(numbers, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return true;
  }
  bool done() const { return bytes_.empty(); }

 private:
  absl::string_view bytes_;
};

absl::Status TooShort() {
  return absl::DataLossError("expected more links, found the end of the file");
}

absl::Status BadNumber(absl::string_view what, uint64_t limit, uint64_t found) {
  return absl::DataLossError(
      absl::StrCat("expected ", what, " below ", limit, ", found ", found));
}

// Reads a list of links: their number, then the nodes.
absl::Status ReadList(size_t most_links, size_t num_nodes, NumberReader& reader,
                      hnswlib::linklistsizeint* list) {
  if (!reader.Read(1 + most_links, list)) return TooShort();
  if (list[0] > most_links) {
    return BadNumber("a number of links", most_links + 1, list[0]);
  }
  for (size_t i = 1; i <= list[0]; ++i) {
    if (list[i] >= num_nodes) return BadNumber("a node", num_nodes, list[i]);
  }
  return absl::OkStatus();
}

constexpr size_t kSample = 200;
constexpr size_t kTop = 10;

// Returns words spread evenly over the vocabulary. Each query excludes its own
// word.
std::vector<UnitQuery> SampleQueries(const WordVectors& vectors) {
  const size_t count = std::min(kSample, vectors.size());
  std::vector<UnitQuery> queries;
  for (size_t i = 0; i < count; ++i) {
    const WordId word = ToWordId(i * vectors.size() / count);
    if (vectors.inverse_norms()[Index(word)] == 0) continue;
    queries.push_back(
        {UnitQueryVector(vectors.rows(), vectors.CopyVector(word)), {word}});
  }
  return queries;
}

double RecallOf(const std::vector<Neighbor>& exact,
                const std::vector<Neighbor>& found) {
  if (exact.empty()) return 1;
  const float last = exact.back().score;
  const auto as_near = std::count_if(
      found.begin(), found.end(),
      [last](const Neighbor& neighbor) { return neighbor.score >= last; });
  return static_cast<double>(as_near) / static_cast<double>(exact.size());
}

}  // namespace

struct HnswGraph::Body {
  Body(const CenteredRows& rows, const HnswOptions& options)
      : mean(rows.mean()),
        space(rows.stride()),
        graph(&space, std::max<size_t>(rows.size(), 1),
              static_cast<size_t>(options.links),
              static_cast<size_t>(options.build_breadth), options.seed) {}

  void AddRows(const CenteredRows& rows, const Hooks& hooks, int threads);
  absl::Status ReadNodes(const CenteredRows& rows, NumberReader& reader);
  absl::Status ReadUpperLinks(NumberReader& reader);

  std::vector<float> mean;
  CodeSpace space;
  Graph graph;
};

HnswGraph::HnswGraph(std::unique_ptr<Body> body) : body_(std::move(body)) {}
HnswGraph::~HnswGraph() = default;
HnswGraph::HnswGraph(HnswGraph&&) noexcept = default;
HnswGraph& HnswGraph::operator=(HnswGraph&&) noexcept = default;

// The schedule is dynamic because finding the neighbors of rare words takes
// longer. hnswlib reads its entry node without a lock, which ThreadSanitizer
// would report, so that build uses one thread.
void HnswGraph::Body::AddRows(const CenteredRows& rows, const Hooks& hooks,
                              [[maybe_unused]] int threads) {
  ParallelExceptions exceptions;
  std::atomic<size_t> added = 0;
#if !defined(FIRTH_RACE_FREE)
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
#endif
  {
    std::vector<char> vector;
    exceptions.Catch([&] { vector.resize(space.get_data_size()); });
#if !defined(FIRTH_RACE_FREE)
#pragma omp for schedule(dynamic, 64)
#endif
    for (size_t row = 0; row < rows.size(); ++row) {
      if (vector.empty() || hooks.StopRequested()) continue;
      exceptions.Catch([&] {
        WriteRow(rows, row, vector.data());
        graph.addPoint(vector.data(), row);
        const size_t done = ++added;
        if (done % kReportRows == 0) {
#pragma omp critical(firth_build_hnsw)
          hooks.ReportWork(done, rows.size());
        }
      });
    }
  }
  exceptions.Rethrow();
}

absl::StatusOr<HnswGraph> HnswGraph::Build(const CenteredRows& rows,
                                           const HnswOptions& options,
                                           const Hooks& hooks, int threads) {
  try {
    auto body = std::make_unique<Body>(rows, options);
    body->AddRows(rows, hooks, threads);
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    return HnswGraph(std::move(body));
  } catch (const std::exception& exception) {
    return FromException(exception);
  }
}

std::string HnswGraph::Links() const {
  const Graph& graph = body_->graph;
  std::string links;
  const size_t num_nodes = graph.cur_element_count;
  Append({graph.enterpoint_node_, static_cast<uint32_t>(graph.maxlevel_)},
         &links);
  for (size_t i = 0; i < num_nodes; ++i) {
    const auto node = static_cast<Node>(i);
    Append({static_cast<uint32_t>(graph.getExternalLabel(node)),
            static_cast<uint32_t>(graph.element_levels_[i])},
           &links);
    Append({graph.get_linklist0(node), 1 + graph.maxM0_}, &links);
  }
  for (size_t i = 0; i < num_nodes; ++i) {
    for (int level = 1; level <= graph.element_levels_[i]; ++level) {
      Append({graph.get_linklist(static_cast<Node>(i), level), 1 + graph.maxM_},
             &links);
    }
  }
  return links;
}

absl::Status HnswGraph::Body::ReadNodes(const CenteredRows& rows,
                                        NumberReader& reader) {
  std::vector<bool> seen(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto node = static_cast<Node>(i);
    uint32_t row_and_level[2];
    if (!reader.Read(2, row_and_level)) return TooShort();
    const auto [row, level] = row_and_level;
    if (row >= rows.size() || seen[row]) {
      return BadNumber("another row", rows.size(), row);
    }
    if (level >= kMostLevels) return BadNumber("a level", kMostLevels, level);
    seen[row] = true;
    FIRTH_RETURN_IF_ERROR(
        ReadList(graph.maxM0_, rows.size(), reader, graph.get_linklist0(node)));
    graph.setExternalLabel(node, row);
    WriteRow(rows, row, graph.getDataByInternalId(node));
    graph.linkLists_[i] = nullptr;
    if (level > 0) {
      graph.linkLists_[i] =
          static_cast<char*>(std::calloc(level, graph.size_links_per_element_));
      if (graph.linkLists_[i] == nullptr) throw std::bad_alloc();
    }
    graph.element_levels_[i] = static_cast<int>(level);
    ++graph.cur_element_count;  // from now on, the destructor frees the node
  }
  return absl::OkStatus();
}

absl::Status HnswGraph::Body::ReadUpperLinks(NumberReader& reader) {
  const size_t num_nodes = graph.cur_element_count;
  for (size_t i = 0; i < num_nodes; ++i) {
    for (int level = 1; level <= graph.element_levels_[i]; ++level) {
      hnswlib::linklistsizeint* const list =
          graph.get_linklist(static_cast<Node>(i), level);
      FIRTH_RETURN_IF_ERROR(ReadList(graph.maxM_, num_nodes, reader, list));
      // A link must lead to a node that is also on this level.
      for (size_t link = 1; link <= list[0]; ++link) {
        const int found = graph.element_levels_[list[link]];
        if (found >= level) continue;
        return absl::DataLossError(
            absl::StrCat("expected a link to a node of level ", level,
                         " or more, found one of level ", found));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HnswGraph> HnswGraph::FromLinks(const CenteredRows& rows,
                                               const HnswOptions& options,
                                               absl::string_view links) {
  try {
    auto body = std::make_unique<Body>(rows, options);
    Graph& graph = body->graph;
    NumberReader reader(links);
    uint32_t entry_and_level[2];
    if (!reader.Read(2, entry_and_level)) return TooShort();
    FIRTH_RETURN_IF_ERROR(body->ReadNodes(rows, reader));
    FIRTH_RETURN_IF_ERROR(body->ReadUpperLinks(reader));
    if (!reader.done()) {
      return absl::DataLossError(
          "expected the end of the file after the links, found more bytes");
    }
    if (rows.size() == 0) return HnswGraph(std::move(body));
    const auto [entry, level] = entry_and_level;
    if (entry >= rows.size()) {
      return BadNumber("an entry node", rows.size(), entry);
    }
    if (static_cast<int>(level) != graph.element_levels_[entry]) {
      return absl::DataLossError(
          absl::StrCat("expected the entry node at level ",
                       graph.element_levels_[entry], ", found ", level));
    }
    graph.enterpoint_node_ = entry;
    graph.maxlevel_ = static_cast<int>(level);
    return HnswGraph(std::move(body));
  } catch (const std::exception& exception) {
    return FromException(exception);
  }
}

std::vector<WordId> HnswGraph::Search(absl::Span<const float> unit,
                                      size_t breadth) const {
  const CenteredVector query = Center(unit, body_->mean);
  std::vector<char> vector(body_->space.get_data_size());
  WriteVector({query.scale, query.squared_norm}, query.codes.data(),
              query.codes.size(), vector.data());
  auto found = body_->graph.searchKnn(vector.data(), breadth);
  std::vector<WordId> words;
  words.reserve(found.size());
  for (; !found.empty(); found.pop()) {
    words.push_back(ToWordId(found.top().second));
  }
  return words;
}

double MeasureRecall(const HnswGraph& graph, const WordVectors& vectors,
                     size_t breadth, const Hooks& hooks) {
  const ScannedRows rows = {vectors.rows(), vectors.inverse_norms()};
  const std::vector<UnitQuery> queries = SampleQueries(vectors);
  if (queries.empty()) return 1;
  const Hooks stop = {nullptr, hooks.stop};
  const auto exact = FindBest(rows, queries, kTop, stop);
  double sum = 0;
  for (size_t i = 0; i < queries.size() && !hooks.StopRequested(); ++i) {
    sum += RecallOf(
        exact[i],
        RankRows(rows, queries[i],
                 graph.Search(queries[i].unit, std::max(breadth, kTop + 1)),
                 kTop));
  }
  return sum / static_cast<double>(queries.size());
}

}  // namespace firth
