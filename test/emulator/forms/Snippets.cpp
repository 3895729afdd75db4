// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are written by their shapes; registers are named by kind and width ("%f4_0" is a .f32),
// so that a kernel declares what its instruction names.
#include "test/emulator/forms/Snippets.h"
#include <algorithm>
#include <set>

namespace heddle::test {

using namespace heddle::emulator::ptx;

namespace {

/// How operands are written, beside the plain way.
struct Style {
  bool hasOptional = false, hasSecond = false, hasSink = false, isNegated = false;
  int number = -1; ///< this operand is a number
  int wide = -1;   ///< this operand is a wider register
  int wrong = -1;  ///< this operand has the wrong width
  int kind = -1;   ///< this operand has the wrong kind
  int arity = -1;  ///< this vector has one member too many
};

class Writer {
public:
  Writer(const Form &form, std::vector<std::string> words, const Style &style)
      : form(form), words(std::move(words)), style(style), binding(bindModifiers(this->words)) {}

  std::string write() {
    std::string text = FormTable::get().word(form.opcode);
    for (const std::string &word : words)
      text += "." + word;
    std::string separator = " ";
    for (size_t i = 0; i < form.operands.size(); ++i) {
      if (form.operands[i].isOptional && !style.hasOptional)
        continue;
      text += separator + operand(static_cast<int>(i));
      separator = ", ";
    }
    return text + ";";
  }

private:
  std::string registerOf(ValueType type) {
    if (type.bytes == 0)
      return "%p" + std::to_string(next++);
    char kind = type.kind == RegisterKind::kInteger ? 'u'
                : type.kind == RegisterKind::kFloat ? 'f'
                                                    : 'b';
    return "%" + std::string(1, kind) + std::to_string(type.bytes) + "_" + std::to_string(next++);
  }

  bool hasWord(std::initializer_list<const char *> some) const {
    for (const std::string &word : words)
      for (const char *each : some)
        if (word == each)
          return true;
    return false;
  }

  std::string address(const OperandShape &shape) {
    ValueType narrow{4, RegisterKind::kBits}, wide{8, RegisterKind::kBits};
    if (shape.letter == 't')
      return "[" + registerOf(narrow) + "]";
    if (shape.letter == 'm') {
      std::string text = "[" + registerOf(wide) + ", {";
      for (int i = 0; i < shape.coordinates; ++i)
        text += (i ? ", " : "") + registerOf(narrow);
      return text + "}]";
    }
    if (shape.letter == 's')
      return "[" + registerOf(narrow) + "]";
    if (shape.letter == 'a') {
      if (hasWord({"param", "param::entry"}))
        return FormTable::get().word(form.opcode) == "st" ? "[lp]" : "[pb]";
      if (hasWord({"param::func"}))
        return "[lp]";
      if (hasWord({"const"}))
        return "[co]";
      if (hasWord({"shared", "shared::cta", "shared::cluster", "local"}))
        return "[" + registerOf(narrow) + "+16]";
    }
    return "[" + registerOf(wide) + "]";
  }

  std::string scalar(int index, ValueType type, const OperandShape &shape) {
    bool isResult = static_cast<size_t>(index) < form.results;
    if (style.wrong == index)
      type.bytes = type.bytes == 0 ? 4 : type.bytes == 4 ? 8 : type.bytes == 8 ? 4 : 4;
    if (style.kind == index)
      type = {type.bytes,
              type.kind == RegisterKind::kFloat ? RegisterKind::kInteger : RegisterKind::kFloat};
    if (style.wide == index && shape.isWide)
      type = {8, type.kind == RegisterKind::kFloat ? RegisterKind::kBits : type.kind};
    std::string second = (style.hasSecond && shape.hasSecond) || shape.needsSecond ? "|%p90" : "";
    if (style.hasSink && shape.isSink && !shape.count)
      return "_" + second;
    if (style.number == index && !isResult && !shape.isRegister && type.hasNumbers) {
      if (type.kind == RegisterKind::kFloat)
        return type.bytes == 8 ? "0d3FF0000000000000" : "0f3F800000";
      return std::to_string(shape.isRanged ? shape.low : shape.multiple);
    }
    // f16 and packed types may live in .b registers; so they are written as LLVM and nvcc do.
    if (!type.hasNumbers)
      type.kind = RegisterKind::kBits;
    std::string text = registerOf(type);
    if (style.isNegated && shape.isNegatable && type.bytes == 0)
      text = "!" + text;
    return text + second;
  }

