// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to graph ops by position and name, and the builders that wrap kernels around scalar
// regions.
#include "passes/graph/form/Node.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle::graph::form {

Node::Node(Operation *op) : op(op), builder(op), loc(op->getLoc()) {}

std::pair<unsigned, unsigned> Node::segment(unsigned group) const {
  std::optional<Attribute> attr = op->getInherentAttr("operandSegmentSizes");
  auto sizes = attr ? dyn_cast_or_null<DenseI32ArrayAttr>(*attr) : DenseI32ArrayAttr();
  if (!sizes)
    return {group, group < op->getNumOperands() ? 1 : 0};
  unsigned start = 0;
  for (unsigned i = 0; i < group && i < sizes.size(); ++i)
    start += sizes[i];
  return {start, group < sizes.size() ? sizes[group] : 0};
}

Value Node::in(unsigned group) const {
  auto [start, count] = segment(group);
  if (count == 0 || isa<NoneType>(op->getOperand(start).getType()))
    return {};
  return op->getOperand(start);
}

OperandRange Node::ins(unsigned group) const {
  std::optional<Attribute> attr = op->getInherentAttr("operandSegmentSizes");
  if (!attr || !*attr)
    return op->getOperands().drop_front(group);
  auto [start, count] = segment(group);
  return op->getOperands().slice(start, count);
}

unsigned Node::groups() const {
  std::optional<Attribute> attr = op->getInherentAttr("operandSegmentSizes");
  if (attr && *attr)
    return cast<DenseI32ArrayAttr>(*attr).size();
  return op->getNumOperands();
}

RankedTensorType Node::inType(unsigned group) const {
  return cast<RankedTensorType>(in(group).getType());
}

RankedTensorType Node::outType(unsigned result) const {
  return cast<RankedTensorType>(op->getResult(result).getType());
}

AffineExpr Node::expr(int64_t value) const { return shape::constant(value, op->getContext()); }

//===----------------------------------------------------------------------------------------------===//
// Attributes and known values
//===----------------------------------------------------------------------------------------------===//

Attribute Node::attr(StringRef name) const { return op->getAttr(name); }

int64_t Node::integer(StringRef name, int64_t otherwise) const {
  Attribute value = attr(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getInt();
  return isa_and_nonnull<UnitAttr>(value) ? 1 : otherwise;
}

double Node::real(StringRef name, double otherwise) const {
  auto value = dyn_cast_or_null<FloatAttr>(attr(name));
  return value ? value.getValueAsDouble() : otherwise;
}

StringRef Node::text(StringRef name, StringRef otherwise) const {
  auto value = dyn_cast_or_null<StringAttr>(attr(name));
  return value ? value.getValue() : otherwise;
}

std::optional<SmallVector<int64_t>> Node::integers(StringRef name) const {
  Attribute value = attr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(value))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast_or_null<ArrayAttr>(value))
    return llvm::map_to_vector(array.getAsRange<IntegerAttr>(),
                               [](IntegerAttr item) { return item.getInt(); });
  return std::nullopt;
}

SmallVector<int64_t> Node::integers(StringRef name, unsigned count, int64_t otherwise) const {
  auto given = integers(name);
  if (given && given->size() == count)
    return *given;
  return SmallVector<int64_t>(count, otherwise);
}

/// The elements of an integer input of the model, where shape inference has made symbols of them.
static std::optional<Dims> getInputElements(BlockArgument argument) {
  Operation *function = argument.getOwner()->getParentOp();
  auto module = function ? function->getParentOfType<ModuleOp>() : ModuleOp();
  auto type = cast<RankedTensorType>(argument.getType());
  if (!module || !type.hasStaticShape())
    return std::nullopt;
  shape::Symbols symbols(module);
  SmallVector<AffineExpr> elements(type.getNumElements());
  for (int64_t i = 0; i < symbols.size(); ++i) {
    shape::Symbols::Entry entry = symbols.get(i);
    if (entry.kind == shape::SymbolKind::kInputElement &&
        entry.input == int64_t(argument.getArgNumber()) && entry.index < type.getNumElements())
      elements[entry.index] = getAffineSymbolExpr(i, argument.getContext());
  }
  if (!llvm::all_of(elements, [](AffineExpr e) { return bool(e); }))
    return std::nullopt;
  return Dims(elements);
}

std::optional<Dims> Node::values(unsigned group) const {
  Value value = in(group);
  if (!value)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return Dims();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getInputElements(argument);
  if (auto host = value.getDefiningOp<kernel::HostValuesOp>())
    return Dims(host.getValues().getResults());
  DenseElementsAttr dense;
  if (!matchPattern(value, m_Constant(&dense)) || !isa<IntegerType>(dense.getElementType()))
    return std::nullopt;
  return llvm::map_to_vector<6>(dense.getValues<APInt>(), [&](const APInt &element) {
    return expr(dense.getElementType().isUnsignedInteger() ? int64_t(element.getZExtValue())
                                                           : element.getSExtValue());
  });
}

