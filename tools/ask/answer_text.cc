// Formats answers from their tables alone, without knowledge of the question.
// The types of the members decide the layout: scalars are lines, lists of
// structs are tables, and a word that is followed by a vector is a line of a
// vector file.

#include "ask/answer_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/console.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

// Maximum number of items of a list in one cell of a table.
constexpr size_t kMostInCell = 4;
constexpr size_t kAll = std::numeric_limits<size_t>::max();

bool IsScalar(AnswerKind kind) {
  return kind != AnswerKind::kList && kind != AnswerKind::kStruct;
}

// Returns a number with this many decimals. A small number keeps two digits, so
// that a p-value of 0.00003 is not printed as 0.0000.
std::string NumberText(double number, uint64_t digits) {
  if (!std::isfinite(number)) return "-";
  const double half = 0.5 * std::pow(10.0, -static_cast<double>(digits));
  // A number such as 1e-9 is zero apart from rounding errors.
  if (std::abs(number) < 1e-7) number = 0;
  const bool vanishes = number != 0 && std::abs(number) < half;
  return vanishes ? absl::StrFormat("%.2g", number)
                  : absl::StrFormat("%.*f", static_cast<int>(digits), number);
}

std::string CellText(const AnswerType& type, const void* value, uint64_t digits,
                     size_t most = kMostInCell);

std::string ListText(const AnswerType& type, const void* list, uint64_t digits,
                     size_t most) {
  std::vector<std::string> cells;
  const size_t size = type.size(list);
  for (size_t i = 0; i < std::min(size, most); ++i) {
    cells.push_back(CellText(*type.item, type.at(list, i), digits));
  }
  if (size > most) cells.emplace_back("...");
  return absl::StrJoin(cells, ", ");
}

// Returns the text of a value in a cell. A struct is represented by its first
// member.
std::string CellText(const AnswerType& type, const void* value, uint64_t digits,
                     size_t most) {
  switch (type.kind) {
    case AnswerKind::kList:
      return ListText(type, value, digits, most);
    case AnswerKind::kStruct: {
      const AnswerMember& first = type.members->front();
      return CellText(*first.type, first.of(value), digits);
    }
    case AnswerKind::kOptional:
      return type.size(value) == 0
                 ? "-"
                 : CellText(*type.item, type.at(value, 0), digits);
    case AnswerKind::kText:
      return std::string(type.text(value));
    case AnswerKind::kReal:
      return NumberText(type.number(value), digits);
    default: {
      std::string json;
      type.append(value, &json);
      uint64_t number = 0;
      return absl::SimpleAtoi(json, &number) ? Thousands(number) : json;
    }
  }
}

const AnswerType& WithoutOptional(const AnswerType& type) {
  return type.kind == AnswerKind::kOptional ? *type.item : type;
}

char AlignmentOf(const AnswerType& type, bool is_score) {
  const AnswerKind kind = WithoutOptional(type).kind;
  if (kind != AnswerKind::kReal && kind != AnswerKind::kWhole) return 'l';
  return is_score ? 's' : 'r';
}

std::vector<const AnswerMember*> Listed(const AnswerTable& table) {
  std::vector<const AnswerMember*> listed;
  for (const AnswerMember& member : table) {
    if (member.listed) listed.push_back(&member);
  }
  return listed;
}

bool IsListOf(const AnswerType& type, AnswerKind kind) {
  return type.kind == AnswerKind::kList && type.item->kind == kind;
}

// Returns the numbers of a vector with all digits.
std::string RowText(const AnswerType& type, const void* list) {
  std::string text;
  for (size_t i = 0; i < type.size(list); ++i) {
    if (i > 0) text += " ";
    type.item->append(type.at(list, i), &text);
  }
  return text;
}

bool IsVector(const AnswerType& type) {
  return IsListOf(WithoutOptional(type), AnswerKind::kReal);
}

// Returns a line of a text file of vectors, such as "cat 0.1 0.2", for a struct
// that begins with a text and ends with a vector. Returns "" for other structs,
// and if the vector has no value.
std::string VectorLine(const AnswerTable& members, const void* value) {
  const std::vector<const AnswerMember*> listed = Listed(members);
  const AnswerMember& last = *listed.back();
  if (listed[0]->type->kind != AnswerKind::kText || !IsVector(*last.type)) {
    return "";
  }
  const void* list = last.of(value);
  if (last.type->kind == AnswerKind::kOptional) {
    if (last.type->size(list) == 0) return "";
    list = last.type->at(list, 0);
  }
  return absl::StrCat(listed[0]->type->text(listed[0]->of(value)), " ",
                      RowText(WithoutOptional(*last.type), list), "\n");
}

