// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which row of the table an instruction is. Modifiers are matched once for each text that a module
// has ("add.rn.f32"), operands for each instruction.
#include "runtime/emulator/ptx/Verifier.h"
#include <algorithm>

namespace heddle::emulator::ptx {

/// Bulk copies have their modifiers in any order, but for what names the instruction and for the
/// state spaces, as ptxas takes them: in the order of the table.
static std::vector<std::string> orderedModifiers(const Statement &statement) {
  std::vector<std::string> result = statement.modifiers;
  if (statement.opcode != "cp" || !statement.has("bulk"))
    return result;
  bool isTensor = statement.has("tensor");
  auto rank = [isTensor](const std::string &word) {
    auto isOneOf = [&](std::initializer_list<const char *> words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (word.size() == 2 && word[1] == 'd')
      return 1;
    if (word == "L2")
      return 2;
    if (isOneOf({"global", "shared::cta", "shared::cluster"}))
      return 3;
    if (isOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"}))
      return isTensor ? 4 : 11;
    if (word.starts_with("tile") || word.starts_with("im2col"))
      return 5;
    if (word == "bulk_group" || word.starts_with("mbarrier::"))
      return 6;
    if (word == "multicast::cluster")
      return 7;
    if (word.starts_with("cta_group::"))
      return 8;
    if (word == "L2::cache_hint")
      return 9;
    if (word == "cp_mask")
      return 10;
    if (word == "noftz")
      return 12;
    return isType(word) ? 13 : 14;
  };
  auto isName = [](const std::string &word) {
    return word == "async" || word == "reduce" || word == "bulk" || word == "prefetch" ||
           word == "tensor";
  };
  auto rest = std::find_if_not(result.begin(), result.end(), isName);
  std::stable_sort(rest, result.end(),
                   [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  return result;
}

const Verifier::Candidates &Verifier::candidates(const Statement &statement) {
  key = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    (key += '.') += modifier;
  auto [place, isNew] = known.try_emplace(key);
  Candidates &result = place->second;
  if (!isNew)
    return result;
  const std::vector<std::string> modifiers = orderedModifiers(statement);
  std::vector<uint16_t> ids;
  for (const std::string &modifier : modifiers)
    ids.push_back(table.wordId(modifier));
  for (const Form *form : table.find(statement.opcode)) {
    bool isWhole = false;
    matchModifiers(*form, ids, isWhole);
    if (isWhole)
      result.forms.push_back(form);
  }
  std::vector<uint8_t> order;
  if (result.forms.empty())
    for (const Form *form : table.find(statement.opcode))
      if (matchInAnyOrder(*form, ids, order)) {
        result.forms.push_back(form);
        result.orders.push_back(order);
      }
  if (result.forms.empty())
    result.problem = modifierProblem(statement, ids);
  else
    result.binding = bindModifiers(modifiers);
  return result;
}

std::string Verifier::modifierProblem(const Statement &statement,
                                      const std::vector<uint16_t> &ids) {
  auto forms = table.find(statement.opcode);
  if (forms.empty())
    return "there is no such instruction";
  size_t furthest = 0;
  bool isWhole = false;
  for (const Form *form : forms)
    furthest = std::max(furthest, matchModifiers(*form, ids, isWhole));
  // What could stand there, of the rows that come that far.
  std::vector<uint16_t> expected;
  bool mayEnd = false;
  for (const Form *form : forms) {
    size_t at = 0, group = 0;
    for (; group < form->groups.size() && at < furthest; ++group) {
      const auto &words = form->groups[group].words;
      if (std::find(words.begin(), words.end(), ids[at]) != words.end())
        ++at;
      else if (!form->groups[group].isOptional)
        break;
    }
    if (at < furthest)
      continue;
    for (; group < form->groups.size(); ++group) {
      for (uint16_t word : form->groups[group].words)
        if (std::find(expected.begin(), expected.end(), word) == expected.end())
          expected.push_back(word);
      if (!form->groups[group].isOptional)
        break;
    }
    mayEnd |= group == form->groups.size();
  }
  std::string list;
  for (size_t i = 0; i < expected.size() && i < 12; ++i)
    list += (i ? ", ." : ".") + table.word(expected[i]);
  if (expected.size() > 12)
    list += ", ...";
  if (mayEnd || list.empty())
    list += list.empty() ? "no further modifier" : " or no further modifier";
  std::string got =
      furthest < ids.size() ? "got ." + orderedModifiers(statement)[furthest] : "got the end";
  return "there is no such form: behind " + std::to_string(furthest) + " modifiers expected " +
         list + ", " + got;
}

bool Verifier::instruction(Statement &statement) {
  const Candidates &found = candidates(statement);
  if (found.forms.empty())
    return fail(statement, found.problem);
  Mismatch worst;
  std::string missing;
  for (size_t i = 0; i < found.forms.size(); ++i) {
    const Form *form = found.forms[i];
    std::string problem;
    if (!available("the form", form->row->version, form->row->targets, problem)) {
      if (missing.empty())
        missing = problem;
      continue;
    }
    Mismatch why;
    if (fits(statement, *form, found.binding, why)) {
      if (!found.orders.empty()) {
        std::vector<std::string> sorted;
        for (uint8_t modifier : found.orders[i])
          sorted.push_back(statement.modifiers[modifier]);
        statement.modifiers = std::move(sorted);
      }
      return true;
    }
    if (worst.text.empty() || why.operand > worst.operand)
      worst = why;
  }
  return fail(statement, worst.text.empty() ? missing : worst.text);
}

bool Verifier::fits(const Statement &statement, const Form &form, const Binding &binding,
                    Mismatch &why) {
  size_t given = statement.operands.size(), least = 0;
  for (const OperandShape &shape : form.operands)
    least += !shape.isOptional;
  if (given < least || given > form.operands.size()) {
    why.text =
        "takes " + std::to_string(least) +
        (least == form.operands.size() ? "" : " to " + std::to_string(form.operands.size())) +
        " operands, got " + std::to_string(given);
    return false;
  }
  for (size_t i = 0; i < given; ++i) {
    std::string text;
    if (value(statement, statement.operands[i], form.operands[i], binding, i < form.results, text))
      continue;
    why = {i + 1, "operand " + std::to_string(i + 1) + ": " + text};
    return false;
  }
  return true;
}

} // namespace heddle::emulator::ptx