std::optional<SmallVector<double>> Node::numbers(unsigned group) const {
  Value value = in(group);
  DenseElementsAttr dense;
  if (!value || !matchPattern(value, m_Constant(&dense)))
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return llvm::map_to_vector(dense.getValues<APFloat>(), [](APFloat element) {
      bool lossy;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      return element.convertToDouble();
    });
  auto exprs = values(group);
  if (!exprs)
    return std::nullopt;
  return llvm::map_to_vector(*exprs, [](AffineExpr e) { return double(*shape::getConstant(e)); });
}

FailureOr<std::optional<SmallVector<int64_t>>> Node::axes(unsigned group, int64_t rank) const {
  std::optional<SmallVector<int64_t>> result = integers("axes");
  if (!result && in(group)) {
    auto exprs = values(group);
    if (!exprs)
      return unsupported("its axes are not known before the model runs");
    result.emplace();
    for (AffineExpr axis : *exprs) {
      auto constant = shape::getConstant(axis);
      if (!constant)
        return unsupported("its axes depend on the inputs' shapes");
      result->push_back(*constant);
    }
  }
  if (!result)
    return std::optional<SmallVector<int64_t>>();
  for (int64_t &axis : *result) {
    if (axis < -rank || axis >= rank)
      return unsupported("axis must be in [" + Twine(-rank) + ", " + Twine(rank) + "), got " +
                         Twine(axis));
    axis += axis < 0 ? rank : 0;
  }
  llvm::sort(*result);
  result->erase(std::unique(result->begin(), result->end()), result->end());
  return result;
}

//===----------------------------------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------------------------------===//

LogicalResult Node::unsupported(const Twine &reason) const {
  std::string name;
  if (auto named = loc->findInstanceOf<NameLoc>())
    name = named.getName().str();
  return emitError(loc) << "node '" << name << "' (" << op->getName()
                        << ") is unsupported: " << reason;
}

LogicalResult Node::replace(ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    assert(result.getType() == value.getType() && "a kernel has the type of its node");
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return success();
}

static SmallVector<Value> plain(Scalars scalars) {
  return llvm::map_to_vector(scalars, [](Scalar s) { return s.value; });
}

static Block &addBlock(Region &region, unsigned indices, OpBuilder &builder, Location loc) {
  Block &block = region.emplaceBlock();
  for (unsigned i = 0; i < indices; ++i)
    block.addArgument(builder.getIndexType(), loc);
  return block;
}

template <typename Op>
static Op pointwise(Node &node, ArrayRef<RankedTensorType> types, Node::Elements elements) {
  SmallVector<Type> results(types.begin(), types.end());
  auto op = Op::create(node.builder, node.loc, results);
  Block &block = addBlock(op.getBody(), types[0].getRank(), node.builder, node.loc);
  Body body(OpBuilder::atBlockEnd(&block), node.loc);
  kernel::YieldOp::create(body.builder, node.loc,
                          plain(elements(body, body.wrapIndices(block.getArguments()))));
  return op;
}

ValueRange Node::mapMany(ArrayRef<RankedTensorType> types, Elements elements) {
  return pointwise<kernel::MapOp>(*this, types, elements).getOutputs();
}

Value Node::map(RankedTensorType type, Element element) {
  return mapMany({type}, [&](Body &body, Scalars coordinates) {
    return SmallVector<Scalar>{element(body, coordinates)};
  })[0];
}

/// Sharing a fold pays where its elements are neighbours in memory, or where there are too few
/// results to fill a GPU with a thread each.
static bool sharesFold(RankedTensorType type, bool inner, AffineExpr folded) {
  constexpr int64_t kLongFold = 32, kFewResults = 4096, kVeryLongFold = 256;
  std::optional<int64_t> count = shape::getConstant(folded);
  if (inner)
    return !count || *count >= kLongFold;
  return count && *count >= kVeryLongFold && type.hasStaticShape() &&
         type.getNumElements() < kFewResults;
}

ValueRange Node::reduceMany(ArrayRef<RankedTensorType> types, bool inner, AffineExpr folded,
                            Elements elements) {
  if (!sharesFold(types[0], inner, folded))
    return mapMany(types, elements);
  return pointwise<kernel::ReduceOp>(*this, types, elements).getOutputs();
}

