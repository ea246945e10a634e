// Word vectors: opening, making, saving, looking up.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/mapped_files.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

// Whether the JSON text of a call, which was read without errors, names the
// option: a default that is asked for is more than one that is not.
bool IsGiven(const std::string& name, absl::string_view options) {
  return !options.empty() && ParseJson(options).contains(name);
}

bool AreFinite(absl::Span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

absl::Status CheckFinite(absl::string_view argument, absl::string_view what,
                         const FloatTable& table) {
  for (size_t row = 0; row < table.rows(); ++row) {
    if (AreFinite(table.Row(row))) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": row ", row, " of the ", what,
                     " contains NaN or infinity"));
  }
  return absl::OkStatus();
}

// Rows that were read to be copied are looked at, too: that takes little more.
bool IsSoundOrMapped(const WordVectors& vectors) {
  if (!vectors.is_float() || vectors.size() == 0) return true;
  const FloatTable& table = vectors.table();
  return MappedFileAt(table.data()) != nullptr ||
         (vectors.vocabulary().CheckDistinct().ok() &&
          CheckFinite("", "", table).ok());
}

absl::Status Save(VectorFile file, const std::string& path,
                  const VectorSaving& saving, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::string format,
                         ChooseVectorFormat(path, saving.format));
  FIRTH_ASSIGN_OR_RETURN(
      const FitReport fitted,
      At(path,
         FitToFormat(
             format,
             {.lossy = saving.lossy,
              .way_out = "\"lossy\": true saves the vectors without them"},
             &file)));
  if (hooks.progress != nullptr && !fitted.note.empty()) {
    hooks.progress->OnMilestone(absl::StrCat(path, ": ", fitted.note));
  }
  if (hooks.progress != nullptr && !fitted.warning.empty()) {
    hooks.progress->OnWarning(absl::StrCat(path, ": ", fitted.warning));
  }
  return SaveVectorFile(file, path, format, hooks);
}

absl::StatusOr<FloatTable> CopyRows(const float* rows, int64_t count,
                                    int64_t dim) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 64;
  if (dim < 1 || dim > 65536) {
    return absl::InvalidArgumentError(
        absl::StrCat("dim: must be 1 to 65536, found ", dim));
  }
  if (count > kMost / dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("count: at most ", kMost / dim, " words of ", dim,
                     " dimensions are allowed, found ", count));
  }
  FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, count));
  const auto cols = static_cast<size_t>(dim);
  PaddedMatrix table(static_cast<size_t>(count), cols);
  for (size_t row = 0; row < table.rows(); ++row) {
    const float* const from = rows + row * cols;
    if (!AreFinite({from, cols})) {
      return absl::InvalidArgumentError(
          absl::StrCat("rows: row ", row, " contains NaN or infinity"));
    }
    std::copy_n(from, cols, table.Row(row));
  }
  return FloatTable(std::move(table));
}

absl::Status CheckNotEmpty(absl::Span<const absl::string_view> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("words: word ", i, " is empty"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint64_t>> CopyCounts(const int64_t* counts,
                                                 int64_t count) {
  std::vector<uint64_t> copy;
  for (int64_t i = 0; counts != nullptr && i < count; ++i) {
    if (counts[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("counts: the count at position ", i,
                       " must be 0 or more, found ", counts[i]));
    }
    copy.push_back(static_cast<uint64_t>(counts[i]));
  }
  return copy;
}

OrderedJson Describe(const VectorFile& file) {
  const WordVectors& vectors = file.vectors;
  return {{"words", vectors.size()},
          {"dim", vectors.dim()},
          {"form", FormOf(vectors.rows())},
          {"subwords", vectors.subwords() != nullptr},
          {"output", !file.output.empty()},
          {"counts", vectors.vocabulary().total_count() > 0},
          {"metadata", file.metadata.empty() ? OrderedJson::object()
                                             : OrderedJson(file.metadata)}};
}

int64_t IdOf(const Vocabulary& vocabulary, absl::string_view word) {
  const std::optional<WordId> id = vocabulary.Find(word);
  return id.has_value() ? static_cast<int64_t>(Index(*id)) : -1;
}

// Writes the vector of a word, or zeros, and tells which it was: see
// firth_vectors_lookup().
int8_t LookUp(const WordVectors& vectors, absl::string_view word,
              absl::Span<float> row) {
  const std::optional<WordId> id = vectors.vocabulary().Find(word);
  if (id.has_value()) {
    vectors.CopyVector(*id, row);
    return 1;
  }
  const std::optional<std::vector<float>> made = vectors.FromNGrams(word);
  if (!made.has_value()) {
    std::fill(row.begin(), row.end(), 0.0f);
    return 0;
  }
  std::copy(made->begin(), made->end(), row.begin());
  return 2;
}

absl::Status NoTable(absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("vectors: the vectors have no ", what));
}

}  // namespace

