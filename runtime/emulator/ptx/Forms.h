// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of instruction forms: a row per form says which modifiers it has in which order,
// what its operands are, and from which .version and .target on it exists. verify() refuses by it,
// and test/emulator/forms makes texts from it that ptxas must accept or refuse as we do.
//
// A row is {"pattern", "operands", version, "targets"}:
//   pattern   "add[.rn.rz][.ftz](.f32.f64)": "(...)" one of these, "[...]" one of these or none;
//             "$set" stands for words that forms/Sets.cpp lists. ptxas takes modifiers in any order
//             between the first ones, which name the instruction, and the types at the end, and
//             libraries print them so; "^" ends the first ones where not all mandatory ones are.
//   operands  "T = T T": results, "=", sources. T, U, V are the last, the second last and the third
//             last type in the pattern, "2T" is twice as wide; otherwise a type by name.
//             t*4    a vector of four        t*v, t*2x, t*n/2   as many as ".v2", ".x4", "m64n8k16"
//             say t+     or a wider register     t?   may be left out   t!   may be negated t_ may
//             be "_"              t/p  with a second result "t|p" t:0..7 a number must be from 0 to
//             7, t:r must be a register
//             #, #0..7, #4,8,16              an integer; one from 0 to 7; one of these
//             [a] an address in the memory that the modifiers name; [s] shared, [g] global, [x] any
//             memory, [t] Tensor memory; [m3] a tensor map with three coordinates
//             label, table                   of branches
//             sym   a register or a variable      ~     nothing but "_"
//   version   85: .version 8.5; 0: any
//   targets   "80": sm_80 and later; "90a": sm_90a only; "100f": the family of sm_100; "90a|100f":
//             either of the two
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_FORMS_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_FORMS_H

#include "runtime/emulator/ptx/Module.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator::ptx {

struct Row {
  const char *pattern;
  const char *operands;
  uint16_t version = 0;
  const char *targets = "";
};

/// A type as operands have it; `bytes` 0: a predicate.
struct ValueType {
  uint8_t bytes = 4;
  RegisterKind kind = RegisterKind::kBits;
  bool hasNumbers = true; ///< f16 and packed types have no immediates
};

struct OperandShape {
  enum class Kind : uint8_t { kValue, kNumber, kAddress, kSymbol, kSink, kLabel, kTable };
  Kind kind = Kind::kValue;
  char letter = 0; ///< 'T', 'U', 'V'; 0: `type`. Of addresses: 'a', 's', 'g', 'x', 't', 'm'
  ValueType type;
  bool isTwice = false, isOptional = false, isNegatable = false, isSink = false, isWide = false;
  bool hasSecond = false, needsSecond = false, isRegister = false;
  char countOf = 0; ///< 'v', 'x' or 'n': a vector of `count` times that, by `divisor`
  uint16_t count = 0, divisor = 1; ///< 0: no vector
  uint8_t coordinates = 0;
  bool isRanged = false;
  int64_t low = 0, high = 0;
  int64_t multiple = 1;
  std::vector<int64_t> oneOf;
};

struct Form {
  struct Group {
    std::vector<uint16_t> words;
    bool isOptional = false;
  };
  const Row *row;
  uint16_t opcode;
  std::vector<Group> groups;
  size_t prefix = 0, suffix = 0; ///< groups at the start and at the end whose place is fixed
  std::vector<OperandShape> operands;
  size_t results = 0; ///< of `operands`; the rest are sources
};

/// What modifiers say of the operands.
struct Binding {
  ValueType types[3]; ///< T, U, V
  uint32_t v = 1, x = 1, n = 0;
};

/// All rows, in the order of the ISA's chapters.
class FormTable {
public:
  static const FormTable &get();
  std::span<const Form> forms() const { return all; }
  /// The forms of an opcode; empty: there is no such instruction.
  std::span<const Form *const> find(std::string_view opcode) const;
  const std::string &word(uint16_t id) const { return words[id]; }
  /// 0: no form has such a word.
  uint16_t wordId(std::string_view text) const;

private:
  FormTable();
  void add(std::span<const Row> rows);
  void addPattern(Form &form, std::string_view pattern);
  uint16_t intern(std::string_view text);

  std::vector<Form> all;
  std::vector<std::string> words;
  std::unordered_map<std::string, uint16_t> ids;
  std::unordered_map<std::string_view, std::vector<const Form *>> byOpcode;
};

/// The number of modifiers that fit in the table's order; all of them and a whole form: isWhole.
size_t matchModifiers(const Form &form, std::span<const uint16_t> modifiers, bool &isWhole);
/// Whether they are the form in another order; order[i] is the index of the i-th of the table's
/// order.
bool matchInAnyOrder(const Form &form, std::span<const uint16_t> modifiers,
                     std::vector<uint8_t> &order);
Binding bindModifiers(std::span<const std::string> modifiers);
/// The type of a value of this shape.
ValueType typeOf(const OperandShape &shape, const Binding &binding);
/// Registers in the braces of a vector; 0: no vector.
uint32_t countOf(const OperandShape &shape, const Binding &binding);
bool findValueType(std::string_view name, ValueType &type);

/// Rows by family, forms/*.cpp.
std::span<const Row> integerRows();
std::span<const Row> floatRows();
std::span<const Row> halfRows();
std::span<const Row> compareRows();
std::span<const Row> convertRows();
std::span<const Row> memoryRows();
std::span<const Row> atomicRows();
std::span<const Row> warpRows();
std::span<const Row> controlRows();
std::span<const Row> barrierRows();
std::span<const Row> bulkRows();
std::span<const Row> mmaRows();
std::span<const Row> wgmmaRows();
std::span<const Row> tcgen05Rows();
/// The words of "$name"; empty: there is no such set.
std::string_view wordSet(std::string_view name);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_FORMS_H
