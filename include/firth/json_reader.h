// Reads JSON text into values of nlohmann's library, nlohmann::json or
// nlohmann::ordered_json, in linear time.
//
// The library's own parser is quadratic in two cases: an ordered_json compares
// each name of an object with all names before it, and a parser with a callback
// searches an array again after each object in it. Text from outside is
// therefore read here. The template includes no header of that library, so that
// this header does not require it.

#ifndef FIRTH_JSON_READER_H_
#define FIRTH_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firth {

// Properties of the text that the resulting value does not show.
struct JsonFaults {
  // A name that occurs more than once in some object, or empty.
  std::string twice;
  bool too_deep = false;  // Whether something nested too deeply was left out.
  // Whether an object had too many names, which stopped reading.
  bool too_many_names = false;
  // Number of bytes up to and including the first invalid one.
  size_t error_place = 0;
};

// Handler of the events of Json::sax_parse(). Use ReadJson() instead.
template <class Json>
class JsonReader {
 public:
  JsonReader(int most_depth, size_t most_names, JsonFaults* faults)
      : most_depth_(static_cast<size_t>(most_depth)),
        most_names_(most_names),
        faults_(*faults) {}

  Json Take() { return std::move(root_); }

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(typename Json::number_integer_t value) {
    return Add(value);
  }
  bool number_unsigned(typename Json::number_unsigned_t value) {
    return Add(value);
  }
  bool number_float(typename Json::number_float_t value,
                    const typename Json::string_t&) {
    return Add(value);
  }
  bool string(typename Json::string_t& value) { return Add(std::move(value)); }
  // Never called for text.
  bool binary(typename Json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(Json::object()); }
  bool start_array(size_t) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(typename Json::string_t& name) {
    if (IsLeftOut()) return true;
    Level& level = levels_.back();
    level.member = Member(name, &level);
    faults_.too_many_names = level.value->size() > most_names_;
    return !faults_.too_many_names;
  }
  template <class Exception>
  bool parse_error(size_t place, const std::string&, const Exception&) {
    faults_.error_place = place;
    return false;
  }

 private:
  using Object = typename Json::object_t;

  // An array or object that is still open.
  struct Level {
    Json* value;
    Json* member = nullptr;  // In an object, the location of the next value.
    // Positions of the names in an ordered object.
    absl::flat_hash_map<std::string, size_t> positions = {};
  };

  bool IsLeftOut() const { return levels_.size() > most_depth_; }

  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json value) {
    Json* const placed = Place(std::move(value));
    if (placed == nullptr) {
      ++left_out_;
    } else {
      levels_.push_back({placed});
    }
    return true;
  }
  bool Close() {
    if (left_out_ > 0) {
      --left_out_;
    } else {
      levels_.pop_back();
    }
    return true;
  }

  // Returns null if the value is left out.
  Json* Place(Json value) {
    if (IsLeftOut()) {
      faults_.too_deep = true;
      return nullptr;
    }
    Json* place = &root_;
    if (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.value->is_array()) {
        level.value->push_back(std::move(value));
        return &level.value->back();
      }
      place = level.member;
    }
    *place = std::move(value);
    return place;
  }

  // If a name occurs twice, its last value counts.
  Json* Member(const std::string& name, Level* level) {
    Object& object = *level->value->template get_ptr<Object*>();
    if constexpr (requires { object.emplace_back(name, Json()); }) {
      const auto [position, is_new] =
          level->positions.emplace(name, object.size());
      if (is_new) return &object.emplace_back(name, Json()).second;
      faults_.twice = name;
      return &object.data()[position->second].second;
    } else {
      const auto [member, is_new] = object.emplace(name, Json());
      if (!is_new) faults_.twice = name;
      return &member->second;
    }
  }

  const size_t most_depth_;
  const size_t most_names_;
  JsonFaults& faults_;
  Json root_;
  std::vector<Level> levels_;  // At most most_depth_ + 1 levels.
  // Open levels below the maximum depth, which are discarded.
  size_t left_out_ = 0;
};

// Returns the value of a text, or a value for which is_discarded() is true if
// the text is not JSON. Values nested in more than `most_depth` arrays and
// objects are left out. An object with more than `most_names` names stops
// reading, like invalid JSON. `faults` may be null.
template <class Json>
Json ReadJson(absl::string_view text, int most_depth, JsonFaults* faults,
              size_t most_names = SIZE_MAX) {
  JsonFaults unused;
  if (faults == nullptr) faults = &unused;
  JsonReader<Json> reader(most_depth, most_names, faults);
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) {
    return Json(Json::value_t::discarded);
  }
  // The parser ends at a zero byte and would ignore the bytes after it.
  const size_t zero = text.find('\0');
  if (zero == text.npos) return reader.Take();
  faults->error_place = zero + 1;
  return Json(Json::value_t::discarded);
}

// Describes what a text of that many bytes, which is not JSON, has instead.
inline std::string FoundInsteadOfJson(const JsonFaults& faults, size_t bytes) {
  return faults.error_place > bytes
             ? absl::StrCat("the end after ", bytes, " bytes")
             : absl::StrCat("an error at byte ", faults.error_place);
}

}  // namespace firth

#endif  // FIRTH_JSON_READER_H_