absl::Status CheckLearnable(absl::string_view argument,
                            const FirthVectors& vectors) {
  const absl::Status distinct = vectors.vocabulary().CheckDistinct();
  if (!distinct.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": ", distinct.message()));
  }
  if (!vectors.vectors().is_float()) {
    return absl::InvalidArgumentError(absl::StrCat(
        argument, ": the rows are stored as ", FormOf(vectors.vectors().rows()),
        ", not as float32; open the vectors with \"training\": true to convert "
        "them"));
  }
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(argument, "vectors", vectors.vectors().table()));
  if (const SubwordTables* subwords = vectors.vectors().subwords()) {
    FIRTH_RETURN_IF_ERROR(
        CheckFinite(argument, "words before their n-grams", subwords->words));
    FIRTH_RETURN_IF_ERROR(CheckFinite(argument, "n-grams", subwords->n_grams));
  }
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(argument, "output table", vectors.file.output));
  return CheckFinite(argument, "output biases", vectors.file.output_bias);
}

extern "C" {

FirthStatus* firth_vectors_load(const char* path, int64_t path_size,
                                const char* options, int64_t options_size,
                                FirthProgress progress, void* context,
                                FirthVectors** vectors) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto opening,
                           OptionsOf<VectorOpening>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    const bool asks_for_check =
        opening.checked || opening.training ||
        IsGiven("duplicates",
                absl::string_view(options, static_cast<size_t>(options_size)));
    LoadOptions load = {.format = opening.format,
                        .duplicates = opening.duplicates,
                        .keep_form = !opening.training,
                        .lazily = !asks_for_check,
                        .hooks = hooks};
    FIRTH_ASSIGN_OR_RETURN(VectorFile loaded, LoadVectorFile(file, load));
    if (load.lazily && !IsSoundOrMapped(loaded.vectors)) {
      load.lazily = false;            // says where it is not
      load.hooks.progress = nullptr;  // which has heard of what is odd
      FIRTH_ASSIGN_OR_RETURN(loaded, LoadVectorFile(file, load));
    }
    return SetHandle(vectors,
                     std::make_shared<FirthVectors>(std::move(loaded)));
  });
}

FirthStatus* firth_vectors_create(const char* words, const int64_t* offsets,
                                  int64_t count, const float* rows, int64_t dim,
                                  const int64_t* counts,
                                  FirthVectors** vectors) {
  return Answer([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckCount("count", count));
    FIRTH_ASSIGN_OR_RETURN(const auto list,
                           TextsOf("words", words, offsets, count));
    FIRTH_RETURN_IF_ERROR(CheckNotEmpty(list));
    FIRTH_ASSIGN_OR_RETURN(auto its_counts, CopyCounts(counts, count));
    FIRTH_RETURN_IF_ERROR(CheckPlace("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(FloatTable table, CopyRows(rows, count, dim));
    FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary,
                           Vocabulary::Create(list, std::move(its_counts)));
    VectorFile file;
    FIRTH_ASSIGN_OR_RETURN(
        file.vectors,
        WordVectors::Create(std::move(vocabulary), std::move(table)));
    return SetHandle(vectors, std::make_shared<FirthVectors>(std::move(file)));
  });
}

FirthStatus* firth_vectors_annotate(const FirthVectors* vectors,
                                    const char* metadata, int64_t metadata_size,
                                    FirthVectors** annotated) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                           TextOf("metadata", metadata, metadata_size));
    FIRTH_ASSIGN_OR_RETURN(auto texts,
                           TextsByName("metadata", json.empty() ? "{}" : json));
    FIRTH_RETURN_IF_ERROR(CheckPlace("annotated", annotated));
    VectorFile file = model->file;
    texts.merge(file.metadata);
    file.metadata = std::move(texts);
    return SetHandle(annotated,
                     std::make_shared<FirthVectors>(std::move(file)));
  });
}

