// The demo's grammar and its questions, as files travel inside the program.
// The Makefile makes their definitions from datasets/demo.grammar and
// datasets/demo.questions.txt.

#ifndef FIRTH_TOOLS_DEMO_DEMO_DATA_H_
#define FIRTH_TOOLS_DEMO_DEMO_DATA_H_

namespace firth::tools {

extern const char kDemoGrammar[];
extern const char kDemoQuestions[];

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_DEMO_DEMO_DATA_H_
