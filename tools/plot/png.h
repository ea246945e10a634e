// SVG as PNG.
//
// librsvg draws it, which is loaded when a picture is wanted: the program does
// without it, and so does who wants SVG alone.

#ifndef FIRTH_TOOLS_PLOT_PNG_H_
#define FIRTH_TOOLS_PLOT_PNG_H_

#include <string>

#include "absl/status/statusor.h"

namespace firth::tools {

// The bytes of a PNG file of the picture, `scale` pixels for each of its own.
// Errors: FailedPrecondition, librsvg is not installed; ResourceExhausted,
// the picture is too large for one.
absl::StatusOr<std::string> RenderPng(const std::string& svg, double width,
                                      double height, double scale);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PNG_H_
