// Fields of a struct that has one of every kind.

#include "firth/fields.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/fields_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

enum class Colour { kRed, kGreen };

struct Circle {
  static constexpr absl::string_view kName = "circle";
  double radius = 1;
  int parts = 8;
  static FieldTable Fields();
};
struct Polygon {
  static constexpr absl::string_view kName = "polygon";
  int parts = 3;
  bool star = false;

  static FieldTable Fields();
};
struct Nothing {
  static constexpr absl::string_view kName = "nothing";
};
struct Paper {
  uint64_t bytes = 1 << 20;

  static FieldTable Fields();
};
struct Picture {
  std::variant<Nothing, Circle, Polygon> shape;
  Colour colour = Colour::kRed;
  int width = 10;
  int height = 0;
  uint32_t small = 1;
  uint64_t seed = 7;
  double share = 0.1;
  double rate = 0;
  bool dashed = false;
  bool filled = true;
  std::string title = "a";
  std::string frame = "thin";
  std::vector<int> sizes;
  std::vector<std::string> tags;
  char letter = 'x';
  Paper paper;
  int threads = 0;

  static FieldTable Fields();
};

FieldTable Circle::Fields() {
  FieldsOf<Circle> fields;
  fields.Add("radius", &Circle::radius, "from the center").Range(0.5, 9);
  fields.Add("parts", &Circle::parts, "arcs").Range(3, 100);
  return fields;
}

FieldTable Polygon::Fields() {
  FieldsOf<Polygon> fields;
  fields.Add("parts", &Polygon::parts, "sides").Range(3, 100);
  fields.Add("star", &Polygon::star, "with points")
      .Needs({"colour"}, {"green"});
  return fields;
}

FieldTable Paper::Fields() {
  FieldsOf<Paper> fields;
  fields.Add("bytes", &Paper::bytes, "memory").Size().Work();
  return fields;
}

FieldTable Picture::Fields() {
  FieldsOf<Picture> fields;
  fields.Section("Form");
  fields.Variant("shape", &Picture::shape, "what is drawn").Shape();
  fields.Choice("colour", &Picture::colour, {"red", "green"}, "of it");
  fields.Add("width", &Picture::width, "in all").Range(1, 1000).Habit();
  fields.Add("height", &Picture::height, "of it, too");
  fields.Add("small", &Picture::small, "a number").Range(1, 4294967294.0);
  fields.Add("seed", &Picture::seed, "of chance");
  fields.Section("Paint");
  fields.Add("share", &Picture::share, "of paint").Range(0, 1);
  fields.Add("rate", &Picture::rate, "of drying")
      .Range(1e-9, Field::kUnlimited)
      .Automatic(0, "the best");
  fields.Add("dashed", &Picture::dashed, "with gaps");
  fields.Add("filled", &Picture::filled, "inside, too");
  fields.Add("title", &Picture::title, "above");
  fields.Add("frame", &Picture::frame, "around").Unlisted();
  fields.Add("sizes", &Picture::sizes, "to choose from").Range(1, 9);
  fields.Add("tags", &Picture::tags, "to find it").Needs({"dashed", "sizes"});
  fields.Written<char>(
      "letter", &Picture::letter,
      [](const char& letter) { return std::string(1, letter); },
      [](const std::string& text, char* letter) {
        if (text.size() == 1) *letter = text[0];
        return text.size() == 1;
      },
      "at the corner");
  fields.Part(&Picture::paper);
  fields.Add("threads", &Picture::threads, "hands").Range(0, 8).Work();
  return fields;
}

struct TextCase {
  const char* name;
  const char* text;
  bool is_value;
};

TEST(FieldsTest, TextsAreTakenAndToldAsTheyAreTyped) {
  const TextCase cases[] = {
      {"shape", "polygon", true},     {"shape", "square", false},
      {"colour", "green", true},      {"colour", "1", false},
      {"width", "1000", true},        {"width", "1001", false},
      {"width", "0", false},          {"width", "x", false},
      {"width", "-5", false},         {"small", "4294967294", true},
      {"small", "4294967295", false}, {"seed", "18446744073709551615", true},
      {"seed", "-1", false},          {"share", "0.3", true},
      {"share", "nan", false},        {"share", "1.01", false},
      {"rate", "0.25", true},         {"rate", "0", false},
      {"rate", "inf", false},         {"dashed", "true", true},
      {"dashed", "on", false},        {"filled", "off", true},
      {"filled", "false", false},     {"title", "b c", true},
      {"frame", "wide", true},        {"height", "-1", false},
      {"sizes", "1,9", true},         {"sizes", "1,10", false},
      {"sizes", "1,", false},         {"tags", "a,b", true},
      {"letter", "q", true},          {"letter", "qq", false},
      {"radius", "2.5", true},        {"parts", "50", true},
      {"parts", "2", false},          {"none", "1", false}};
  for (const TextCase& one : cases) {
    Picture picture;
    FieldEditor editor(&picture);
    const std::string before = editor.Text(one.name);
    EXPECT_EQ(editor.SetText(one.name, one.text), one.is_value)
        << one.name << " " << one.text;
    EXPECT_EQ(editor.Text(one.name), one.is_value ? one.text : before);
  }
}

