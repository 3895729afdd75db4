// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of text become forms, once a process. A row that is not well formed is our mistake and ends
// the process at the first look-up, in each test.
#include "runtime/emulator/ptx/Forms.h"
#include <algorithm>
#include <cassert>
#include <charconv>

namespace heddle::emulator::ptx {

namespace {

struct NamedType {
  const char *name;
  ValueType type;
};

constexpr RegisterKind kBits = RegisterKind::kBits, kInteger = RegisterKind::kInteger,
                       kFloat = RegisterKind::kFloat, kPredicate = RegisterKind::kPredicate;

constexpr NamedType kTypes[] = {{"pred", {0, kPredicate}},
                                {"b8", {1, kBits}},
                                {"u8", {1, kInteger}},
                                {"s8", {1, kInteger}},
                                {"b16", {2, kBits}},
                                {"u16", {2, kInteger}},
                                {"s16", {2, kInteger}},
                                {"b32", {4, kBits}},
                                {"u32", {4, kInteger}},
                                {"s32", {4, kInteger}},
                                {"b64", {8, kBits}},
                                {"u64", {8, kInteger}},
                                {"s64", {8, kInteger}},
                                {"b128", {16, kBits, false}},
                                {"f16", {2, kFloat, false}},
                                {"bf16", {2, kFloat, false}},
                                {"f16x2", {4, kFloat, false}},
                                {"bf16x2", {4, kFloat, false}},
                                {"f32", {4, kFloat}},
                                {"f64", {8, kFloat}},
                                {"tf32", {4, kBits}},
                                {"u16x2", {4, kInteger, false}},
                                {"s16x2", {4, kInteger, false}},
                                {"f32x2", {8, kBits, false}},
                                {"e4m3x2", {2, kBits, false}},
                                {"e5m2x2", {2, kBits, false}},
                                {"e2m3x2", {2, kBits, false}},
                                {"e3m2x2", {2, kBits, false}},
                                {"ue8m0x2", {2, kBits, false}},
                                {"e2m1x2", {1, kBits, false}},
                                {"e4m3x4", {4, kBits, false}},
                                {"e5m2x4", {4, kBits, false}},
                                {"e2m3x4", {4, kBits, false}},
                                {"e3m2x4", {4, kBits, false}},
                                {"e2m1x4", {2, kBits, false}}};

/// Words that stand among the types at the end, though no register has them as its type.
constexpr std::string_view kElements[] = {"row",   "col",   "s4",    "u4",        "b1",
                                          "e4m3",  "e5m2",  "e2m1",  "e3m2",      "e2m3",
                                          "ue8m0", "ue4m3", "b8x16", "b6x16_p32", "b4x16_p64"};

int64_t toNumber(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "0..7" or "4,8,16"
void parseRange(std::string_view text, OperandShape &shape) {
  if (size_t dots = text.find(".."); dots != std::string_view::npos) {
    shape.isRanged = true;
    shape.low = toNumber(text.substr(0, dots));
    shape.high = toNumber(text.substr(dots + 2));
    return;
  }
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    shape.oneOf.push_back(toNumber(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

/// "4", "v", "2x", "n/2"
void parseCount(std::string_view text, OperandShape &shape) {
  size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])))
    ++digits;
  shape.count = digits ? static_cast<uint16_t>(toNumber(text.substr(0, digits))) : 1;
  if (digits < text.size())
    shape.countOf = text[digits];
  if (size_t slash = text.find('/'); slash != std::string_view::npos)
    shape.divisor = static_cast<uint16_t>(toNumber(text.substr(slash + 1)));
}

void takeFlags(std::string_view &text, OperandShape &shape) {
  for (; !text.empty(); text.remove_suffix(1)) {
    if (text.ends_with("/p") || text.ends_with("/P")) {
      shape.hasSecond = true;
      shape.needsSecond = text.ends_with("P");
      text.remove_suffix(1);
      continue;
    }
    char last = text.back();
    bool *flag = last == '?'   ? &shape.isOptional
                 : last == '!' ? &shape.isNegatable
                 : last == '_' ? &shape.isSink
                 : last == '+' ? &shape.isWide
                               : nullptr;
    if (!flag)
      return;
    *flag = true;
  }
}

OperandShape parseOperand(std::string_view text) {
  OperandShape shape;
  takeFlags(text, shape);
  if (text[0] == '#') {
    shape.kind = OperandShape::Kind::kNumber;
    parseRange(text.substr(1), shape);
    return shape;
  }
  if (text[0] == '[') {
    shape.kind = OperandShape::Kind::kAddress;
    shape.letter = text[1];
    if (text[2] != ']')
      shape.coordinates = static_cast<uint8_t>(text[2] - '0');
    return shape;
  }
  if (text == "label" || text == "table") {
    shape.kind = text == "label" ? OperandShape::Kind::kLabel : OperandShape::Kind::kTable;
    return shape;
  }
  if (text == "sym" || text == "~") {
    shape.kind = text == "~" ? OperandShape::Kind::kSink : OperandShape::Kind::kSymbol;
    shape.letter = 'T';
    return shape;
  }
  if (size_t colon = text.find(':'); colon != std::string_view::npos) {
    shape.isRegister = text.substr(colon) == ":r";
    if (text.ends_with("n") && text != "n")
      shape.multiple = toNumber(text.substr(colon + 1));
    else if (!shape.isRegister)
      parseRange(text.substr(colon + 1), shape);
    text = text.substr(0, colon);
  }
  if (size_t star = text.find('*'); star != std::string_view::npos) {
    parseCount(text.substr(star + 1), shape);
    // Fragments and the like are registers; what a vector access stores need not be.
    shape.isRegister = shape.countOf != 'v';
    text = text.substr(0, star);
  }
  if (text[0] == '2') {
    shape.isTwice = true;
    text.remove_prefix(1);
  }
  if (text == "T" || text == "U" || text == "V")
    shape.letter = text[0];
  else if (!findValueType(text, shape.type))
    assert(!"a row names a type that does not exist");
  return shape;
}

void parseOperands(Form &form) {
  std::string_view text = form.row->operands;
  bool hasResults = text.find('=') != std::string_view::npos;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view token = text.substr(0, end);
    if (token == "=")
      form.results = form.operands.size();
    else if (!token.empty())
      form.operands.push_back(parseOperand(token));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!hasResults)
    form.results = 0;
}

/// The number behind the letters of "v4", "x16" and the n of "m64n128k16".
uint32_t trailing(std::string_view word, size_t from) {
  uint32_t value = 0;
  for (size_t i = from; i < word.size() && word[i] >= '0' && word[i] <= '9' && value < 10000; ++i)
    value = value * 10 + static_cast<uint32_t>(word[i] - '0');
  return value;
}

} // namespace