// Returns the VectorLine() of each struct of a list.
std::string VectorLines(const AnswerType& type, const void* list) {
  std::string text;
  if (!IsListOf(type, AnswerKind::kStruct)) return text;
  for (size_t i = 0; i < type.size(list); ++i) {
    text += VectorLine(*type.item->members, type.at(list, i));
  }
  return text;
}

// Returns whether the member is an optional without a value or a list without
// items.
bool IsEmpty(const AnswerMember& member, const void* item) {
  return member.type->size != nullptr &&
         member.type->size(member.of(item)) == 0;
}

// Returns the columns of a table, without those that are empty in all items.
std::vector<const AnswerMember*> ColumnsOf(const AnswerType& type,
                                           const void* list) {
  std::vector<const AnswerMember*> columns = Listed(*type.item->members);
  if (IsVector(*columns.back()->type)) columns.pop_back();
  const auto is_needed = [&](const AnswerMember* column) {
    for (size_t i = 0; i < type.size(list); ++i) {
      if (!IsEmpty(*column, type.at(list, i))) return true;
    }
    return false;
  };
  std::vector<const AnswerMember*> needed;
  for (const AnswerMember* column : columns) {
    if (is_needed(column)) needed.push_back(column);
  }
  return needed;
}

// Returns each item as a block: its first member, then one line for each other
// member.
std::string RecordsText(const AnswerType& type, const void* list,
                        const AnswerStyle& style) {
  const AnswerTable& members = *type.item->members;
  std::string text;
  for (size_t i = 0; i < type.size(list); ++i) {
    TextTable lines("ll");
    const void* const item = type.at(list, i);
    for (const AnswerMember& member : members) {
      std::string cell =
          CellText(*member.type, member.of(item), style.digits, kAll);
      if (&member == &members[0]) {
        absl::StrAppend(&text, Styled(Style::kBold, cell), "\n");
      } else if (!IsEmpty(member, item)) {
        lines.AddRow({"  " + member.name, std::move(cell)});
      }
    }
    text += lines.ToString();
  }
  return text;
}