TEST(FieldsTest, SizesMayHaveUnits) {
  Picture picture;
  FieldEditor editor(&picture);
  EXPECT_EQ(editor.DefaultText("bytes"), "1048576");
  EXPECT_TRUE(editor.SetText("bytes", "1.5GiB"));
  EXPECT_EQ(picture.paper.bytes, uint64_t{3} << 29);
  EXPECT_FALSE(editor.SetText("bytes", "1X"));
}

TEST(FieldsTest, WhatIsSetOfAnAlternativeIsThereWhenItIsChosen) {
  Picture picture;
  FieldEditor editor(&picture);
  EXPECT_TRUE(editor.SetText("parts", "12"));
  EXPECT_TRUE(editor.SetText("radius", "4"));
  EXPECT_TRUE(editor.SetText("shape", "circle"));
  EXPECT_EQ(std::get<Circle>(picture.shape).radius, 4);
  EXPECT_EQ(std::get<Circle>(picture.shape).parts, 12);
  EXPECT_TRUE(editor.SetText("radius", "5"));
  EXPECT_EQ(std::get<Circle>(picture.shape).radius, 5);
  EXPECT_TRUE(editor.SetText("shape", "polygon"));
  EXPECT_EQ(std::get<Polygon>(picture.shape).parts, 12);
  EXPECT_TRUE(editor.SetText("shape", "circle"));
  EXPECT_EQ(std::get<Circle>(picture.shape).radius, 5);
  EXPECT_EQ(editor.DefaultText("parts"), "8, 3 with polygon");
}

TEST(FieldsTest, FieldsSayWhatTheyGoWith) {
  Picture picture;
  FieldEditor editor(&picture);
  EXPECT_FALSE(editor.Applies("parts"));
  EXPECT_EQ(DoesNotApply(editor, "parts").message(),
            "parts requires shape circle or polygon, but shape is nothing");
  EXPECT_FALSE(editor.Applies("tags"));
  EXPECT_EQ(DoesNotApply(editor, "tags").message(),
            "tags requires dashed or sizes, but dashed is false");
  EXPECT_TRUE(editor.SetText("shape", "polygon"));
  EXPECT_FALSE(editor.Applies("star"));
  EXPECT_EQ(
      DoesNotApply(editor, "star").message(),
      "star requires shape polygon and colour green, but shape is polygon "
      "and colour is red");
  EXPECT_TRUE(editor.SetText("colour", "green"));
  EXPECT_TRUE(editor.Applies("star"));
  EXPECT_TRUE(editor.SetText("sizes", "2"));
  EXPECT_TRUE(editor.Applies("tags"));
}

TEST(FieldsTest, ChecksNameWhatIsOutOfItsRange) {
  const auto check = [](auto change) {
    Picture picture;
    change(picture);
    absl::Status status = CheckFields(picture);
    status.Update(CheckFieldsApply(picture, {"star"}));
    return std::string(status.message());
  };
  EXPECT_EQ(check([](Picture&) {}), "");
  EXPECT_EQ(check([](Picture& p) { p.width = 0; }),
            "width: expected 1 to 1000, found 0");
  EXPECT_EQ(check([](Picture& p) { p.share = NAN; }),
            "share: expected 0 to 1, found nan");
  EXPECT_EQ(check([](Picture& p) { p.rate = -1; }),
            "rate: expected 1e-09 or more, found -1");
  EXPECT_EQ(check([](Picture& p) {
              p.sizes = {3, 10};
            }),
            "sizes: expected 1 to 9, found 10");
  EXPECT_EQ(check([](Picture& p) { p.colour = static_cast<Colour>(2); }),
            "colour: expected red or green, found 2");
  EXPECT_EQ(check([](Picture& p) { p.shape = Circle{.radius = 10}; }),
            "radius: expected 0.5 to 9, found 10");
  EXPECT_THAT(check([](Picture& p) { p.shape = Polygon{.star = true}; }),
              HasSubstr("star requires "));
}