bool findValueType(std::string_view name, ValueType &type) {
  static const std::unordered_map<std::string_view, ValueType> kByName = [] {
    std::unordered_map<std::string_view, ValueType> result;
    for (const NamedType &named : kTypes)
      result.emplace(named.name, named.type);
    return result;
  }();
  auto found = kByName.find(name);
  if (found == kByName.end())
    return false;
  type = found->second;
  return true;
}

const FormTable &FormTable::get() {
  static const FormTable table;
  return table;
}

FormTable::FormTable() {
  words.emplace_back();
  const std::span<const Row> families[] = {
      integerRows(), floatRows(),  halfRows(),  compareRows(), convertRows(),
      memoryRows(),  atomicRows(), warpRows(),  controlRows(), barrierRows(),
      bulkRows(),    mmaRows(),    wgmmaRows(), tcgen05Rows()};
  size_t count = 0;
  for (const auto &rows : families)
    count += rows.size();
  all.reserve(count);
  ids.reserve(1024);
  for (const auto &rows : families)
    add(rows);
  for (const Form &form : all) {
    std::string_view pattern = form.row->pattern;
    byOpcode[pattern.substr(0, pattern.find_first_of(".([$"))].push_back(&form);
  }
}

uint16_t FormTable::intern(std::string_view text) {
  auto [place, isNew] = ids.try_emplace(std::string(text), static_cast<uint16_t>(words.size()));
  if (isNew)
    words.emplace_back(text);
  return place->second;
}

uint16_t FormTable::wordId(std::string_view text) const {
  auto found = ids.find(std::string(text));
  return found == ids.end() ? 0 : found->second;
}

void FormTable::addPattern(Form &form, std::string_view pattern) {
  size_t at = pattern.find_first_of(".([");
  form.opcode = intern(pattern.substr(0, at));
  char closing = 0;
  auto addWords = [&](std::string_view list) {
    while (!list.empty()) {
      size_t end = std::min(list.find('.', 1), list.size());
      if (!closing)
        form.groups.emplace_back();
      form.groups.back().words.push_back(intern(list.substr(1, end - 1)));
      list.remove_prefix(end);
    }
  };
  bool isMarked = false;
  while (at < pattern.size()) {
    char c = pattern[at];
    if (c == '^') {
      form.prefix = form.groups.size();
      isMarked = true;
      ++at;
    } else if (c == '(' || c == '[') {
      closing = c == '(' ? ')' : ']';
      form.groups.emplace_back().isOptional = c == '[';
      ++at;
    } else if (c == closing) {
      closing = 0;
      ++at;
    } else {
      size_t end = std::min(pattern.find_first_of(".()[]$^", at + 1), pattern.size());
      std::string_view token = pattern.substr(at, end - at);
      if (c == '$') {
        assert(closing && !wordSet(token.substr(1)).empty() && "a set that does not exist");
        addWords(wordSet(token.substr(1)));
      } else {
        addWords(token);
      }
      at = end;
    }
  }
  assert(!closing && "a pattern without its closing bracket");
  auto isType = [&](const Form::Group &group) {
    ValueType type;
    return !group.isOptional &&
           std::all_of(group.words.begin(), group.words.end(), [&](uint16_t id) {
             return findValueType(words[id], type) ||
                    std::find(std::begin(kElements), std::end(kElements), words[id]) !=
                        std::end(kElements);
           });
  };
  if (!isMarked)
    while (form.prefix < form.groups.size() && !form.groups[form.prefix].isOptional)
      ++form.prefix;
  while (form.prefix + form.suffix < form.groups.size() &&
         isType(form.groups[form.groups.size() - 1 - form.suffix]))
    ++form.suffix;
}

