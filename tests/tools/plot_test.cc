// Pictures: what they are made of, and that they hold together with words that
// somebody chose to do harm.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "firth/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_shell.h"
#include "support/temp_files.h"
#include "tools/plot/chart.h"
#include "tools/plot/pictures.h"
#include "tools/plot/plot_inputs.h"
#include "tools/plot/png.h"
#include "tools/plot/svg.h"

namespace firth::tools {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string>& PlottedHostileWords() {
  static const auto& words = *new std::vector<std::string>{
      "<script>alert(1)</script>",
      "]]>",
      "&amp;",
      "\"'",
      "a\x01\x1b[31m",
      "tab\tline\n",
      "\xef\xbf\xbe\xef\xbf\xbf",
      "\xff\xfe",
      "\xe2\x80\xae"
      "abc",  // right-to-left override
      "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80",
      std::string(10'000, 'w'),
      "e" + std::string(8'000, '\xcc')};
  return words;
}

// What Python's XML parser finds in the document: its texts, a line each.
// Nothing without Python.
std::string TextsOf(const std::string& svg) {
  const TempFolder folder;
  folder.Write("a.svg", svg);
  folder.Write("ask.py",
               "import sys, xml.etree.ElementTree as t\n"
               "root = t.parse(sys.argv[1]).getroot()\n"
               "assert root.tag == '{http://www.w3.org/2000/svg}svg'\n"
               "for e in root.iter('{http://www.w3.org/2000/svg}text'):\n"
               "    sys.stdout.buffer.write(e.text.encode() + b'\\n')\n");
  const std::string command =
      absl::StrCat("python3 '", folder.path(), "/ask.py' '",
                   folder.File("a.svg"), "' >'", folder.File("out"), "'");
  EXPECT_EQ(std::system(command.c_str()), 0) << svg.substr(0, 2000);
  return ReadWholeFile(folder.File("out"));
}

bool PythonIsThere() { return std::system("python3 -c '' 2>/dev/null") == 0; }

TEST(ShownTest, WhatXmlCannotHoldIsEscapedAndLongTextsAreCut) {
  EXPECT_EQ(Shown("king"), "king");
  EXPECT_EQ(Shown("a\x01"
                  "b\n\t"),
            "a\\x01b\\n\\t");
  EXPECT_EQ(Shown("\xef\xbf\xbe"), "\\ufffe");
  EXPECT_EQ(Shown("\xe2\x80\xae"
                  "x"),
            "\\u202ex");
  EXPECT_EQ(Shown("abcdef", 4), "abc\xe2\x80\xa6");
  EXPECT_EQ(Shown("abcd", 4), "abcd");
  // Wide characters take two columns.
  EXPECT_EQ(Shown("\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 4),
            "\xe4\xb8\xad\xe2\x80\xa6");
  EXPECT_LT(Shown(std::string(10'000, 'w')).size(), 50);
}

// The advance widths of DejaVu Sans, in units of 1/2048 of its size.
TEST(TextWidthTest, IsAtLeastThatOfAWideFont) {
  struct Advance {
    char character;
    int units;
  };
  const Advance advances[] = {
      {' ', 651},  {'a', 1255}, {'f', 721},  {'g', 1300}, {'i', 569},
      {'m', 1995}, {'r', 842},  {'t', 803},  {'w', 1675}, {'0', 1303},
      {'A', 1401}, {'G', 1587}, {'I', 604},  {'M', 1767}, {'O', 1612},
      {'Q', 1612}, {'W', 2025}, {'@', 2048}, {'%', 1946}, {'-', 739},
      {'_', 1024}, {'+', 1716}, {'&', 1597}, {'#', 1716}};
  for (const Advance& advance : advances) {
    EXPECT_GE(TextWidth(std::string(1, advance.character), 2048), advance.units)
        << advance.character;
  }
  EXPECT_GT(TextWidth("abc", 12, true), TextWidth("abc", 12));
}

TEST(SvgTest, AParserReadsHostileWordsAsText) {
  if (!PythonIsThere()) GTEST_SKIP() << "python3 is not installed";
  Svg svg(200, 100, "#ffffff");
  std::string expected;
  for (const std::string& word : PlottedHostileWords()) {
    svg.Text({1, 2}, Shown(word), {.color = "#000000"});
    svg.Circle({1, 2}, 3, "#000000", Shown(word));
    absl::StrAppend(&expected, Shown(word), "\n");
  }
  EXPECT_EQ(TextsOf(svg.Document()), expected);
  EXPECT_THAT(svg.Document(), Not(HasSubstr("<script")));
}

TEST(ScaleTest, TicksAreRoundNumbers) {
  EXPECT_THAT(Scale(0.03, 0.98, 5).ticks(),
              ElementsAre(DoubleNear(0.2, 1e-9), DoubleNear(0.4, 1e-9),
                          DoubleNear(0.6, 1e-9), DoubleNear(0.8, 1e-9)));
  const Scale whole(2.1, 9.2, 4, /*whole=*/true);
  EXPECT_EQ(whole.low(), 2);
  EXPECT_EQ(whole.high(), 10);
  EXPECT_THAT(whole.ticks(), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_EQ(whole.Place(4, 100, 180), 120);
}

TEST(ScaleTest, NamesHaveTheDecimalsThatTellThemApart) {
  EXPECT_EQ(Scale(0, 1, 5).Name(0.2), "0.2");
  EXPECT_EQ(Scale(-0.1, 0.1, 4).Name(-1e-18), "0.00");
  EXPECT_EQ(Scale(0, 5'000'000, 5).Name(2'000'000), "2 M");
  EXPECT_EQ(Scale(0, 50'000, 5).Name(20'000), "20 k");
  EXPECT_EQ(Scale(0, 0, 5).ticks().size(), 5);
}

double ContrastOf(const std::string& a, const std::string& b) {
  const auto luminance = [](const std::string& color) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (size_t i = 0; i < 3; ++i) {
      const double part = std::stoi(color.substr(1 + 2 * i, 2), nullptr, 16);
      const double share = part / 255;
      sum += weights[i] * (share <= 0.04045
                               ? share / 12.92
                               : std::pow((share + 0.055) / 1.055, 2.4));
    }
    return sum + 0.05;
  };
  const double one = luminance(a), other = luminance(b);
  return std::max(one, other) / std::min(one, other);
}

TEST(ThemeTest, ColorsStandOutFromTheGround) {
  for (const Theme* theme : {&LightTheme(), &DarkTheme()}) {
    EXPECT_GE(ContrastOf(theme->text, theme->ground), 7);
    EXPECT_GE(ContrastOf(theme->muted, theme->ground), 4.5);
    for (const std::string& color : theme->series) {
      EXPECT_GE(ContrastOf(color, theme->ground), 3) << color;
    }
  }
}

TEST(ThemeTest, NumbersOnTheScaleCanBeRead) {
  EXPECT_EQ(ScaleColor(0), "#440154");
  EXPECT_EQ(ScaleColor(1), "#fde725");
  EXPECT_EQ(ScaleColor(-3), ScaleColor(0));
  for (double value = 0; value <= 1; value += 0.01) {
    EXPECT_GE(ContrastOf(ScaleColor(value), TextOnScale(value)), 4.5) << value;
  }
}

TEST(PlaceLabelsTest, LabelsOverlapNeitherOneAnotherNorDots) {
  Rng rng(1);
  const Box area = {0, 0, 600, 400};
  std::vector<Label> labels;
  std::vector<Point> dots;
  for (int i = 0; i < 150; ++i) {
    dots.push_back({600.0 * rng.NextFloat(), 400.0 * rng.NextFloat()});
    labels.push_back({.text = absl::StrCat("label ", i), .point = dots.back()});
  }
  for (const bool far : {false, true}) {
    const std::vector<PlacedLabel> placed =
        PlaceLabels(labels, dots, 3, area, far);
    EXPECT_GT(placed.size(), far ? 100 : 50);
    for (const PlacedLabel& one : placed) {
      EXPECT_TRUE(area.Holds(one.box));
      EXPECT_GE(one.box.width(), TextWidth(labels[one.label].text, 12));
      for (const Point& dot : dots) {
        EXPECT_FALSE(
            one.box.Overlaps({dot.x - 3, dot.y - 3, dot.x + 3, dot.y + 3}));
      }
      for (const PlacedLabel& other : placed) {
        EXPECT_TRUE(&one == &other || !one.box.Overlaps(other.box));
      }
    }
  }
}

TEST(PlaceLabelsTest, TheFirstComeFirst) {
  const Label label = {.text = "word", .point = {50, 50}, .distance = 0};
  const auto placed =
      PlaceLabels({label, label}, {}, 0, {0, 0, 100, 100}, false);
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_EQ(placed[0].label, 0);
}

// b and c are more similar than a and c: b stands in the middle.
TEST(DendrogramTest, JoinsAndOrderAreThoseByHand) {
  const Dendrogram tree =
      Cluster({1, 0.1f, 0.9f, 0.1f, 1, 0.5f, 0.9f, 0.5f, 1}, 3);
  ASSERT_THAT(tree.joins, SizeIs(2));
  EXPECT_EQ(tree.joins[0].left, 0);
  EXPECT_EQ(tree.joins[0].right, 2);
  EXPECT_FLOAT_EQ(static_cast<float>(tree.joins[0].similarity), 0.9f);
  EXPECT_FLOAT_EQ(static_cast<float>(tree.joins[1].similarity), 0.3f);
  EXPECT_THAT(tree.order, ElementsAre(0, 2, 1));
  EXPECT_THAT(Cluster({1}, 1).order, ElementsAre(0));
}

// The mean of a join is that of all pairs, however many words a side has.
TEST(DendrogramTest, MeansAreThoseOfAllPairs) {
  constexpr size_t kWords = 12;
  Rng rng(2);
  std::vector<float> similarities(kWords * kWords, 1);
  for (size_t i = 0; i < kWords; ++i) {
    for (size_t j = 0; j < i; ++j) {
      similarities[i * kWords + j] = similarities[j * kWords + i] =
          rng.NextFloat();
    }
  }
  const Dendrogram tree = Cluster(similarities, kWords);
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < kWords; ++i) groups.push_back({i});
  for (const Join& join : tree.joins) {
    double sum = 0;
    for (const size_t a : groups[join.left]) {
      for (const size_t b : groups[join.right]) {
        sum += similarities[a * kWords + b];
      }
    }
    const auto pairs = static_cast<double>(groups[join.left].size() *
                                           groups[join.right].size());
    EXPECT_NEAR(join.similarity, sum / pairs, 1e-6);
    groups.push_back(groups[join.left]);
    groups.back().insert(groups.back().end(), groups[join.right].begin(),
                         groups[join.right].end());
  }
  EXPECT_THAT(groups.back(), SizeIs(kWords));
}

// All pictures with the same words.
std::vector<std::string> AllPictures(const std::vector<std::string>& words,
                                     const Theme& theme) {
  const Headline headline = {words[0], words.back()};
  ProjectedWords one, two;
  PlottedMap map;
  std::vector<float> similarities;
  std::vector<LoggedTraining> trainings;
  MeasuredGroup group = {words[0], true, {}};
  for (size_t i = 0; i < words.size(); ++i) {
    const double x = std::sin(static_cast<double>(i)), y = std::cos(3.0 * x);
    two.words.push_back({words[i], x, y});
    map.words.push_back(words[i]);
    map.points.push_back({x, y});
    map.clusters.push_back({{x, y}, static_cast<int>(i % 3), words[i]});
    trainings.push_back({words[i], {{10, 2, 0.1, 5}, {20, kNaN, 0, 6}}, 50});
    group.tests.push_back({words[i], {{0.5, 0.25, 0.75}, {kNaN, kNaN, kNaN}}});
    for (size_t k = 0; k < words.size(); ++k) {
      similarities.push_back(i == k ? 1 : 0.25f);
    }
  }
  one = two;
  one.axes = {{words[0], words[1]}};
  two.axes = {{words[0], words[1]}, {words[2], words[3]}};
  size_t unnamed = 0;
  return {DrawAxes(one, headline, theme, &unnamed).Document(),
          DrawAxes(two, headline, theme, &unnamed).Document(),
          DrawMap(map, headline, theme, true).Document(),
          DrawMatrix(words, similarities, headline, theme).Document(),
          DrawTrainings(trainings, headline, theme).Document(),
          DrawEvaluations({words[0], words[1]}, {group}, headline, theme)
              .Document()};
}

TEST(PicturesTest, AllAreWellFormedWithHostileWords) {
  if (!PythonIsThere()) GTEST_SKIP() << "python3 is not installed";
  for (const std::string& svg :
       AllPictures(PlottedHostileWords(), LightTheme())) {
    EXPECT_THAT(TextsOf(svg), HasSubstr("<script>alert(1)</script>"));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(PicturesTest, AMapNamesAPlaceOnce) {
  PlottedMap map;
  map.words = {"a", "b"};
  map.points = {{0, 0}, {10, 10}};
  map.clusters = {{{5, 2}, 0, "near, far"}, {{5, 8}, 1, "near, far"}};
  const std::string svg =
      DrawMap(map, {"map", ""}, LightTheme(), false).Document();
  const size_t first = svg.find("near, far</text>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(svg.find("near, far</text>", first + 1), std::string::npos);
}

TEST(PicturesTest, AMapIsColoredByItsCoarsestClusters) {
  PlottedMap map;
  for (int i = 0; i < 9; ++i) {
    map.words.push_back(absl::StrCat("w", i));
    map.points.push_back({i < 3 ? 0.0 : 100.0, static_cast<double>(i)});
  }
  map.clusters = {
      {{0, 1}, 0, "left"}, {{100, 5}, 0, "right"}, {{0, 2}, 1, "finer"}};
  const Theme& theme = LightTheme();
  const std::string svg = DrawMap(map, {"map", ""}, theme, true).Document();
  // The larger cluster has the first color; nothing is left for "other".
  const size_t right = svg.find(">right</text>");
  ASSERT_NE(right, std::string::npos);
  EXPECT_LT(right, svg.find(">left</text>"));
  EXPECT_THAT(svg, HasSubstr(CategoryColors()[0]));
  EXPECT_THAT(svg, HasSubstr(CategoryColors()[1]));
  EXPECT_THAT(svg, Not(HasSubstr(CategoryColors()[2])));
  EXPECT_THAT(svg, Not(HasSubstr(">other</text>")));
  EXPECT_THAT(DrawMap(map, {"map", ""}, theme, false).Document(),
              Not(HasSubstr(CategoryColors()[1])));
}

// The unit test of the page checks that they can be distinguished.
TEST(PicturesTest, CategoriesHaveTheColorsOfThePage) {
  const std::string page =
      ReadWholeFile(SourcePath("tools/web/map/palette.ts"));
  ASSERT_THAT(page, Not(testing::IsEmpty()));
  const size_t begin = page.find("= [", page.find("CATEGORIES"));
  const std::string list = page.substr(begin, page.find(']', begin) - begin);
  std::vector<std::string> colors;
  for (size_t at = list.find('#'); at != std::string::npos;
       at = list.find('#', at + 1)) {
    colors.push_back(list.substr(at, 7));
  }
  EXPECT_EQ(colors, CategoryColors());
  EXPECT_THAT(
      page, HasSubstr(absl::StrCat("OTHER = rgbOf('", kOtherCategories, "')")));
  for (const Theme* theme : {&LightTheme(), &DarkTheme()}) {
    for (const std::string& color : CategoryColors()) {
      EXPECT_GE(ContrastOf(color, theme->ground), 3) << color;
    }
  }
}

TEST(PicturesTest, EverySwatchOfALegendHasAText) {
  PlottedMap map;
  map.words = {"a", "b"};
  map.points = {{0, 0}, {10, 10}};
  const auto swatches = [&] {
    const std::string svg =
        DrawMap(map, {"map", ""}, LightTheme(), true).Document();
    size_t count = 0;  // The background is a rectangle, too.
    for (size_t at = svg.find("<rect"); at != std::string::npos;
         at = svg.find("<rect", at + 1)) {
      ++count;
    }
    return std::pair(count - 1, svg.find("(invisible name)") != svg.npos);
  };
  EXPECT_EQ(swatches(), std::pair(size_t{0}, false));
  map.clusters = {{{0, 0}, 0, "\xe2\x80\x8b "}, {{10, 10}, 0, "b"}};
  EXPECT_EQ(swatches(), std::pair(size_t{2}, true));
}

// The label of a small cluster would cover all of its dots.
TEST(PicturesTest, LabelsDoNotHideSmallClusters) {
  PlottedMap map;
  for (int i = 0; i < 40; ++i) {
    map.words.push_back(absl::StrCat("far", i));
    map.points.push_back({10.0 * i, 300.0 * (i % 2)});
  }
  for (int i = 0; i < 4; ++i) {
    map.words.push_back(absl::StrCat("near", i));
    map.points.push_back({200.0 + i, 150});
  }
  map.clusters = {{{0, 0}, 0, "others"}, {{201.5, 150}, 0, "the small one"}};
  const std::string svg =
      DrawMap(map, {"map", ""}, LightTheme(), true).Document();
  const std::regex text(
      "<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" font-size=\"([0-9.]+)\"[^>]*"
      "paint-order[^>]*>([^<]*)<");
  const std::regex dot("M([0-9.]+) ([0-9.]+)h0");
  std::vector<Point> dots;
  const size_t path = svg.find(CategoryColors()[1]);
  const std::string drawn = svg.substr(0, svg.find("paint-order"));
  for (std::sregex_iterator at(drawn.begin(), drawn.end(), dot), end; at != end;
       ++at) {
    const Point point = {std::stod((*at)[1]), std::stod((*at)[2])};
    // The small cluster is in the middle of the picture.
    if (std::abs(point.x - 624) < 30 && std::abs(point.y - 550) < 200) {
      dots.push_back(point);
    }
  }
  ASSERT_NE(path, std::string::npos);
  ASSERT_THAT(dots, SizeIs(4));
  bool is_labeled = false;
  for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end;
       ++at) {
    const double x = std::stod((*at)[1]), y = std::stod((*at)[2]);
    const double size = std::stod((*at)[3]);
    is_labeled |= (*at)[4] == "the small one";
    for (const Point& one : dots) {
      EXPECT_FALSE(one.x > x && one.x < x + TextWidth((*at)[4].str(), size) &&
                   one.y < y && one.y > y - 0.7 * size)
          << (*at)[4];
    }
  }
  EXPECT_TRUE(is_labeled);
}

TEST(PicturesTest, OneWordInOnePlaceIsAPicture) {
  for (const std::string& svg :
       AllPictures({"a", "a", "a", "a"}, DarkTheme())) {
    EXPECT_THAT(svg, HasSubstr(">a</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(RenderPngTest, GivesAPngOfTheSizeThatWasAsked) {
  Svg svg(30, 20, "#ffffff");
  svg.Text({2, 12}, "a", {.color = "#000000"});
  const auto png = RenderPng(svg.Document(), 30, 20, 3);
  if (png.status().code() == absl::StatusCode::kFailedPrecondition) {
    EXPECT_THAT(std::string(png.status().message()), HasSubstr("librsvg2-2"));
    GTEST_SKIP() << "librsvg is not installed";
  }
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(png->substr(0, 8), "\x89PNG\r\n\x1a\n");
  // IHDR: width and height, big-endian.
  EXPECT_EQ(png->substr(16, 8), std::string("\0\0\0\x5a\0\0\0\x3c", 8));
  EXPECT_EQ(RenderPng(svg.Document(), 30'000, 20, 2).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(RenderPngTest, WhatIsNoSvgIsRefusedAndNotAMatterOfMemory) {
  const absl::Status status = RenderPng("<svg", 30, 20, 1).status();
  if (status.code() == absl::StatusCode::kFailedPrecondition) {
    GTEST_SKIP() << "librsvg is not installed";
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("librsvg rejected"));
}

TEST(ReadTrainingTest, NumbersWhoseDifferenceIsInfiniteAreNone) {
  const TempFolder folder;
  const auto training = ReadTraining(
      folder.Write("run.jsonl",
                   "{\"words\":10,\"total\":40,\"loss\":1e308}\n"
                   "{\"words\":20,\"total\":1e308,\"loss\":-1e308}\n"
                   "{\"words\":30,\"total\":40,\"loss\":2}\n"));
  ASSERT_TRUE(training.ok()) << training.status();
  ASSERT_THAT(training->moments, SizeIs(3));
  EXPECT_TRUE(std::isnan(training->moments[0].loss));
  EXPECT_TRUE(std::isnan(training->moments[1].loss));
  EXPECT_EQ(training->moments[2].loss, 2);
  EXPECT_EQ(training->total, 40);
}

TEST(ReadTrainingTest, ALineThatIsBeingWrittenIsLeftOut) {
  const TempFolder folder;
  const std::string path =
      folder.Write("run.jsonl",
                   "{\"words\":10,\"total\":40,\"loss\":2}\n"
                   "{\"words\":20,\"total\":40,\"loss\":null}\n{\"words\":3");
  ASSERT_EQ(*TellPlotInput(path), PlotInput::kTraining);
  const auto training = ReadTraining(path);
  ASSERT_TRUE(training.ok()) << training.status();
  ASSERT_THAT(training->moments, SizeIs(2));
  EXPECT_EQ(training->moments[1].words, 20);
  EXPECT_TRUE(std::isnan(training->moments[1].loss));
  EXPECT_EQ(training->total, 40);
  EXPECT_FALSE(training->done);
}

TEST(ReadTrainingTest, AReportHasAMomentAnEpoch) {
  const TempFolder folder;
  const std::string path =
      folder.Write("report.json",
                   R"({"program": "firth", "words_trained": 100,
          "epochs": [{"loss": 3, "seconds": 2}, {"loss": 2, "seconds": 5}]})");
  ASSERT_EQ(*TellPlotInput(path), PlotInput::kTraining);
  const auto training = ReadTraining(path);
  ASSERT_TRUE(training.ok()) << training.status();
  ASSERT_THAT(training->moments, SizeIs(2));
  EXPECT_EQ(training->moments[0].words, 50);
  EXPECT_EQ(training->moments[0].words_per_second, 25);
  EXPECT_EQ(training->moments[1].loss, 2);
  EXPECT_TRUE(training->done);
}

TEST(ReadTrainingTest, AReportOfALanguageModelHasTwoKindsOfLosses) {
  const TempFolder folder;
  const std::string path =
      folder.Write("report.json",
                   R"({"program": "firth", "tokens": 100, "epoch_tokens": 40,
          "loss": [6, 5.5, 5], "validations": [
            {"tokens": 50, "forward_loss": 4, "backward_loss": 5},
            {"tokens": 100, "forward_loss": 4, "backward_loss": 0},
            {"tokens": null}]})");
  ASSERT_EQ(*TellPlotInput(path), PlotInput::kTraining);
  const auto training = ReadTraining(path);
  ASSERT_TRUE(training.ok()) << training.status();
  EXPECT_EQ(training->total, 100);
  EXPECT_TRUE(training->done);
  ASSERT_THAT(training->moments, SizeIs(5));
  EXPECT_EQ(training->moments[0].words, 40);
  EXPECT_EQ(training->moments[0].loss, 6);
  EXPECT_EQ(training->moments[2].words, 100);  // an incomplete epoch
  EXPECT_EQ(training->moments[3].words, 50);
  EXPECT_EQ(training->moments[3].valid_loss, 4.5);
  EXPECT_TRUE(std::isnan(training->moments[3].loss));
  EXPECT_EQ(training->moments[4].valid_loss, 4);
  const std::string svg =
      DrawTrainings({*training}, {}, LightTheme()).Document();
  EXPECT_THAT(svg, HasSubstr("Loss on held-out text"));
  EXPECT_THAT(svg, Not(HasSubstr("Learning rate")));
}

TEST(ReadTrainingTest, ErrorsNameTheLine) {
  const TempFolder folder;
  for (const auto& [text, message] :
       {std::pair("{\"words\":1}\n[1]\n", ":2: expected a line"),
        std::pair("{\"t\":1}\n", "\"lm gradients\", found other JSON"),
        std::pair("1\n", "\"lm gradients\", found something else"),
        std::pair("{\"words\":1", "contains no lines")}) {
    const auto training = ReadTraining(folder.Write("log", text));
    EXPECT_THAT(std::string(training.status().message()), HasSubstr(message));
  }
}

TEST(ReadEvaluationsTest, ModelsOfAllFilesStandSideBySide) {
  const TempFolder folder;
  const std::string one =
      folder.Write("a.json",
                   R"({"analogies": [{"file": "q", "sections":
            [{"name": "s", "correct": 50, "asked": 100}],
            "correct": 50, "asked": 100}],
          "similarity": [{"file": "w", "spearman": 0.5, "interval": [0.4, 0.6]}]})");
  const std::string other =
      folder.Write("b.json",
                   R"({"analogies": [{"file": "q", "sections":
            [{"name": "s", "correct": 0, "asked": 0}]}],
          "similarity": [{"file": "w", "spearman": null}],
          "other": {"analogies": [{"file": "q", "sections":
            [{"name": "s", "correct": 1, "asked": 1}]}],
          "similarity": [{"file": "w", "spearman": 1}]}})");
  EXPECT_EQ(*TellPlotInput(one), PlotInput::kEvaluation);
  const auto all = ReadEvaluations({one, other});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(all->models, ElementsAre(one, other + ", A", other + ", B"));
  ASSERT_THAT(all->groups, SizeIs(2));
  ASSERT_THAT(all->groups[0].tests, SizeIs(1));
  const Measured& share = all->groups[0].tests[0].models[0];
  // Wilson's interval of 50 of 100.
  EXPECT_DOUBLE_EQ(share.value, 0.5);
  EXPECT_NEAR(share.low, 0.4038, 1e-4);
  EXPECT_NEAR(share.high, 0.5962, 1e-4);
  EXPECT_TRUE(std::isnan(all->groups[0].tests[0].models[1].value));
  const Measured& correlation = all->groups[1].tests[0].models[0];
  EXPECT_DOUBLE_EQ(correlation.value, 0.5);
  EXPECT_DOUBLE_EQ(correlation.low, 0.4);
  EXPECT_DOUBLE_EQ(correlation.high, 0.6);
  EXPECT_TRUE(std::isnan(all->groups[1].tests[0].models[1].value));
  const std::string third = folder.Write(
      "c.json", R"({"similarity": [{"file": "other", "spearman": 1}]})");
  EXPECT_THAT(std::string(ReadEvaluations({one, third}).status().message()),
              HasSubstr("of other tests"));
  EXPECT_FALSE(ReadEvaluations({folder.Write("d.json", "{}")}).ok());
}

TEST(TellPlotInputTest, VectorsMayBeginWithABrace) {
  const TempFolder folder;
  EXPECT_EQ(*TellPlotInput(folder.Write("v.txt", "{ 0.5 1\n} 1 2\n")),
            PlotInput::kVectors);
  EXPECT_EQ(*TellPlotInput(folder.File("none")), PlotInput::kVectors);
}

}  // namespace
}  // namespace firth::tools