TEST(FieldsTest, JsonHasWhatAppliesAndComesBackAsItWas) {
  Picture picture;
  picture.shape = Circle{.radius = 0.7};
  picture.sizes = {1, 2};
  picture.tags = {"a", "b"};
  picture.seed = UINT64_MAX;
  picture.colour = Colour::kGreen;
  picture.filled = false;
  const std::string json = FieldsJson(picture);
  EXPECT_EQ(
      json,
      R"({"shape":"circle","radius":0.7,"parts":8,"colour":"green",)"
      R"("width":10,"height":0,"small":1,"seed":18446744073709551615,"share":0.1,)"
      R"("rate":0.0,"dashed":false,"filled":false,"title":"a",)"
      R"("sizes":[1,2],"tags":["a","b"],"letter":"x","bytes":1048576,)"
      R"("threads":0})");
  const absl::StatusOr<Picture> again = ReadFieldsJson<Picture>(json);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FieldsJson(*again), json);
  EXPECT_EQ(std::get<Circle>(again->shape).radius, 0.7);
}

TEST(FieldsTest, JsonHasUnlistedFieldsThatAreNotAtTheirDefault) {
  Picture picture;
  EXPECT_THAT(FieldsJson(picture), Not(HasSubstr("frame")));
  picture.frame = "wide";
  const std::string json = FieldsJson(picture);
  EXPECT_THAT(json, HasSubstr(R"("frame":"wide")"));
  EXPECT_EQ(ReadFieldsJson<Picture>(json)->frame, "wide");
}

TEST(FieldsTest, WholeNumbersWithoutARangeEndWhereTheirTypeDoes) {
  Picture picture;
  FieldEditor editor(&picture);
  EXPECT_TRUE(editor.SetText("height", "2147483647"));
  EXPECT_FALSE(editor.SetText("height", "2147483648"));
  EXPECT_EQ(editor.Find("height")->Expected(),
            "a whole number, 0 to 2147483647");
}

TEST(FieldsTest, JsonMayComeInAnyOrderAndWhatLacksHasItsDefault) {
  const auto picture = ReadFieldsJson<Picture>(
      R"({"star": true, "parts": 5, "shape": "polygon", "colour": "green"})");
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_TRUE(std::get<Polygon>(picture->shape).star);
  EXPECT_EQ(std::get<Polygon>(picture->shape).parts, 5);
  EXPECT_EQ(picture->width, 10);
}

TEST(FieldsTest, JsonErrorsNameTheFieldWhatWasExpectedAndWhatWasFound) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1]", "options: not a JSON object; write options as {\"name\": value}"},
      {"{", "options: not a JSON object; write options as {\"name\": value}"},
      {R"({"widht": 3})", "no option \"widht\""},
      {R"({"width": 3, "width": 4})", "width: this option is given twice"},
      {R"({"width": "3"})",
       "width: expected a whole number, 1 to 1000, found \"3\""},
      {R"({"width": 3.5})",
       "width: expected a whole number, 1 to 1000, found 3.5"},
      {R"({"width": 99999999999})",
       "width: expected a whole number, 1 to 1000, found 99999999999"},
      {R"({"seed": -1})", "seed: expected a whole number, 0 or more, found -1"},
      {R"({"seed": 18446744073709551616})",
       "seed: expected a whole number, 0 or more, found "
       "1.8446744073709552e+19"},
      {R"({"share": null})", "share: expected a number, 0 to 1, found null"},
      {R"({"dashed": "on"})", "dashed: expected true or false, found \"on\""},
      {R"({"colour": 1})", "colour: expected red or green, found 1"},
      {R"({"shape": "square"})",
       "shape: expected nothing, circle or polygon, found \"square\""},
      {R"({"sizes": [1, 10]})",
       "sizes: expected a list of whole numbers, 1 to 9, found [1,10]"},
      {R"({"tags": "a"})", "tags: expected a list of texts, found \"a\""},
      {R"({"parts": 4})",
       "parts requires shape circle or polygon, but shape is nothing"}};
  for (const auto& [json, message] : cases) {
    const auto picture = ReadFieldsJson<Picture>(json);
    EXPECT_EQ(picture.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(picture.status().message(), HasSubstr(message)) << json;
  }
}

// In quadratic time this would take hours.
TEST(FieldsTest, JsonWithManyNamesIsRefusedAtOnce) {
  std::string json = "{";
  for (int i = 0; i < 500'000; ++i) {
    absl::StrAppend(&json, i == 0 ? "" : ",", "\"n", i, "\":0");
  }
  EXPECT_THAT(ReadFieldsJson<Picture>(json + "}").status().message(),
              HasSubstr("no option \"n0\""));
}

