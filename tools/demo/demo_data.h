// The demo's grammar, as a file travels inside the program: the Makefile makes
// its definition from datasets/demo.grammar.

#ifndef FIRTH_TOOLS_DEMO_DEMO_DATA_H_
#define FIRTH_TOOLS_DEMO_DEMO_DATA_H_

namespace firth::tools {

extern const char kDemoGrammar[];

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_DATA_H_
