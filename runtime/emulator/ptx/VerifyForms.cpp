// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which row of the table an instruction is. Modifiers are matched once for each text that a module
// has ("add.rn.f32"), operands for each instruction.
#include "runtime/emulator/ptx/Verifier.h"
#include <algorithm>

namespace heddle::emulator::ptx {

const Verifier::Candidates &Verifier::candidates(const Statement &statement) {
  key = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    (key += '.') += modifier;
  auto [place, isNew] = known.try_emplace(key);
  Candidates &result = place->second;
  if (!isNew)
    return result;
  std::vector<uint16_t> ids;
  for (const std::string &modifier : statement.modifiers)
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
    result.binding = bindModifiers(statement.modifiers);
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
  std::string got = furthest < ids.size() ? "got ." + statement.modifiers[furthest] : "got the end";
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
