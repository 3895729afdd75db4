// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader for the JSON that the emulated device writes, and the table made of it.
#include "runtime/cli/CountersTable.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace heddle::runtime::cli {

namespace {

/// Numbers and words are kept as their text: they are only printed.
struct Json {
  enum class Kind : uint8_t { kScalar, kList, kObject } kind = Kind::kScalar;
  std::string name; ///< as a member of an object
  std::string text;
  std::vector<Json> members;
};

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<Json> parse() {
    Json value;
    if (!parseValue(value, kMaxDepth))
      return std::nullopt;
    skipBlanks();
    return at == text.size() ? std::optional<Json>(std::move(value)) : std::nullopt;
  }

private:
  static constexpr int kMaxDepth = 32;

  void skipBlanks() {
    while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
      ++at;
  }
  bool take(char c) {
    skipBlanks();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool parseString(std::string &result) {
    if (!take('"'))
      return false;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && ++at >= text.size())
        return false;
      result += text[at];
    }
    return take('"');
  }
  bool parseValue(Json &value, int depth) {
    skipBlanks();
    if (depth == 0 || at >= text.size())
      return false;
    char first = text[at];
    if (first == '"')
      return parseString(value.text);
    if (first != '{' && first != '[') {
      size_t end = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
      value.text = text.substr(at, end - at);
      at = end;
      return !value.text.empty();
    }
    ++at;
    bool isObject = first == '{';
    char closing = isObject ? '}' : ']';
    value.kind = isObject ? Json::Kind::kObject : Json::Kind::kList;
    if (take(closing))
      return true;
    do {
      Json &member = value.members.emplace_back();
      if (isObject && (!parseString(member.name) || !take(':')))
        return false;
      if (!parseValue(member, depth - 1))
        return false;
    } while (take(','));
    return take(closing);
  }

  std::string_view text;
  size_t at = 0;
};

std::string scalarText(const Json &value) {
  return value.kind == Json::Kind::kScalar ? value.text : "...";
}

void formatLines(const Json &value, const std::string &prefix, std::string &out);

/// Columns are the members of the first row; numbers are aligned to the right.
void formatTable(const Json &list, std::string &out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Json &member : list.members.front().members)
    rows[0].push_back(member.name);
  for (const Json &row : list.members) {
    std::vector<std::string> &cells = rows.emplace_back();
    for (const std::string &column : rows[0]) {
      auto found = std::find_if(row.members.begin(), row.members.end(),
                                [&](const Json &m) { return m.name == column; });
      cells.push_back(found == row.members.end() ? "" : scalarText(*found));
    }
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t c = 0; c < row.size(); ++c) {
      std::string padding(widths[c] - row[c].size(), ' ');
      bool left = c == 0;
      line += (c ? "  " : "") + (left ? row[c] + padding : padding + row[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
}

void formatLines(const Json &value, const std::string &prefix, std::string &out) {
  bool isTable = value.kind == Json::Kind::kList && !value.members.empty() &&
                 value.members.front().kind == Json::Kind::kObject;
  if (isTable) {
    out += prefix + "\n";
    formatTable(value, out);
  } else if (value.kind == Json::Kind::kScalar) {
    std::string padding(prefix.size() < 32 ? 32 - prefix.size() : 1, ' ');
    out += prefix + padding + value.text + "\n";
  } else {
    size_t index = 0;
    for (const Json &member : value.members) {
      std::string label = member.name.empty() ? std::to_string(index) : member.name;
      formatLines(member, prefix.empty() ? label : prefix + "." + label, out);
      ++index;
    }
  }
}

} // namespace

std::string formatCounters(std::string_view json) {
  if (json.empty())
    return "counters  none: the device has no counters\n";
  std::optional<Json> value = Parser(json).parse();
  if (!value)
    return std::string(json) + "\n";
  std::string out;
  formatLines(*value, "counters", out);
  return out;
}

} // namespace heddle::runtime::cli
