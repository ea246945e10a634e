// Layouts by other methods are computed from the vectors of the words on the
// map, in their order, so word i has the same number in all layouts. Two
// mutexes are needed: computing takes minutes, during which the layouts that
// are ready can still be read.

#include "serve/served_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr absl::string_view kMethods[] = {UmapMethod::kName, TsneMethod::kName,
                                          PcaMethod::kName};

MapOptions OptionsOf(absl::string_view method) {
  MapOptions options;
  if (method == TsneMethod::kName) options.method = TsneMethod();
  if (method == PcaMethod::kName) options.method = PcaMethod();
  return options;
}

// Returns the order of the map: most frequent first, ties as in the file.
std::vector<size_t> ByCount(const Vocabulary& vocabulary) {
  std::vector<size_t> order(vocabulary.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const absl::Span<const uint64_t> counts = vocabulary.counts();
  if (counts.empty()) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  return order;
}

std::array<float, 4> BoundsOf(const std::vector<float>& points) {
  if (points.empty()) return {0, 0, 0, 0};
  constexpr float kMost = std::numeric_limits<float>::max();
  std::array<float, 4> bounds = {kMost, kMost, -kMost, -kMost};
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t axis = i % 2;
    bounds[axis] = std::min(bounds[axis], points[i]);
    bounds[2 + axis] = std::max(bounds[2 + axis], points[i]);
  }
  return bounds;
}

template <class Number>
std::string LittleEndian(const std::vector<Number>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// `order` has the rows of the map in the order of the words.
ServedLayout LayoutOf(const WordMap& map, const std::vector<size_t>& order) {
  ServedLayout layout;
  layout.method = map.method;
  layout.clusters = map.clusters;
  layout.points.reserve(2 * order.size());
  for (const size_t row : order) {
    for (const float value : map.points.CopyVector(ToWordId(row))) {
      layout.points.push_back(value);
    }
  }
  layout.bounds = BoundsOf(layout.points);
  layout.bytes = Share(LittleEndian(layout.points));
  return layout;
}

// The hash FNV-1a of bytes (Fowler, Noll and Vo), which is the same in all
// processes.
class Digest {
 public:
  void Add(absl::string_view bytes) {
    for (const char byte : bytes) {
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    hash_ = (hash_ ^ bytes.size()) * 0x100000001b3;
  }
  std::string Text() const { return absl::StrFormat("%016x", hash_); }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

// Maximum number of words whose vectors are a part of the version. Reading all
// of a large file would take seconds, and a new model changes every vector.
constexpr size_t kSampledWords = 1000;

}  // namespace

absl::Span<const absl::string_view> LayoutMethods() { return kMethods; }

std::string BytesOf(const std::vector<float>& values) {
  return LittleEndian(values);
}

absl::StatusOr<std::shared_ptr<ServedMap>> ServedMap::Create(
    const WordMap& map, std::shared_ptr<const OpenedVectors> vectors) {
  std::shared_ptr<ServedMap> served(new ServedMap);
  const Vocabulary& vocabulary = map.points.vocabulary();
  const std::vector<size_t> order = ByCount(vocabulary);
  std::string text;
  std::vector<double> counts;
  for (const size_t index : order) {
    const WordId id = ToWordId(index);
    const absl::string_view word = vocabulary.Word(id);
    if (word.find_first_of("\r\n") != absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("word ", index + 1, " contains a line end"));
    }
    served->words_.emplace_back(word);
    served->counts_.push_back(vocabulary.Count(id));
    counts.push_back(static_cast<double>(vocabulary.Count(id)));
    absl::StrAppend(&text, word, "\n");
  }
  served->words_text_ = Share(std::move(text));
  served->counts_bytes_ = Share(LittleEndian(counts));
  served->vectors_ = std::move(vectors);
  served->first_ = std::make_shared<ServedLayout>(LayoutOf(map, order));
  served->layouts_[map.method] = served->first_;
  served->has_counts_ = vocabulary.total_count() > 0;
  served->SetVersion();
  return served;
}

void ServedMap::SetVersion() {
  Digest digest;
  digest.Add(*words_text_);
  digest.Add(*counts_bytes_);
  digest.Add(first_->method);
  digest.Add(*first_->bytes);
  for (const LabelColumn& column : columns_) {
    digest.Add(column.name);
    for (const std::string& category : column.categories) digest.Add(category);
    digest.Add(BytesOf(column.values));
  }
  const size_t step = words_.size() / kSampledWords + 1;
  for (size_t i = 0; vectors_ != nullptr && i < words_.size(); i += step) {
    const WordVectors& vectors = vectors_->vectors();
    const auto id = vectors.vocabulary().Find(words_[i]);
    digest.Add(id.has_value() ? BytesOf(vectors.CopyVector(*id)) : "");
  }
  version_ = digest.Text();
}

ServedMap::ServedMap(const ServedMap& other)
    : words_(other.words_),
      counts_(other.counts_),
      has_counts_(other.has_counts_),
      columns_(other.columns_),
      version_(other.version_),
      words_text_(other.words_text_),
      counts_bytes_(other.counts_bytes_),
      vectors_(other.vectors_),
      first_(other.first_) {
  const std::lock_guard<std::mutex> lock(other.mutex_);
  layouts_ = other.layouts_;
}

absl::Status ServedMap::AddColumns(std::vector<LabelColumn> columns) {
  for (LabelColumn& column : columns) {
    const bool is_new = absl::c_none_of(
        columns_, [&](const auto& other) { return other.name == column.name; });
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat("--labels: two files have a column \"",
                       Visible(column.name), "\"; rename one"));
    }
    columns_.push_back(std::move(column));
  }
  SetVersion();
  return absl::OkStatus();
}