// Returns a list of structs as a table. A table of up to two columns, such as
// words with their scores, has no header.
std::string TableText(const AnswerType& type, const void* list,
                      const AnswerStyle& style) {
  if (type.size(list) == 0) return "";
  if (style.records) return RecordsText(type, list, style);
  const std::vector<const AnswerMember*> columns = ColumnsOf(type, list);
  const bool has_header = columns.size() > 2;
  std::string alignment;
  std::vector<std::string> header;
  for (const AnswerMember* column : columns) {
    alignment += AlignmentOf(*column->type, !has_header);
    header.push_back(column->name);
  }
  if (style.labelled) header[0].insert(0, "  ");
  TextTable table(alignment);
  if (has_header) table.AddRow(std::move(header));
  for (size_t i = 0; i < type.size(list); ++i) {
    std::vector<std::string> cells;
    for (const AnswerMember* column : columns) {
      std::string cell =
          CellText(*column->type, column->of(type.at(list, i)), style.digits);
      if (cells.empty() && style.labelled) cell.insert(0, "  ");
      cells.push_back(std::move(cell));
    }
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

// Returns a square matrix whose rows and columns have these names.
std::string MatrixText(const AnswerType& type, const void* rows,
                       const std::vector<std::string>& names, uint64_t digits) {
  TextTable table("l" + std::string(names.size(), 'r'));
  std::vector<std::string> header = {""};
  header.insert(header.end(), names.begin(), names.end());
  table.AddRow(std::move(header));
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> cells = {names[i]};
    const void* const row = type.at(rows, i);
    for (size_t j = 0; j < names.size(); ++j) {
      cells.push_back(
          CellText(*type.item->item, type.item->at(row, j), digits));
    }
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

std::string MemberText(const AnswerType& answer_type,
                       const AnswerMember& member, const void* answer,
                       const AnswerStyle& style) {
  const AnswerType& type = *member.type;
  const void* const value = member.of(answer);
  if (!member.labels.empty()) {
    return MatrixText(type, value,
                      *FindMember<std::vector<std::string>>(answer_type, answer,
                                                            member.labels),
                      style.digits);
  }
  if (IsListOf(type, AnswerKind::kStruct)) return TableText(type, value, style);
  if (IsListOf(type, AnswerKind::kReal)) return RowText(type, value) + "\n";
  if (type.kind != AnswerKind::kList) {
    return CellText(type, value, style.digits) + "\n";
  }
  std::string text;
  for (size_t i = 0; i < type.size(value); ++i) {
    const void* const item = type.at(value, i);
    absl::StrAppend(&text, style.labelled ? "  " : "",
                    IsVector(*type.item)
                        ? RowText(*type.item, item)
                        : CellText(*type.item, item, style.digits),
                    "\n");
  }
  return text;
}

// Returns all members. Scalars come first, as a name and a value. Lists follow,
// under their names if there are several.
std::string MembersText(const AnswerType& type, const void* answer,
                        AnswerStyle style) {
  TextTable scalars("lr");
  std::vector<const AnswerMember*> lists;
  for (const AnswerMember* member : Listed(*type.members)) {
    if (IsScalar(member->type->kind)) {
      scalars.AddRow(
          {absl::StrReplaceAll(member->name, {{"_", " "}}),
           CellText(*member->type, member->of(answer), style.digits)});
    } else {
      lists.push_back(member);
    }
  }
  style.labelled = lists.size() > 1;
  std::string text = scalars.ToString();
  for (const AnswerMember* member : lists) {
    const std::string list = MemberText(type, *member, answer, style);
    if (list.empty()) continue;
    const std::string name = absl::StrReplaceAll(member->name, {{"_", " "}});
    absl::StrAppend(&text, style.labelled ? Styled(Style::kBold, name) : "",
                    text.empty() && !style.labelled ? "" : "\n", list);
  }
  return text;
}

}  // namespace

bool HasDecimals(const AnswerType& type) {
  switch (type.kind) {
    case AnswerKind::kReal:
      return true;
    case AnswerKind::kOptional:
      return HasDecimals(*type.item);
    case AnswerKind::kList:
      return !IsVector(type) && HasDecimals(*type.item);
    case AnswerKind::kStruct:
      return std::any_of(type.members->begin(), type.members->end(),
                         [](const AnswerMember& member) {
                           return member.listed && (!member.labels.empty() ||
                                                    HasDecimals(*member.type));
                         });
    default:
      return false;
  }
}

std::vector<std::string> ErrorsIn(const AnswerType& type, const void* answer) {
  std::vector<std::string> errors;
  for (const AnswerMember& member : *type.members) {
    if (!IsListOf(*member.type, AnswerKind::kStruct)) continue;
    const AnswerType& item = *member.type->item;
    const void* const list = member.of(answer);
    for (size_t i = 0; i < member.type->size(list); ++i) {
      const void* const value = member.type->at(list, i);
      const auto* const error =
          FindMember<std::optional<std::string>>(item, value, "error");
      if (error == nullptr || !error->has_value()) continue;
      errors.push_back(absl::StrCat(CellText(item, value, 0), ": ", **error));
    }
  }
  return errors;
}

bool HasAnswer(const AnswerType& type, const void* answer) {
  for (const AnswerMember* member : Listed(*type.members)) {
    if (member->type->kind == AnswerKind::kText) continue;
    if (member->type->size == nullptr) return true;
    if (member->type->size(member->of(answer)) > 0) return true;
  }
  return false;
}

std::string AnswerText(const AnswerType& type, const void* answer,
                       const AnswerStyle& style) {
  const std::vector<const AnswerMember*> listed = Listed(*type.members);
  const bool is_one = listed.size() == 1;
  const std::string lines =
      is_one ? VectorLines(*listed[0]->type, listed[0]->of(answer))
             : VectorLine(*type.members, answer);
  if (!lines.empty()) return lines;
  const std::string* const query =
      FindMember<std::string>(type, answer, "query");
  std::string label;
  if (style.labelled && query != nullptr) {
    const bool on_one_line =
        is_one && (IsScalar(listed[0]->type->kind) ||
                   IsListOf(*listed[0]->type, AnswerKind::kReal));
    label = on_one_line ? *query + "  " : Styled(Style::kBold, *query) + "\n";
  }
  return label + (is_one ? MemberText(type, *listed[0], answer, style)
                         : MembersText(type, answer, style));
}

}  // namespace firth::tools