// A choice whose second name was "verdant" once.
struct Renamed {
  Colour colour = Colour::kRed;
  static FieldTable Fields() {
    constexpr std::array<absl::string_view, 2> kNames = {"red", "green"};
    FieldsOf<Renamed> fields;
    fields.Choice("colour", &Renamed::colour, kNames, "").former_choices = {
        {"verdant", "green"}};
    return fields;
  }
};

TEST(FieldsTest, FormerNamesOfChoicesAreRead) {
  const auto read = ReadFieldsJson<Renamed>(R"({"colour": "verdant"})");
  ASSERT_EQ(read.status(), absl::OkStatus());
  EXPECT_EQ(read->colour, Colour::kGreen);
  const nlohmann::json now = IdentityOf(*read);
  EXPECT_EQ(now["colour"], "green");
  EXPECT_THAT(
      FieldDifferences(TableFor<Renamed>(), {{"colour", "verdant"}}, now),
      IsEmpty());
  EXPECT_THAT(
      ReadFieldsJson<Renamed>(R"({"colour": "blue"})").status().message(),
      HasSubstr("red or green"));
}

TEST(FieldsTest, DifferencesTakeWhatCameLaterAsItsDefault) {
  Picture picture;
  picture.width = 11;
  nlohmann::json now = IdentityOf(picture);
  EXPECT_FALSE(now.contains("threads"));
  EXPECT_FALSE(now.contains("bytes"));
  nlohmann::json before = now;
  EXPECT_THAT(FieldDifferences(TableFor<Picture>(), before, now), IsEmpty());
  before["colour"] = 1;
  before["width"] = 10;
  before["text"] = "x";
  before["radius"] = 3;
  before["letter"] = nlohmann::json::array({{1, 32}, {2, 64}});
  before.erase("seed");
  before.erase("filled");
  before.erase("sizes");
  EXPECT_THAT(FieldDifferences(TableFor<Picture>(), before, now),
              ElementsAre("colour was \"green\" and is now \"red\"",
                          "letter was \"1x32,2x64\" and is now \"x\"",
                          "text was \"x\" and is now not given",
                          "width was 10 and is now 11"));
  EXPECT_THAT(FieldDifferences(TableFor<Picture>(), "nonsense", now),
              ElementsAre("width was 10 and is now 11"));

  // What is no field is told as what it is: a checksum.
  before = now;
  before["text"] = "12ab";
  now["text"] = "34cd";
  EXPECT_THAT(
      FieldDifferences(TableFor<Picture>(), before, now),
      ElementsAre(
          "text changed (its checksum was \"12ab\" and is now \"34cd\")"));

  // What is not listed is told only where it is not at its default.
  before = now;
  before["frame"] = "wide";
  EXPECT_THAT(FieldDifferences(TableFor<Picture>(), before, now),
              ElementsAre("frame was \"wide\" and is now \"thin\""));
  EXPECT_THAT(FieldDifferences(TableFor<Picture>(), now, before),
              ElementsAre("frame was \"thin\" and is now \"wide\""));
}

TEST(FieldsTest, JoinsAlternatives) {
  EXPECT_EQ(JoinAlternatives({}), "");
  EXPECT_EQ(JoinAlternatives({"ns"}), "ns");
  EXPECT_EQ(JoinAlternatives({"ns", "nce"}), "ns or nce");
  EXPECT_EQ(JoinAlternatives({"ns", "nce", "hs"}), "ns, nce or hs");
}

struct Rowed {
  int count = 0;
  double share = -1;
  std::string place;

  static FieldTable Fields() {
    FieldsOf<Rowed> fields;
    fields.Add("count", &Rowed::count, "number of rows");
    fields.Add("share", &Rowed::share, "fraction",
               Field().Range(0, 1).Automatic(-1, "").Habit());
    fields.Add("place", &Rowed::place, "folder",
               Field().Place().Default("the current one"));
    return fields;
  }
};

// The properties are the same in the call and after it.
TEST(FieldsTest, PropertiesAreGivenWithAField) {
  const std::vector<Field>& fields = TableFor<Rowed>().fields();
  EXPECT_EQ(fields[0].default_text, "0");
  EXPECT_EQ(fields[0].max, std::numeric_limits<int>::max());
  EXPECT_EQ(fields[1].default_text, "");
  EXPECT_EQ(fields[1].max, 1);
  EXPECT_EQ(fields[1].automatic, -1);
  EXPECT_EQ(fields[1].role, FieldRole::kHabit);
  EXPECT_EQ(fields[2].default_text, "the current one");
  EXPECT_EQ(fields[2].role, FieldRole::kPlace);
}

}  // namespace
}  // namespace firth
