// Tokenizers of every kind, and the ids that tokenizers 0.21.4 found in texts.

#ifndef FIRTH_TESTS_TOKENIZERS_KNOWN_IDS_H_
#define FIRTH_TESTS_TOKENIZERS_KNOWN_IDS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace firth {

struct KnownText {
  std::string text;
  std::vector<uint32_t> ids;
};
struct KnownTokenizer {
  const char* name;
  const char* json;
  std::vector<KnownText> texts;
};

// clang-format off
inline const std::vector<KnownTokenizer>& KnownTokenizers() {
  static const auto& known = *new std::vector<KnownTokenizer>{
    {"normalizer BertNormalizer",
     "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
     "\"handle_chinese_chars\":true,\"strip_accents\":null,\"lowercase\":t"
     "rue},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"cafe"
     "\":1,\"\344\270\255\":2,\"a\":3,\"b\":4,\"ab\":5}}}",
     {{std::string("CAF\303\211 a\344\270\255B a\000b a\342\200\215b \357\277\275a", 26), {1, 3, 2, 4, 5, 5, 3}}}},
    {"normalizer BertNormalizer cased",
     "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
     "\"handle_chinese_chars\":true,\"strip_accents\":null,\"lowercase\":f"
     "alse},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"Caf"
     "\303\251\":1,\"Cafe\":2,\"\344\270\255\":3}}}",
     {{"Caf\303\251 \344\270\255", {1, 3}}}},
    {"normalizer BertNormalizer with accents",
     "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
     "\"handle_chinese_chars\":true,\"strip_accents\":true,\"lowercase\":f"
     "alse},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"Cafe"
     "\":1,\"A\":2}}}",
     {{"Caf\303\251 \303\205", {1, 2}}}},
    {"normalizer BertNormalizer \304\260",
     "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,"
     "\"handle_chinese_chars\":true,\"strip_accents\":false,\"lowercase"
     "\":true},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"i\314\207x\":1,\"\344\270\255\":2}}}",
     {{"\304\260X \344\270\255", {1, 2}}}},
    {"normalizer BertNormalizer not clean",
     "{\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":false,"
     "\"handle_chinese_chars\":false,\"strip_accents\":null,\"lowercase"
     "\":true},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"a\344\270\255\":1,\"a\342\200\215b\":2}}}",
     {{"a\344\270\255 a\342\200\215B", {1, 2}}}},
    {"normalizer Lowercase",
     "{\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":{\"type"
     "\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_toke"
     "n\":\"?\",\"vocab\":{\"?\":0,\"stra\303\237e\":1,\"\317\203\316\277"
     "\317\206\317\214\317\203\":2,\"i\314\207\":3}}}",
     {{"STRASSE Stra\303\237e \316\243\316\237\316\246\316\214\316\243 \304\260", {0, 1, 2, 3}}}},
    {"normalizer NFC",
     "{\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Whi"
     "tespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?"
     "\",\"vocab\":{\"?\":0,\"\303\251\":1,\"\341\204\222\341\205\241\":2,"
     "\"\355\225\230\":3,\"e\314\201\":4}}}",
     {{"e\314\201 \341\204\222\341\205\241", {1, 3}}}},
    {"normalizer NFD",
     "{\"normalizer\":{\"type\":\"NFD\"},\"pre_tokenizer\":{\"type\":\"Whi"
     "tespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?"
     "\",\"vocab\":{\"?\":0,\"e\314\201\":1,\"\341\204\222\341\205\241\":2"
     ",\"\303\251\":3}}}",
     {{"\303\251 \355\225\230", {1, 2}}}},
    {"normalizer NFKC",
     "{\"normalizer\":{\"type\":\"NFKC\"},\"pre_tokenizer\":{\"type\":\"Wh"
     "itespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":"
     "\"?\",\"vocab\":{\"?\":0,\"fi\":1,\"\302\275\":2,\"1\342\201\2042"
     "\":3,\"2\":4,\"\303\251\":5}}}",
     {{"\357\254\201 \302\275 \302\262 e\314\201", {1, 3, 4, 5}}}},
    {"normalizer NFKD",
     "{\"normalizer\":{\"type\":\"NFKD\"},\"pre_tokenizer\":{\"type\":\"Wh"
     "itespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":"
     "\"?\",\"vocab\":{\"?\":0,\"fi\":1,\"e\314\201\":2}}}",
     {{"\357\254\201 \303\251", {1, 2}}}},
    {"normalizer StripAccents",
     "{\"normalizer\":{\"type\":\"StripAccents\"},\"pre_tokenizer\":{\"typ"
     "e\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_tok"
     "en\":\"?\",\"vocab\":{\"?\":0,\"e\":1,\"\303\251\":2}}}",
     {{"e\314\201 \303\251", {1, 2}}}},
    {"normalizer Strip",
     "{\"normalizer\":{\"type\":\"Strip\",\"strip_left\":true,\"strip_righ"
     "t\":false},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"a\":1}}}",
     {{" a ", {1}}}},
    {"normalizer Replace of a text",
     "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"-"
     "\"},\"content\":\" \"},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit"
     "\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab"
     "\":{\"?\":0,\"a\":1,\"b\":2}}}",
     {{"a-b--a", {1, 2, 1}}}},
    {"normalizer Replace of an expression",
     "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"[0-9]"
     "{2,}\"},\"content\":\"#\"},\"pre_tokenizer\":{\"type\":\"WhitespaceS"
     "plit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"voca"
     "b\":{\"?\":0,\"a#\":1,\"1\":2}}}",
     {{"a123 1", {1, 2}}}},
    {"normalizer Replace of nothing",
     "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},"
     "\"content\":\"-\"},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},"
     "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"-a-b-\":1}}}",
     {{"ab", {1}}}},
    {"normalizer Replace of an empty match",
     "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"x*"
     "\"},\"content\":\"-\"},\"pre_tokenizer\":{\"type\":\"WhitespaceSplit"
     "\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab"
     "\":{\"?\":0,\"-a-b-\":1}}}",
     {{"axxb", {1}}}},
    {"normalizer Prepend",
     "{\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"\342\226\201\"},"
     "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\342\226"
     "\201a\":1,\"b\":2}}}",
     {{"a b", {1, 2}}}},
    {"normalizer Nmt",
     "{\"normalizer\":{\"type\":\"Nmt\"},\"pre_tokenizer\":{\"type\":\"Whi"
     "tespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?"
     "\",\"vocab\":{\"?\":0,\"ab\":1,\"b\":2}}}",
     {{"a\007b a\342\200\213b \357\273\277b", {1, 0, 2, 2}}}},
    {"normalizer Precompiled",
     "{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":"
     "\"AAQAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACQUAAAQAAIAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAACAACAgQUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAACsCAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAvAQAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABlBA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAACpBQAAAgAAgAAAAAAAAAAABgAAgK0FAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAADMBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAIEFAAAHAACAwwQAAMIEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADvBAAAAAAAAAAAAA"
     "AAAAAAAAAAgKEFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAABBAGUAIAAAZmkA\"},\"pre_tokenizer\":{\"type\":\"Whitespa"
     "ceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\","
     "\"vocab\":{\"?\":0,\"A\":1,\"cafe\":2,\"a\":3,\"fib\":4}}}",
     {{"\357\274\241 caf\303\251 cafe\314\201 \302\255a\011\357\254\201b", {1, 2, 2, 3, 4}}}},
    {"normalizer ByteLevel",
     "{\"normalizer\":{\"type\":\"ByteLevel\"},\"pre_tokenizer\":{\"type"
     "\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_toke"
     "n\":\"?\",\"vocab\":{\"?\":0,\"a\304\240\303\203\302\251\":1}}}",
     {{"a \303\251", {1}}}},
    {"normalizer Sequence",
     "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":"
     "\"NFD\"},{\"type\":\"StripAccents\"},{\"type\":\"Lowercase\"}]},\"pr"
     "e_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":"
     "\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"cafe\":1}}}",
     {{"CAF\303\211", {1}}}},
    {"pre_tokenizer none",
     "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"a b\":1}}}",
     {{"a b", {1}}}},
    {"pre_tokenizer BertPreTokenizer",
     "{\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b"
     "\":2,\"!\":3,\"\342\200\224\":4}}}",
     {{"a b!!\342\200\224\302\240a", {1, 2, 3, 3, 4, 1}}}},
    {"pre_tokenizer Whitespace",
     "{\"pre_tokenizer\":{\"type\":\"Whitespace\"},\"model\":{\"type\":"
     "\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a_1\":1,\"!?"
     "\":2,\"\303\251\314\201\":3}}}",
     {{"a_1!? \303\251\314\201", {1, 2, 3}}}},
    {"pre_tokenizer WhitespaceSplit",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a!\":1,"
     "\"b\":2}}}",
     {{"a!\343\200\200b\302\205b", {1, 2, 2}}}},
    {"pre_tokenizer Punctuation Removed",
     "{\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"Removed"
     "\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab"
     "\":{\"?\":0,\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-fin"
     "al\":6,\"final-\":7,\"-the\":8}}}",
     {{"the-final--the-", {1, 3, 1}}}},
    {"pre_tokenizer Split Removed",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"-"
     "\"},\"behavior\":\"Removed\",\"invert\":false},\"model\":{\"type\":"
     "\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,\"-"
     "\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,\"-th"
     "e\":8}}}",
     {{"the-final--the-", {1, 3, 1}}}},
    {"pre_tokenizer Split inverted Removed",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a-z"
     "]+\"},\"behavior\":\"Removed\",\"invert\":true},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,"
     "\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,"
     "\"--the\":8,\"final--\":9}}}",
     {{"the-final--the-", {1, 3, 1}}}},
    {"pre_tokenizer Punctuation Isolated",
     "{\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"Isolated"
     "\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab"
     "\":{\"?\":0,\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-fin"
     "al\":6,\"final-\":7,\"-the\":8}}}",
     {{"the-final--the-", {1, 2, 3, 2, 2, 1, 2}}}},
    {"pre_tokenizer Split Isolated",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"-"
     "\"},\"behavior\":\"Isolated\",\"invert\":false},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,"
     "\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,"
     "\"-the\":8}}}",
     {{"the-final--the-", {1, 2, 3, 2, 2, 1, 2}}}},
    {"pre_tokenizer Split inverted Isolated",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a-z"
     "]+\"},\"behavior\":\"Isolated\",\"invert\":true},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,"
     "\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,"
     "\"--the\":8,\"final--\":9}}}",
     {{"the-final--the-", {1, 2, 3, 4, 1, 2}}}},
    {"pre_tokenizer Punctuation MergedWithPrevious",
     "{\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"MergedWi"
     "thPrevious\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?"
     "\",\"vocab\":{\"?\":0,\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-"
     "\":5,\"-final\":6,\"final-\":7,\"-the\":8}}}",
     {{"the-final--the-", {5, 7, 2, 5}}}},
    {"pre_tokenizer Split MergedWithPrevious",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"-"
     "\"},\"behavior\":\"MergedWithPrevious\",\"invert\":false},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"fin"
     "al-\":7,\"-the\":8}}}",
     {{"the-final--the-", {5, 7, 2, 5}}}},
    {"pre_tokenizer Split inverted MergedWithPrevious",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a-z"
     "]+\"},\"behavior\":\"MergedWithPrevious\",\"invert\":true},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"fin"
     "al-\":7,\"--the\":8,\"final--\":9}}}",
     {{"the-final--the-", {5, 9, 5}}}},
    {"pre_tokenizer Punctuation MergedWithNext",
     "{\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"MergedWi"
     "thNext\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vo"
     "cab\":{\"?\":0,\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,"
     "\"-final\":6,\"final-\":7,\"-the\":8}}}",
     {{"the-final--the-", {1, 6, 2, 8, 2}}}},
    {"pre_tokenizer Split MergedWithNext",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"-"
     "\"},\"behavior\":\"MergedWithNext\",\"invert\":false},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the"
     "\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-"
     "\":7,\"-the\":8}}}",
     {{"the-final--the-", {1, 6, 2, 8, 2}}}},
    {"pre_tokenizer Split inverted MergedWithNext",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a-z"
     "]+\"},\"behavior\":\"MergedWithNext\",\"invert\":true},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the"
     "\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-"
     "\":7,\"--the\":8,\"final--\":9}}}",
     {{"the-final--the-", {1, 6, 8, 2}}}},
    {"pre_tokenizer Punctuation Contiguous",
     "{\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"Contiguo"
     "us\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab"
     "\":{\"?\":0,\"the\":1,\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-fin"
     "al\":6,\"final-\":7,\"-the\":8}}}",
     {{"the-final--the-", {1, 2, 3, 4, 1, 2}}}},
    {"pre_tokenizer Split Contiguous",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"-"
     "\"},\"behavior\":\"Contiguous\",\"invert\":false},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,"
     "\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,"
     "\"-the\":8}}}",
     {{"the-final--the-", {1, 2, 3, 4, 1, 2}}}},
    {"pre_tokenizer Split inverted Contiguous",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a-z"
     "]+\"},\"behavior\":\"Contiguous\",\"invert\":true},\"model\":{\"type"
     "\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"the\":1,"
     "\"-\":2,\"final\":3,\"--\":4,\"the-\":5,\"-final\":6,\"final-\":7,"
     "\"--the\":8,\"final--\":9}}}",
     {{"the-final--the-", {1, 2, 3, 4, 1, 2}}}},
    {"pre_tokenizer Digits",
     "{\"pre_tokenizer\":{\"type\":\"Digits\",\"individual_digits\":false}"
     ",\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"a\":1,\"12\":2,\"1\":3,\"2\":4,\"\302\275\":5}}}",
     {{"a12a\302\275", {1, 2, 1, 5}}}},
    {"pre_tokenizer Digits alone",
     "{\"pre_tokenizer\":{\"type\":\"Digits\",\"individual_digits\":true},"
     "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"a\":1,\"12\":2,\"1\":3,\"2\":4,\"\302\275\":5}}}",
     {{"a12a\302\275", {1, 3, 4, 1, 5}}}},
    {"pre_tokenizer CharDelimiterSplit",
     "{\"pre_tokenizer\":{\"type\":\"CharDelimiterSplit\",\"delimiter\":"
     "\"\303\251\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?"
     "\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2}}}",
     {{"a\303\251b\303\251\303\251", {1, 2}}}},
    {"pre_tokenizer Metaspace",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"prepend_scheme\":\"always\",\"split\":true},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\342"
     "\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,\"b\":4,\"a\":5"
     ",\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b\":7,\"\342\226"
     "\201\342\226\201a\":8}}}",
     {{"a  b", {1, 3, 2}}}},
    {"pre_tokenizer Metaspace never",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"prepend_scheme\":\"never\",\"split\":true},\"model\":{"
     "\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\342"
     "\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,\"b\":4,\"a\":5"
     ",\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b\":7,\"\342\226"
     "\201\342\226\201a\":8}}}",
     {{"a b", {5, 2}}}},
    {"pre_tokenizer Metaspace first",
     "{\"added_tokens\":[{\"id\":9,\"content\":\"!\",\"single_word\":false"
     ",\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special"
     "\":false}],\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement"
     "\":\"\342\226\201\",\"prepend_scheme\":\"first\",\"split\":true},"
     "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"\342\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,"
     "\"b\":4,\"a\":5,\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b"
     "\":7,\"\342\226\201\342\226\201a\":8,\"!\":9}}}",
     {{"a!a", {1, 9, 5}},
      {"!a", {9, 5}},
      {" a!b", {1, 9, 4}}}},
    {"pre_tokenizer Metaspace first, stripped",
     "{\"normalizer\":{\"type\":\"Strip\",\"strip_left\":true,\"strip_righ"
     "t\":true},\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement"
     "\":\"\342\226\201\",\"prepend_scheme\":\"first\",\"split\":true},"
     "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"\342\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,"
     "\"b\":4,\"a\":5,\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b"
     "\":7,\"\342\226\201\342\226\201a\":8}}}",
     {{"a", {1}},
      {" a", {5}}}},
    {"pre_tokenizer Metaspace unsplit",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"prepend_scheme\":\"always\",\"split\":false},\"model"
     "\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,"
     "\"\342\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,\"b\":4,"
     "\"a\":5,\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b\":7,\"\342"
     "\226\201\342\226\201a\":8}}}",
     {{"a b", {7}}}},
    {"pre_tokenizer Metaspace old",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"add_prefix_space\":true,\"str_rep\":\"\342\226\201\"},"
     "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"\342\226\201a\":1,\"\342\226\201b\":2,\"\342\226\201\":3,"
     "\"b\":4,\"a\":5,\"a\342\226\201b\":6,\"\342\226\201a\342\226\201b"
     "\":7,\"\342\226\201\342\226\201a\":8}}}",
     {{"a b", {1, 2}}}},
    {"pre_tokenizer ByteLevel",
     "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true"
     ",\"trim_offsets\":true,\"use_regex\":true},\"model\":{\"type\":\"Wor"
     "dLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\304\240a\":1,\"'s"
     "\":2,\"\304\240\":3,\"\304\24012\":4,\"\304\240!\":5,\"\303\203\302"
     "\251\":6,\"\304\240b\":7}}}",
     {{"a's  12 !\303\251\303\251 b", {1, 2, 3, 4, 5, 0, 7}}}},
    {"pre_tokenizer ByteLevel without space",
     "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":fals"
     "e,\"trim_offsets\":true,\"use_regex\":true},\"model\":{\"type\":\"Wo"
     "rdLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"\304\240a"
     "\":2,\"\304\212\":3}}}",
     {{"a a\012", {1, 2, 3}}}},
    {"pre_tokenizer ByteLevel whole",
     "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true"
     ",\"trim_offsets\":true,\"use_regex\":false},\"model\":{\"type\":\"Wo"
     "rdLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\304\240a\304\240"
     "b!\":1}}}",
     {{"a b!", {1}}}},
    {"pre_tokenizer Sequence",
     "{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type"
     "\":\"WhitespaceSplit\"},{\"type\":\"Digits\",\"individual_digits\":t"
     "rue},{\"type\":\"Metaspace\",\"replacement\":\"\342\226\201\",\"prep"
     "end_scheme\":\"always\",\"split\":true}]},\"model\":{\"type\":\"Word"
     "Level\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"\342\226\201a\":1,"
     "\"\342\226\2011\":2,\"\342\226\2012\":3}}}",
     {{"a12 a", {1, 2, 3, 1}}}},
    {"pre_tokenizer Split like GPT-4",
     "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(?i:"
     "'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|"
     "\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r"
     "\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"},\"behavior\":\"Removed\",\"invert"
     "\":true},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"voc"
     "ab\":{\"?\":0,\"it\":1,\"'S\":2,\" a\":3,\"123\":4,\"4\":5,\"!!!\\n"
     "\":6,\" \":7,\"  \":8,\"\\n\":9,\" \303\251\":10}}}",
     {{"it'S a1234 \303\251!!!\012   a \012", {1, 2, 3, 4, 5, 10, 6, 8, 3, 0}}}},
    {"WordPiece",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix"
     "\":\"##\",\"max_input_chars_per_word\":6,\"vocab\":{\"[UNK]\":0,\"un"
     "\":1,\"##aff\":2,\"##able\":3,\"##\303\251\":4,\"\303\251\":5,\"##a"
     "\":6,\"a\":7}}}",
     {{"unaff\303\251 aaa unaffable \303\251\303\251 x unx aaaaaa aaaaaaa", {1, 2, 4, 7, 6, 6, 0, 5, 4, 0, 0, 7, 6, 6, 6, 6, 6, 0}}}},
    {"WordPiece with another prefix",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix"
     "\":\"@\",\"max_input_chars_per_word\":6,\"vocab\":{\"[UNK]\":0,\"un"
     "\":1,\"@a\":2}}}",
     {{"una un ua", {1, 2, 1, 0}}}},
    {"WordPiece without a prefix",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix"
     "\":\"\",\"max_input_chars_per_word\":6,\"vocab\":{\"[UNK]\":0,\"un"
     "\":1,\"a\":2}}}",
     {{"una aun", {1, 2, 2, 1}}}},
    {"WordPiece and a token outside the vocabulary",
     "{\"added_tokens\":[{\"id\":8,\"content\":\"unab\",\"single_word\":tr"
     "ue,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special"
     "\":false},{\"id\":0,\"content\":\"[UNK]\",\"single_word\":false,\"ls"
     "trip\":false,\"rstrip\":false,\"normalized\":false,\"special\":true}"
     "],\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix"
     "\":\"##\",\"max_input_chars_per_word\":6,\"vocab\":{\"[UNK]\":0,\"un"
     "\":1,\"##aff\":2,\"##able\":3,\"##\303\251\":4,\"\303\251\":5,\"##a"
     "\":6,\"a\":7}}}",
     {{"unab unaba", {8, 0}},
      {"[UNK]unab", {0, 8}}}},
    {"WordLevel",
     "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{"
     "\"?\":0,\"a\":1,\"b c\":2}}}",
     {{"a", {1}},
      {"b c", {2}},
      {"x", {0}},
      {"", {}}}},
    {"BPE",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_"
     "prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_"
     "fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[\"b c"
     "\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 6, 5, 6}}}},
    {"BPE with merges as pairs",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_"
     "prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_"
     "fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[[\"b"
     "\",\"c\"],[\"a\",\"bc\"]]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 0, 1, 0, 1, 6, 5, 6}}}},
    {"BPE with an unknown token",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":\"?\",\"continuing_subword"
     "_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte"
     "_fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1"
     ",\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,"
     "\"<0xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":["
     "\"b c\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 10, 6, 10, 10, 10, 10, 10, 10, 5, 6}}}},
    {"BPE with fused unknown tokens",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":\"?\",\"continuing_subword"
     "_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":true,\"byte_"
     "fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[\"b c"
     "\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 10, 6, 10, 10, 10, 5, 6}}}},
    {"BPE with bytes",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":\"?\",\"continuing_subword"
     "_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte"
     "_fallback\":true,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[\"b c"
     "\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 10, 6, 10, 7, 8, 9, 10, 7, 8, 9, 10, 10, 5, 6}}}},
    {"BPE with bytes and fused unknown tokens",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":\"?\",\"continuing_subword"
     "_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":true,\"byte_"
     "fallback\":true,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[\"b c"
     "\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 10, 6, 10, 7, 8, 9, 7, 8, 9, 10, 5, 6}}}},
    {"BPE that keeps whole parts",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_"
     "prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_"
     "fallback\":false,\"ignore_merges\":true,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"\303\251\":6,\"<0xE4>\":7,\"<0"
     "xB8>\":8,\"<0xAD>\":9,\"?\":10,\"abc\303\251\":11},\"merges\":[\"b c"
     "\",\"a b\",\"a bc\"]}}",
     {{"abc abab x\303\251y \344\270\255 xx\344\270\255x abc\303\251", {5, 3, 3, 6, 11}}}},
    {"BPE of two ways to a token",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_"
     "prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_"
     "fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
     "\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"abca\":6},\"merges\":[\"abc a"
     "\",\"b c\",\"a bc\",\"a b\",\"ab c\"]}}",
     {{"abca abcabca aabcab", {6, 6, 4, 0, 0, 6, 1}}}},
    {"BPE with a prefix and a suffix",
     "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type"
     "\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_"
     "prefix\":\"@\",\"end_of_word_suffix\":\"$\",\"fuse_unk\":false,\"byt"
     "e_fallback\":false,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"@b"
     "\":1,\"@b$\":2,\"ab$\":3,\"ab\":4,\"@b@b\":5,\"a$\":6,\"abb$\":7},"
     "\"merges\":[[\"a\",\"@b$\"],[\"a\",\"@b\"],[\"ab\",\"@b$\"]]}}",
     {{"ab a abb abbb", {3, 6, 7, 4, 1, 2}}}},
    {"Unigram",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"prepend_scheme\":\"always\",\"split\":true},\"model\":{"
     "\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab"
     "\":[[\"<unk>\",0],[\"\342\226\201\",-2.5],[\"\342\226\201a\",-3.25],"
     "[\"a\",-3.5],[\"b\",-4.5],[\"ab\",-6.25],[\"\342\226\201ab\",-9.25],"
     "[\"abab\",-10.5],[\"\303\251\",-3.0],[\"ba\",-8.0]]}}",
     {{"ab abab aabb ba x\303\251 xyb \344\270\255a <unk>x", {2, 4, 1, 7, 2, 5, 4, 1, 9, 1, 0, 8, 1, 0, 4, 1, 0, 3, 1, 0}}}},
    {"Unigram with bytes",
     "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\342"
     "\226\201\",\"prepend_scheme\":\"always\",\"split\":true},\"model\":{"
     "\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":true,\"vocab\":["
     "[\"<unk>\",0],[\"\342\226\201\",-2.5],[\"\342\226\201a\",-3.25],["
     "\"a\",-3.5],[\"b\",-4.5],[\"ab\",-6.25],[\"\342\226\201ab\",-9.25],["
     "\"abab\",-10.5],[\"\303\251\",-3.0],[\"ba\",-8.0],[\"<0xE4>\",0],["
     "\"<0xB8>\",0],[\"<0xAD>\",0]]}}",
     {{"ab abab aabb ba x\303\251 xyb \344\270\255a <unk>x", {2, 4, 1, 7, 2, 5, 4, 1, 9, 1, 0, 8, 1, 0, 4, 1, 10, 11, 12, 3, 1, 0}}}},
    {"added token",
     "{\"added_tokens\":[{\"id\":5,\"content\":\"new york\",\"single_word"
     "\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"sp"
     "ecial\":false},{\"id\":6,\"content\":\"<x>\",\"single_word\":false,"
     "\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":f"
     "alse}],\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":{"
     "\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"un"
     "k_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"cat\":3,\"Cat"
     "\":4,\"new york\":5,\"<x>\":6}}}",
     {{"a new york<x><x>b", {1, 5, 6, 6, 2}},
      {"NEW YORK a", {0, 0, 1}}}},
    {"added token, normalized",
     "{\"added_tokens\":[{\"id\":4,\"content\":\"Cat\",\"single_word\":fal"
     "se,\"lstrip\":false,\"rstrip\":false,\"normalized\":true,\"special"
     "\":false}],\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer"
     "\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel"
     "\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"cat\":3,"
     "\"Cat\":4,\"new york\":5,\"<x>\":6}}}",
     {{"a CAT b", {1, 4, 2}},
      {"catcat", {4, 4}}}},
    {"added token, single word",
     "{\"added_tokens\":[{\"id\":6,\"content\":\"<x>\",\"single_word\":fal"
     "se,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special"
     "\":false},{\"id\":3,\"content\":\"cat\",\"single_word\":true,\"lstri"
     "p\":false,\"rstrip\":false,\"normalized\":false,\"special\":false}],"
     "\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":{\"type"
     "\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_toke"
     "n\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"cat\":3,\"Cat\":4,"
     "\"new york\":5,\"<x>\":6}}}",
     {{"cat cats a-cat xcat cat<x>cat", {3, 0, 0, 3, 0, 3, 6, 3}}}},
    {"added token, strips",
     "{\"added_tokens\":[{\"id\":6,\"content\":\"<x>\",\"single_word\":fal"
     "se,\"lstrip\":true,\"rstrip\":true,\"normalized\":false,\"special"
     "\":false}],\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer"
     "\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel"
     "\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"cat\":3,"
     "\"Cat\":4,\"new york\":5,\"<x>\":6}}}",
     {{"a  <x> \011 b<x> <x>a", {1, 6, 2, 6, 6, 1}}}},
    {"added token, longest",
     "{\"added_tokens\":[{\"id\":1,\"content\":\"a\",\"single_word\":false"
     ",\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special"
     "\":false},{\"id\":3,\"content\":\"cat\",\"single_word\":false,\"lstr"
     "ip\":false,\"rstrip\":false,\"normalized\":false,\"special\":false},"
     "{\"id\":7,\"content\":\"a b\",\"single_word\":false,\"lstrip\":false"
     ",\"rstrip\":false,\"normalized\":false,\"special\":false}],\"normali"
     "zer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":{\"type\":\"Whitesp"
     "aceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\","
     "\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"cat\":3,\"Cat\":4,\"new york"
     "\":5,\"<x>\":6}}}",
     {{"cat a b ab", {3, 7, 1, 2}}}},
  };
  return known;
}
// clang-format on

}  // namespace firth

#endif  // FIRTH_TESTS_TOKENIZERS_KNOWN_IDS_H_
