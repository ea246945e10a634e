// The structs of options that describe their fields (firth/fields.h).
//
// A struct without members has no table of its own.

#ifndef FIRTH_OPTION_FIELDS_H_
#define FIRTH_OPTION_FIELDS_H_

namespace firth {

class FieldTable;

// firth/align.h
FieldTable FieldsFor(const struct AlignOptions*);
FieldTable FieldsFor(const struct TranslateOptions*);
// firth/bias.h
FieldTable FieldsFor(const struct WeatOptions*);
// firth/checkpoint.h
FieldTable FieldsFor(const struct CheckpointFiles*);
// firth/classifier.h
FieldTable FieldsFor(const struct ClassifierOptions*);
FieldTable FieldsFor(const struct SampledLabelLoss*);
// firth/contextualizer.h
FieldTable FieldsFor(const struct EmbedOptions*);
// firth/corpus.h, firth/phrases.h
FieldTable FieldsFor(const struct CorpusOptions*);
FieldTable FieldsFor(const struct PhraseOptions*);
FieldTable FieldsFor(const struct VocabularyOptions*);
// firth/distill.h
FieldTable FieldsFor(const struct DistillOptions*);
// firth/drift.h
FieldTable FieldsFor(const struct DriftOptions*);
// firth/labelled_text.h
FieldTable FieldsFor(const struct LabelledTextOptions*);
// firth/language_model.h
FieldTable FieldsFor(const struct CharacterOptions*);
FieldTable FieldsFor(const struct GenerateOptions*);
FieldTable FieldsFor(const struct LanguageModelTraining*);
FieldTable FieldsFor(const struct MeasureOptions*);
// firth/layout.h
FieldTable FieldsFor(const struct MapOptions*);
FieldTable FieldsFor(const struct TsneMethod*);
FieldTable FieldsFor(const struct UmapMethod*);
// firth/postprocess.h, firth/sentence_vectors.h
FieldTable FieldsFor(const struct PostprocessOptions*);
FieldTable FieldsFor(const struct SentenceOptions*);
// firth/probe.h
FieldTable FieldsFor(const struct ProbeOptions*);
FieldTable FieldsFor(const struct SenseProbeOptions*);
// firth/quantize.h
FieldTable FieldsFor(const struct ToPq*);
// firth/query.h
FieldTable FieldsFor(const struct EvaluateOptions*);
FieldTable FieldsFor(const struct HnswOptions*);
FieldTable FieldsFor(const struct HnswSearch*);
// firth/subwords.h
FieldTable FieldsFor(const struct BucketSubwords*);
FieldTable FieldsFor(const struct ExplicitSubwords*);
FieldTable FieldsFor(const struct FloretSubwords*);
// firth/tagger.h
FieldTable FieldsFor(const struct TaggerOptions*);
// firth/text_similarity.h
FieldTable FieldsFor(const struct TextSimilarityOptions*);
// firth/train.h
FieldTable FieldsFor(const struct CbowOptions*);
FieldTable FieldsFor(const struct FullSoftmaxOptions*);
FieldTable FieldsFor(const struct NceOptions*);
FieldTable FieldsFor(const struct NegativeSamplingOptions*);
FieldTable FieldsFor(const struct SkipGramOptions*);
FieldTable FieldsFor(const struct TrainOptions*);
// firth/tune.h
FieldTable FieldsFor(const struct TuneOptions*);
// firth/vector_training.h
FieldTable FieldsFor(const struct StartOptions*);
FieldTable FieldsFor(const struct ValidationFiles*);
FieldTable FieldsFor(const struct VectorTraining*);

}  // namespace firth

#endif  // FIRTH_OPTION_FIELDS_H_
