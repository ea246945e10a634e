// Running other programs that read and write vectors, where they are installed.

#ifndef FIRTH_TESTS_IO_FORMATS_INTEROP_SUPPORT_H_
#define FIRTH_TESTS_IO_FORMATS_INTEROP_SUPPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/vector_io.h"

namespace firth::testing_io {

// Whether the program or module is there. Where `make interop` asks for them
// all ($FIRTH_INTEROP), a missing one fails the test.
bool HasFasttext();
bool HasGensim();

// Whether the shell command ends with code 0.
bool Succeeds(const std::string& command);

// Runs a script with Debian's Python, with the folder as its argument, and
// expects it to end well.
void RunPython(const std::string& folder, absl::string_view script);

std::string Hex(absl::string_view bytes);
std::string LinesOf(const std::vector<std::string>& words);

// Words whose vectors are means of random rows and those of their n-grams.
VectorFile NGramModel(const std::vector<std::string>& words, size_t dim,
                      const SubwordOptions& options);

// Expects lines "word value ...", in this order, with the vectors of the words
// within `relative` of each value, and 1e-7.
void ExpectVectorLines(const std::string& lines,
                       const std::vector<std::string>& words,
                       const WordVectors& vectors, double relative);

// Of values printed with 5 digits, and of floats.
constexpr double kFiveDigits = 6e-5;
constexpr double kFloatDigits = 1e-6;

}  // namespace firth::testing_io

#endif  // FIRTH_TESTS_IO_FORMATS_INTEROP_SUPPORT_H_
