// The metadata of a finalfusion file, which are a text in TOML.
//
// Foreign text is kept as it is, under the key "finalfusion". What else a model
// tells of itself is written after it, as a table of strings that is read back:
//
//   [firth]
//   key = "value"

#ifndef FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_
#define FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace firth {

std::map<std::string, std::string> ParseFifuMetadata(absl::string_view text);

// What is not valid UTF-8 is replaced.
std::string MakeFifuMetadata(
    const std::map<std::string, std::string>& metadata);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_METADATA_H_