void FormTable::add(std::span<const Row> rows) {
  for (const Row &row : rows) {
    Form &form = all.emplace_back();
    form.row = &row;
    addPattern(form, row.pattern);
    parseOperands(form);
  }
}

std::span<const Form *const> FormTable::find(std::string_view opcode) const {
  auto found = byOpcode.find(opcode);
  if (found == byOpcode.end())
    return {};
  return found->second;
}

size_t matchModifiers(const Form &form, std::span<const uint16_t> modifiers, bool &isWhole) {
  size_t at = 0;
  isWhole = false;
  for (const Form::Group &group : form.groups) {
    bool fits = at < modifiers.size() && std::find(group.words.begin(), group.words.end(),
                                                   modifiers[at]) != group.words.end();
    if (fits)
      ++at;
    else if (!group.isOptional)
      return at;
  }
  isWhole = at == modifiers.size();
  return at;
}

static bool isOneOf(const Form::Group &group, uint16_t word) {
  return std::find(group.words.begin(), group.words.end(), word) != group.words.end();
}

bool matchInAnyOrder(const Form &form, std::span<const uint16_t> modifiers,
                     std::vector<uint8_t> &order) {
  size_t given = modifiers.size(), count = form.groups.size(), end = count - form.suffix;
  if (given > 32 || given < form.prefix + form.suffix || given > count)
    return false;
  std::vector<uint8_t> chosen(count, 0xff); // group -> modifier
  for (size_t i = 0; i < given; ++i) {
    size_t group = i < form.prefix ? i : i + form.suffix >= given ? i + count - given : form.prefix;
    bool isFree = i >= form.prefix && i + form.suffix < given;
    while (isFree && group < end &&
           (chosen[group] != 0xff || !isOneOf(form.groups[group], modifiers[i])))
      ++group;
    if ((isFree && group == end) || !isOneOf(form.groups[group], modifiers[i]))
      return false;
    chosen[group] = static_cast<uint8_t>(i);
  }
  order.clear();
  for (size_t group = 0; group < count; ++group) {
    if (chosen[group] != 0xff)
      order.push_back(chosen[group]);
    else if (!form.groups[group].isOptional)
      return false;
  }
  return true;
}

Binding bindModifiers(std::span<const std::string> modifiers) {
  Binding result;
  size_t types = 0;
  for (size_t i = modifiers.size(); i-- > 0;) {
    const std::string &word = modifiers[i];
    ValueType type;
    if (types < 3 && findValueType(word, type))
      result.types[types++] = type;
    else if (word.size() > 1 && word[0] == 'v' && std::isdigit(static_cast<unsigned char>(word[1])))
      result.v = trailing(word, 1);
    else if (word.size() > 1 && word[0] == 'x' && std::isdigit(static_cast<unsigned char>(word[1])))
      result.x = trailing(word, 1);
    else if (size_t n = word.find('n'); word.size() > 1 && word[0] == 'm' &&
                                        std::isdigit(static_cast<unsigned char>(word[1])) &&
                                        n != std::string::npos)
      result.n = trailing(word, n + 1);
  }
  return result;
}

ValueType typeOf(const OperandShape &shape, const Binding &binding) {
  ValueType type = shape.letter == 'T'   ? binding.types[0]
                   : shape.letter == 'U' ? binding.types[1]
                   : shape.letter == 'V' ? binding.types[2]
                                         : shape.type;
  if (shape.isTwice)
    type.bytes = static_cast<uint8_t>(type.bytes * 2);
  return type;
}

uint32_t countOf(const OperandShape &shape, const Binding &binding) {
  uint32_t times = shape.countOf == 'v'   ? binding.v
                   : shape.countOf == 'x' ? binding.x
                   : shape.countOf == 'n' ? binding.n
                                          : 1;
  return shape.count * times / shape.divisor;
}

} // namespace heddle::emulator::ptx