Value Node::reduce(RankedTensorType type, bool inner, AffineExpr folded, Element element) {
  return reduceMany({type}, inner, folded, [&](Body &body, Scalars coordinates) {
    return SmallVector<Scalar>{element(body, coordinates)};
  })[0];
}

ValueRange Node::rows(ArrayRef<RankedTensorType> types, ArrayRef<int64_t> axes, Row row) {
  SmallVector<Type> results(types.begin(), types.end());
  auto op = kernel::RowsOp::create(builder, loc, results, axes);
  int64_t rank = types[0].getRank();
  Block &block = addBlock(op.getBody(), rank - axes.size(), builder, loc);
  Body body(OpBuilder::atBlockEnd(&block), loc);
  SmallVector<Scalar> outer = body.wrapIndices(block.getArguments());
  RowElements elements = row(body, outer);
  auto inside = kernel::ElementsOp::create(body.builder, loc);
  Block &inner = addBlock(inside.getBody(), axes.size(), builder, loc);
  // The same body goes on inside, so that scalars of the row build where they are used.
  body.builder.setInsertionPointToEnd(&inner);
  SmallVector<Scalar> position = body.wrapIndices(inner.getArguments()), all;
  for (int64_t axis = 0, o = 0, i = 0; axis < rank; ++axis)
    all.push_back(llvm::is_contained(axes, axis) ? position[i++] : outer[o++]);
  kernel::YieldOp::create(body.builder, loc, plain(elements(body, all)));
  return op.getOutputs();
}

/// A product with a few vectors is no work for tiles: every element is a fold of its own.
bool isFew(AffineExpr size) {
  constexpr int64_t kFewVectors = 4;
  auto known = shape::getConstant(size);
  return known && *known <= kFewVectors;
}

Value Node::contractVector(const Contract &contract, Element lhs, Element rhs, Epilogue epilogue) {
  Dims out = shape::getDims(contract.type);
  ArrayRef<AffineExpr> sizes = contract.sizes;
  Dims where = mapThroughReshape(out, sizes.take_front(3), op->getContext());
  AffineExpr k = sizes[3];
  return reduce(contract.type, contract.innerK, k, [&](Body &body, Scalars at) {
    SmallVector<Scalar> bmn =
        llvm::map_to_vector(where, [&](AffineExpr e) { return body.evaluate(e, at); });
    Type accumulator = kernel::getAccumulatorType(kernel::getScalarType(contract.element));
    Scalar sum = body.fold(kernel::FoldKind::Add, {k}, accumulator, [&](Scalars i) {
      Scalar x = body.convert(lhs(body, {bmn[0], bmn[1], i[0]}), accumulator);
      return x * body.convert(rhs(body, {bmn[0], i[0], bmn[2]}), accumulator);
    });
    return epilogue(body, bmn, sum);
  });
}

Value Node::contract(const Contract &contract, Element lhs, Element rhs, Epilogue epilogue) {
  if (isFew(contract.sizes[1]) || isFew(contract.sizes[2]))
    return contractVector(contract, lhs, rhs, epilogue);
  SmallVector<Type> results{contract.type};
  AffineMap coordinates =
      AffineMap::get(3, countSymbols(contract.coordinates), contract.coordinates, op->getContext());
  auto made = kernel::ContractOp::create(
      builder, loc, results, shape::getMap(contract.sizes, op->getContext()), coordinates);
  Type element;
  for (auto [region, function] : {std::pair{&made.getLhs(), lhs}, std::pair{&made.getRhs(), rhs}}) {
    Block &block = addBlock(*region, 3, builder, loc);
    Body body(OpBuilder::atBlockEnd(&block), loc);
    Scalar x = function(body, body.wrapIndices(block.getArguments()));
    element = x.value.getType();
    kernel::YieldOp::create(body.builder, loc, x.value);
  }
  Block &block = addBlock(made.getEpilogue(), 3, builder, loc);
  Type accumulator = kernel::getAccumulatorType(element);
  block.addArgument(accumulator, loc);
  Body body(OpBuilder::atBlockEnd(&block), loc);
  SmallVector<Scalar> bmn = body.wrapIndices(block.getArguments().take_front(3));
  Scalar result = epilogue(body, bmn, body.wrap(block.getArgument(3), accumulator));
  kernel::YieldOp::create(body.builder, loc, result.value);
  return made.getOutputs()[0];
}

Value Node::reshape(Value value, ArrayRef<AffineExpr> dims) {
  return createReshape(builder, loc, value, dims);
}

Value createReshape(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType target = shape::getTensorType(dims, type.getElementType());
  if (target == type)
    return value;
  return kernel::ReshapeOp::create(builder, loc, target, value);
}

} // namespace heddle::graph::form