  std::string operand(int index) {
    const OperandShape &shape = form.operands[static_cast<size_t>(index)];
    switch (shape.kind) {
    case OperandShape::Kind::kAddress:
      return address(shape);
    case OperandShape::Kind::kNumber:
      return std::to_string(style.wrong == index  ? (shape.isRanged        ? shape.high + 1
                                                     : shape.oneOf.empty() ? 0
                                                                           : 3)
                            : shape.isRanged      ? shape.low
                            : shape.oneOf.empty() ? 0
                                                  : shape.oneOf[0]);
    case OperandShape::Kind::kLabel:
      return style.wrong == index ? "NOWHERE" : "L0";
    case OperandShape::Kind::kTable:
      return style.wrong == index ? "L0" : "T0";
    case OperandShape::Kind::kSink:
      return "_";
    case OperandShape::Kind::kSymbol:
    case OperandShape::Kind::kValue:
      break;
    }
    ValueType type = typeOf(shape, binding);
    uint32_t count = shape.count ? countOf(shape, binding) : 0;
    if (style.arity == index)
      ++count;
    if (count == 0 || (count == 1 && shape.countOf == 'v'))
      return scalar(index, type, shape);
    std::string text = "{";
    for (uint32_t i = 0; i < count; ++i)
      text += (i ? ", " : "") +
              (style.hasSink && shape.isSink && i == 0 ? "_" : scalar(index, type, shape));
    return text + "}";
  }