std::vector<std::string> ServedMap::methods() const {
  std::vector<std::string> methods;
  if (!first_->method.empty()) methods.push_back(first_->method);
  if (vectors_ == nullptr) return methods;
  for (const absl::string_view method : kMethods) {
    if (method != first_->method) methods.emplace_back(method);
  }
  return methods;
}

std::vector<std::string> ServedMap::ready() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> ready;
  for (const auto& [method, layout] : layouts_) ready.push_back(method);
  return ready;
}

absl::StatusOr<std::shared_ptr<const ServedLayout>> ServedMap::Layout(
    const std::string& method, const Hooks& hooks) const {
  if (method.empty()) return first_;
  const auto known = [&]() -> std::shared_ptr<const ServedLayout> {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = layouts_.find(method);
    return found == layouts_.end() ? nullptr : found->second;
  };
  if (auto layout = known()) return layout;
  const std::vector<std::string> all = methods();
  if (std::find(all.begin(), all.end(), method) == all.end()) {
    return absl::NotFoundError(absl::StrCat("there is no layout \"", method,
                                            "\" of this map; there are ",
                                            absl::StrJoin(all, ", ")));
  }
  // One at a time: each takes all cores.
  const std::lock_guard<std::mutex> computing(computing_);
  if (auto layout = known()) return layout;
  FIRTH_ASSIGN_OR_RETURN(ServedLayout computed, Compute(method, hooks));
  auto layout = std::make_shared<const ServedLayout>(std::move(computed));
  const std::lock_guard<std::mutex> lock(mutex_);
  layouts_[method] = layout;
  return layout;
}

absl::StatusOr<ServedLayout> ServedMap::Compute(const std::string& method,
                                                const Hooks& hooks) const {
  const std::vector<absl::string_view> wanted(words_.begin(), words_.end());
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary vocabulary,
                         Vocabulary::Create(wanted, counts_));
  FIRTH_ASSIGN_OR_RETURN(const WordVectors selected,
                         SelectWords(vectors_->vectors(), vocabulary));
  FIRTH_ASSIGN_OR_RETURN(const WordMap map,
                         MakeMap(selected, OptionsOf(method), nullptr, hooks));
  if (map.points.size() != words_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        words_.size() - map.points.size(), " of ",
        Counted(words_.size(), "word"),
        " on this map have no vector, so no other layout can be computed"));
  }
  std::vector<size_t> order(words_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return LayoutOf(map, order);
}

std::vector<size_t> WordsWithin(const ServedLayout& layout,
                                const std::array<double, 4>& bounds,
                                size_t limit) {
  std::vector<size_t> found;
  const size_t words = layout.points.size() / 2;
  for (size_t i = 0; i < words && found.size() < limit; ++i) {
    const double x = layout.points[2 * i];
    const double y = layout.points[2 * i + 1];
    if (x >= bounds[0] && x <= bounds[2] && y >= bounds[1] && y <= bounds[3]) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace firth::tools