FirthStatus* firth_vectors_save(const FirthVectors* vectors, const char* path,
                                int64_t path_size, const char* options,
                                int64_t options_size, FirthProgress progress,
                                void* context) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto saving,
                           OptionsOf<VectorSaving>(options, options_size));
    return Save(model->file, file, saving, hooks);
  });
}

void firth_vectors_free(FirthVectors* vectors) { FreeHandle(vectors); }

FirthStatus* firth_vectors_shape(const FirthVectors* vectors, int64_t* count,
                                 int64_t* dim) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    if (count != nullptr) {
      *count = static_cast<int64_t>(model->vectors().size());
    }
    if (dim != nullptr) *dim = static_cast<int64_t>(model->vectors().dim());
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_describe(const FirthVectors* vectors,
                                    FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(Describe(model->file)));
  });
}

FirthStatus* firth_vectors_rows(const FirthVectors* vectors, const float** rows,
                                int64_t* stride) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_RETURN_IF_ERROR(CheckPlace("rows", rows));
    FIRTH_RETURN_IF_ERROR(CheckPlace("stride", stride));
    if (!model->vectors().is_float()) {
      return NoTable(absl::StrCat("float32 rows, since they are stored as ",
                                  FormOf(model->vectors().rows())));
    }
    *rows = model->vectors().table().data();
    *stride = static_cast<int64_t>(model->vectors().table().stride());
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_output_rows(const FirthVectors* vectors,
                                       const float** rows, int64_t* count,
                                       int64_t* stride) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_RETURN_IF_ERROR(CheckPlace("rows", rows));
    FIRTH_RETURN_IF_ERROR(CheckPlace("count", count));
    FIRTH_RETURN_IF_ERROR(CheckPlace("stride", stride));
    const FloatTable& output = model->file.output;
    if (output.empty()) return NoTable("output table");
    *rows = output.data();
    *count = static_cast<int64_t>(output.rows());
    *stride = static_cast<int64_t>(output.stride());
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_copy(const FirthVectors* vectors, const int64_t* ids,
                                int64_t n, float* rows) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    const WordVectors& from = model->vectors();
    FIRTH_ASSIGN_OR_RETURN(const auto words, IdsOf("ids", ids, n, from.size()));
    FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, n));
    for (const WordId word : words) {
      from.CopyVector(word, {rows, from.dim()});
      rows += from.dim();
    }
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_words(const FirthVectors* vectors,
                                 const char** bytes, const int64_t** offsets) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_RETURN_IF_ERROR(CheckPlace("bytes", bytes));
    FIRTH_RETURN_IF_ERROR(CheckPlace("offsets", offsets));
    *bytes = model->vocabulary().bytes().data();
    *offsets = OffsetsOf(model->vocabulary());
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_counts(const FirthVectors* vectors,
                                  const int64_t** counts) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_RETURN_IF_ERROR(CheckPlace("counts", counts));
    *counts = CountsOf(model->vocabulary());
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_find(const FirthVectors* vectors, const char* word,
                                int64_t size, int64_t* id) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto text, TextOf("word", word, size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("id", id));
    *id = IdOf(model->vocabulary(), text);
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_find_all(const FirthVectors* vectors,
                                    const char* words, const int64_t* offsets,
                                    int64_t n, int64_t* ids) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           TextsOf("words", words, offsets, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("ids", ids, n));
    for (const absl::string_view word : texts) {
      *ids++ = IdOf(model->vocabulary(), word);
    }
    return absl::OkStatus();
  });
}

FirthStatus* firth_vectors_lookup(const FirthVectors* vectors,
                                  const char* words, const int64_t* offsets,
                                  int64_t n, float* rows, int8_t* from) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto texts,
                           TextsOf("words", words, offsets, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("from", from, n));
    const size_t dim = model->vectors().dim();
    for (const absl::string_view word : texts) {
      *from++ = LookUp(model->vectors(), word, {rows, dim});
      rows += dim;
    }
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
