// The structs of options that describe their fields (firth/fields.h).
//
// Each table is in the .cc file that has the struct's Validate(). A struct that
// is an alternative of a variant is described by the table of the struct that
// has the variant, too.

#ifndef FIRTH_OPTION_FIELDS_H_
#define FIRTH_OPTION_FIELDS_H_

namespace firth {

class FieldTable;

// firth/corpus.h, firth/phrases.h
struct CorpusOptions;
struct PhraseOptions;
struct VocabularyOptions;
const FieldTable& FieldsFor(const CorpusOptions*);
const FieldTable& FieldsFor(const PhraseOptions*);
const FieldTable& FieldsFor(const VocabularyOptions*);

// firth/language_model.h
struct CharacterOptions;
struct GenerateOptions;
struct LanguageModelTraining;
const FieldTable& FieldsFor(const CharacterOptions*);
const FieldTable& FieldsFor(const GenerateOptions*);
const FieldTable& FieldsFor(const LanguageModelTraining*);

// firth/subwords.h
struct BucketSubwords;
struct ExplicitSubwords;
struct FloretSubwords;
struct NoSubwords;
const FieldTable& FieldsFor(const BucketSubwords*);
const FieldTable& FieldsFor(const ExplicitSubwords*);
const FieldTable& FieldsFor(const FloretSubwords*);
const FieldTable& FieldsFor(const NoSubwords*);

// firth/tagger.h
struct TaggerOptions;
const FieldTable& FieldsFor(const TaggerOptions*);

// firth/train.h
struct CbowOptions;
struct FullSoftmaxOptions;
struct HierarchicalSoftmaxOptions;
struct NceOptions;
struct NegativeSamplingOptions;
struct SkipGramOptions;
struct TrainOptions;
const FieldTable& FieldsFor(const CbowOptions*);
const FieldTable& FieldsFor(const FullSoftmaxOptions*);
const FieldTable& FieldsFor(const HierarchicalSoftmaxOptions*);
const FieldTable& FieldsFor(const NceOptions*);
const FieldTable& FieldsFor(const NegativeSamplingOptions*);
const FieldTable& FieldsFor(const SkipGramOptions*);
const FieldTable& FieldsFor(const TrainOptions*);

}  // namespace firth

#endif  // FIRTH_OPTION_FIELDS_H_
