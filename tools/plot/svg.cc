// Elements are written one behind the other as they are drawn, so that later
// ones cover earlier ones.

#include "plot/svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/console.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

// Hundredths of a pixel, without zeros at the end.
std::string Number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return absl::StrCat(rounded == 0 ? 0 : rounded);
}

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// The bytes of the first character of a text that is valid UTF-8.
size_t FirstBytes(absl::string_view text) {
  size_t bytes = 1;
  while (bytes < text.size() &&
         (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) {
    ++bytes;
  }
  return bytes;
}

// How wide a character may be, as a share of the size of the font: that of
// DejaVu Sans and Verdana, which are wider than Arial, Helvetica and Roboto.
double CharacterWidth(absl::string_view character) {
  if (character.size() == 1) {
    const char c = character[0];
    if (absl::StrContains("mMW@%", c)) return 1.0;
    if (absl::StrContains("ijl.,:;'|! ", c)) return 0.36;
    if (absl::StrContains("frtI()[]{}/\\-`\"", c)) return 0.47;
    if (absl::StrContains("wOQGHNDU+=<>~#^_&", c)) return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.72 : 0.64;
  }
  const size_t columns = DisplayWidth(character);
  if (columns == 0) return 0;
  return columns == 2 ? 1.3 : 0.95;
}

absl::string_view NameOf(Anchor anchor) {
  switch (anchor) {
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
    default:
      return "start";
  }
}

}  // namespace

std::string Shown(absl::string_view text, size_t most) {
  // Visible() leaves line ends and tabs, and two characters that Unicode keeps
  // for none, which XML does not allow.
  const std::string visible =
      absl::StrReplaceAll(Visible(text), {{"\n", "\\n"},
                                          {"\t", "\\t"},
                                          {"\xef\xbf\xbe", "\\ufffe"},
                                          {"\xef\xbf\xbf", "\\uffff"}});
  if (DisplayWidth(visible) <= most) {
    if (visible.size() <= 16 * most) return visible;
  }
  // Marks without a width can be many, too.
  size_t end = 0;
  size_t columns = 0;
  while (end < visible.size() && end < 16 * most) {
    const absl::string_view rest = absl::string_view(visible).substr(end);
    const size_t bytes = FirstBytes(rest);
    columns += DisplayWidth(rest.substr(0, bytes));
    if (columns + 1 > most) break;
    end += bytes;
  }
  return visible.substr(0, end) + "\xe2\x80\xa6";
}

double TextWidth(absl::string_view text, double size, bool bold) {
  double width = 0;
  while (!text.empty()) {
    const size_t bytes = FirstBytes(text);
    width += CharacterWidth(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width * size * (bold ? 1.12 : 1);
}

Svg::Svg(double width, double height, const std::string& background)
    : width_(std::ceil(width)), height_(std::ceil(height)) {
  Rectangle({0, 0, width_, height_}, background);
}

void Svg::Rectangle(const Box& box, const std::string& fill, double opacity) {
  absl::StrAppend(&body_, "<rect x=\"", Number(box.left), "\" y=\"",
                  Number(box.top), "\" width=\"", Number(box.width()),
                  "\" height=\"", Number(box.height()), "\" fill=\"", fill,
                  "\"");
  if (opacity < 1) {
    absl::StrAppend(&body_, " fill-opacity=\"", Number(opacity), "\"");
  }
  body_ += "/>\n";
}

void Svg::Line(Point from, Point to, const std::string& color, double width) {
  absl::StrAppend(&body_, "<line x1=\"", Number(from.x), "\" y1=\"",
                  Number(from.y), "\" x2=\"", Number(to.x), "\" y2=\"",
                  Number(to.y), "\" stroke=\"", color, "\" stroke-width=\"",
                  Number(width), "\"/>\n");
}

void Svg::Polyline(const std::vector<Point>& points, const std::string& color,
                   double width) {
  std::string list;
  for (const Point& point : points) {
    absl::StrAppend(&list, list.empty() ? "" : " ", Number(point.x), ",",
                    Number(point.y));
  }
  absl::StrAppend(&body_, "<polyline points=\"", list,
                  "\" fill=\"none\" stroke=\"", color, "\" stroke-width=\"",
                  Number(width),
                  "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n");
}

void Svg::Circle(Point center, double radius, const std::string& fill,
                 absl::string_view title) {
  absl::StrAppend(&body_, "<circle cx=\"", Number(center.x), "\" cy=\"",
                  Number(center.y), "\" r=\"", Number(radius), "\" fill=\"",
                  fill, "\"");
  if (title.empty()) {
    body_ += "/>\n";
  } else {
    absl::StrAppend(&body_, "><title>", Escaped(title), "</title></circle>\n");
  }
}

// Lines of no length with round ends take a fifth of the bytes of circles.
// Where the dots of two elements overlap, their colors add up.
void Svg::Dots(const std::vector<Point>& centers, double radius,
               const std::string& fill, double opacity) {
  constexpr size_t kDotsOfElement = 500;
  for (size_t begin = 0; begin < centers.size(); begin += kDotsOfElement) {
    std::string path;
    const size_t end = std::min(begin + kDotsOfElement, centers.size());
    for (size_t i = begin; i < end; ++i) {
      absl::StrAppend(&path, "M", Number(centers[i].x), " ",
                      Number(centers[i].y), "h0");
    }
    absl::StrAppend(&body_, "<path d=\"", path, "\" stroke=\"", fill,
                    "\" stroke-opacity=\"", Number(opacity),
                    "\" stroke-width=\"", Number(2 * radius),
                    "\" stroke-linecap=\"round\"/>\n");
  }
}

void Svg::Text(Point at, absl::string_view shown, const TextStyle& style) {
  absl::StrAppend(&body_, "<text x=\"", Number(at.x), "\" y=\"", Number(at.y),
                  "\" font-size=\"", Number(style.size), "\" fill=\"",
                  style.color, "\"");
  if (style.anchor != Anchor::kStart) {
    absl::StrAppend(&body_, " text-anchor=\"", NameOf(style.anchor), "\"");
  }
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (!style.halo.empty()) {
    absl::StrAppend(&body_, " stroke=\"", style.halo,
                    "\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                    "paint-order=\"stroke\"");
  }
  if (style.turn != 0) {
    absl::StrAppend(&body_, " transform=\"rotate(", Number(style.turn), " ",
                    Number(at.x), " ", Number(at.y), ")\"");
  }
  absl::StrAppend(&body_, ">", Escaped(shown), "</text>\n");
}

std::string Svg::Document() const {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
                      Number(width_), "\" height=\"", Number(height_),
                      "\" viewBox=\"0 0 ", Number(width_), " ", Number(height_),
                      "\" font-family=\"sans-serif\">\n", body_, "</svg>\n");
}

}  // namespace firth::tools