  const Form &form;
  std::vector<std::string> words;
  Style style;
  Binding binding;
  int next = 0;
};

std::vector<std::string> baseWords(const Form &form) {
  std::vector<std::string> words;
  for (const Form::Group &group : form.groups)
    if (!group.isOptional)
      words.push_back(FormTable::get().word(group.words[0]));
  return words;
}

Snippet make(const Form &form, const std::vector<std::string> &words, const Style &style,
             const std::string &what) {
  return {&form, Writer(form, words, style).write(), what};
}

/// Base words with one group's choice replaced; `choice` -1: left out.
std::vector<std::string> wordsWith(const Form &form, const std::vector<int> &choices) {
  std::vector<std::string> words;
  for (size_t i = 0; i < form.groups.size(); ++i)
    if (choices[i] >= 0)
      words.push_back(FormTable::get().word(form.groups[i].words[static_cast<size_t>(choices[i])]));
  return words;
}

void addWordVariants(const Form &form, bool isWhole, std::vector<Snippet> &result) {
  std::vector<int> base;
  for (const Form::Group &group : form.groups)
    base.push_back(group.isOptional ? -1 : 0);
  if (!isWhole) {
    for (size_t i = 0; i < form.groups.size(); ++i)
      for (int word = 0; word < static_cast<int>(form.groups[i].words.size()); ++word) {
        if (word == base[i])
          continue;
        std::vector<int> choices = base;
        choices[i] = word;
        result.push_back(make(form, wordsWith(form, choices), {}, "form"));
      }
    return;
  }
  std::vector<int> choices = base;
  for (size_t made = 0; made < 4000; ++made) {
    result.push_back(make(form, wordsWith(form, choices), {}, "form"));
    size_t at = 0;
    for (; at < choices.size(); ++at) {
      if (++choices[at] < static_cast<int>(form.groups[at].words.size()))
        break;
      choices[at] = base[at];
    }
    if (at == choices.size())
      return;
  }
}

} // namespace

std::vector<Snippet> snippetsOf(const Form &form, bool isWhole) {
  std::vector<std::string> words = baseWords(form);
  std::vector<Snippet> result{make(form, words, {}, "form")};
  addWordVariants(form, isWhole, result);
  Style style;
  style.hasOptional = true;
  result.push_back(make(form, words, style, "form, optional operands"));
  style.hasSecond = true;
  result.push_back(make(form, words, style, "form, second result"));
  style = {};
  style.hasSink = true;
  result.push_back(make(form, words, style, "form, result left out"));
  std::vector<std::string> all = wordsWith(form, std::vector<int>(form.groups.size(), 0));
  if (std::find(all.begin(), all.end(), "v2") != all.end())
    result.push_back(make(form, all, style, "form, one result left out"));
  style = {};
  style.isNegated = true;
  result.push_back(make(form, words, style, "form, negated"));
  for (int i = 0; i < static_cast<int>(form.operands.size()); ++i) {
    style = {};
    style.hasOptional = form.operands[static_cast<size_t>(i)].isOptional;
    style.number = i;
    result.push_back(make(form, words, style, "form, a number"));
    style.number = -1;
    style.wide = i;
    result.push_back(make(form, words, style, "form, a wider register"));
  }
  std::set<std::string> seen;
  std::erase_if(result, [&](const Snippet &s) { return !seen.insert(s.instruction).second; });
  return result;
}

std::vector<Snippet> mutantsOf(const Form &form) {
  std::vector<std::string> words = baseWords(form);
  std::string sound = make(form, words, {}, "").instruction;
  std::vector<Snippet> result;
  for (int i = 0; i < static_cast<int>(form.operands.size()); ++i) {
    const OperandShape &shape = form.operands[static_cast<size_t>(i)];
    if (shape.isOptional || shape.kind == OperandShape::Kind::kAddress)
      continue;
    Style style;
    style.wrong = i;
    result.push_back(make(form, words, style, "another width"));
    if (shape.kind != OperandShape::Kind::kValue)
      continue;
    if (typeOf(shape, bindModifiers(words)).kind != RegisterKind::kBits && !shape.count) {
      style = {};
      style.kind = i;
      result.push_back(make(form, words, style, "another kind"));
    }
    if (shape.count) {
      style = {};
      style.arity = i;
      result.push_back(make(form, words, style, "one register more"));
    }
  }
  Snippet longer{&form, sound, "one operand more"};
  longer.instruction.insert(longer.instruction.size() - 1,
                            form.operands.empty() ? " %b4_90" : ", %b4_90");
  result.push_back(longer);
  if (size_t comma = sound.rfind(", ");
      comma != std::string::npos && sound.find_first_of("}]", comma) == std::string::npos)
    result.push_back({&form, sound.substr(0, comma) + ";", "one operand less"});
  // All modifiers, neighbours exchanged.
  std::vector<int> all(form.groups.size(), 0);
  std::vector<std::string> full = wordsWith(form, all);
  for (size_t i = 0; i + 1 < full.size(); ++i) {
    std::vector<std::string> swapped = full;
    std::swap(swapped[i], swapped[i + 1]);
    if (swapped != full)
      result.push_back(make(form, swapped, {}, "modifiers swapped"));
  }
  std::set<std::string> seen{sound};
  std::erase_if(result, [&](const Snippet &s) { return !seen.insert(s.instruction).second; });
  return result;
}

std::string moduleHead(uint32_t version, const std::string &target) {
  return ".version " + std::to_string(version / 10) + "." + std::to_string(version % 10) +
         "\n.target " + target +
         "\n.address_size 64\n.const .align 16 .b8 co[64];\n.shared .align 16 .b8 sh[64];\n";
}

std::string Snippet::kernel(const std::string &name) const {
  std::string text = ".visible .entry " + name +
                     "(.param .b64 pa, .param .align 64 .b8 pb[128]) { "
                     ".param .align 16 .b8 lp[64]; ";
  std::set<std::string> registers;
  for (size_t at = instruction.find('%'); at != std::string::npos;
       at = instruction.find('%', at + 1))
    registers.insert(instruction.substr(
        at, instruction.find_first_not_of("%_abcdefghijklmnopqrstuvwxyz0123456789", at) - at));
  for (const std::string &each : registers) {
    std::string type =
        each[1] == 'p' ? "pred" : each[1] + std::to_string(8 * std::stoi(each.substr(2)));
    text += ".reg ." + type + " " + each + "; ";
  }
  if (instruction.find("T0") != std::string::npos)
    text += "T0: .branchtargets L0; ";
  return text + instruction + " L0: ret; }\n";
}

} // namespace heddle::test
