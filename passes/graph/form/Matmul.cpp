// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products become kernel.contract. Batches are brought into the simplest form first (folded
// into M where the right operand has none, flattened where both have the same), so that the
// operands' regions are plain loads wherever they can be.
#include "passes/graph/form/Matmul.h"

using namespace mlir;

namespace heddle::graph::form {

static bool allOnes(ArrayRef<AffineExpr> dims) {
  return llvm::all_of(dims, [](AffineExpr dim) { return shape::getConstant(dim) == 1; });
}

static bool allEqual(ArrayRef<AffineExpr> a, ArrayRef<AffineExpr> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return shape::provablyEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

namespace {

/// One operand as a matrix for each batch.
struct Matrix {
  Value tensor;
  Dims batch;
  AffineExpr rows, cols;
};

} // namespace

/// A tensor of rank 1 is a row on the left and a column on the right.
static Matrix getMatrix(Node &node, Value tensor, bool isLeft) {
  Dims dims = shape::getDims(cast<RankedTensorType>(tensor.getType()));
  if (dims.size() == 1)
    dims.insert(isLeft ? dims.begin() : dims.end(), node.expr(1));
  Matrix matrix{tensor, {}, dims[dims.size() - 2], dims.back()};
  matrix.batch.assign(dims.begin(), dims.end() - 2);
  return matrix;
}

/// Reshapes so that the load needs no more coordinates than it must: two without a batch, three
/// where the batch is the result's.
static void simplifyBatch(Node &node, Matrix &matrix, ArrayRef<AffineExpr> batch) {
  if (allOnes(matrix.batch))
    matrix.tensor = node.reshape(matrix.tensor, {matrix.rows, matrix.cols});
  else if (allEqual(matrix.batch, batch))
    matrix.tensor = node.reshape(
        matrix.tensor, {shape::product(batch, node.op->getContext()), matrix.rows, matrix.cols});
}

static Scalar loadMatrix(Body &body, const Matrix &matrix, ArrayRef<AffineExpr> batch, Scalar b,
                         Scalar row, Scalar column) {
  if (allOnes(matrix.batch))
    return body.load(matrix.tensor, {row, column});
  if (allEqual(matrix.batch, batch))
    return body.load(matrix.tensor, {b, row, column});
  SmallVector<Scalar> at = body.delinearize(b, batch);
  at.append({row, column});
  Dims dims(batch.begin(), batch.end());
  dims.append({matrix.rows, matrix.cols});
  return body.loadBroadcast(matrix.tensor, at, dims);
}

Value lowerMatmul(Node &node, const MatmulSpec &spec) {
  MLIRContext *context = node.op->getContext();
  Matrix left = getMatrix(node, spec.a, true), right = getMatrix(node, spec.b, false);
  bool hasM = cast<RankedTensorType>(spec.a.getType()).getRank() > 1;
  bool hasN = cast<RankedTensorType>(spec.b.getType()).getRank() > 1;
  AffineExpr m = spec.transposeA ? left.cols : left.rows;
  AffineExpr k = spec.transposeA ? left.rows : left.cols;
  AffineExpr n = spec.transposeB ? right.rows : right.cols;
  Dims out = node.outDims();
  Dims batch(out.begin(), out.end() - hasM - hasN);

  Node::Contract contract;
  contract.type = node.outType();
  contract.element = spec.productType ? spec.productType
                                      : cast<RankedTensorType>(spec.a.getType()).getElementType();
  contract.innerK = isFew(n) ? !spec.transposeA : spec.transposeB;
  AffineExpr d0 = getAffineDimExpr(0, context), d1 = getAffineDimExpr(1, context);
  if (allOnes(right.batch) && !spec.transposeA && !allOnes(batch)) {
    // Every batch meets the same right matrix: one product with more rows.
    Dims rows = batch;
    rows.push_back(m);
    contract.coordinates = delinearizeExpr(d1, rows);
    m = shape::product(rows, context);
    contract.sizes = {node.expr(1), m, n, k};
    left = {node.reshape(left.tensor, {m, k}), {}, m, k};
    batch.clear();
  } else {
    contract.coordinates = delinearizeExpr(d0, batch);
    contract.coordinates.push_back(d1);
    contract.sizes = {shape::product(batch, context), m, n, k};
  }
  if (!hasM)
    contract.coordinates.pop_back();
  if (hasN)
    contract.coordinates.push_back(getAffineDimExpr(2, context));
  simplifyBatch(node, left, batch);
  simplifyBatch(node, right, batch);

  auto lhs = [&](Body &body, Scalars at) {
    Scalar x = loadMatrix(body, left, batch, at[0], at[spec.transposeA ? 2 : 1],
                          at[spec.transposeA ? 1 : 2]);
    return spec.mapLhs ? spec.mapLhs(body, x, at) : x;
  };
  auto rhs = [&](Body &body, Scalars at) {
    Scalar x = loadMatrix(body, right, batch, at[0], at[spec.transposeB ? 2 : 1],
                          at[spec.transposeB ? 1 : 2]);
    return spec.mapRhs ? spec.mapRhs(body, x, at) : x;
  };
  auto epilogue = [&](Body &body, Scalars bmn, Scalar acc) {
    SmallVector<Scalar> at = llvm::map_to_vector(
        contract.coordinates, [&](AffineExpr e) { return body.evaluate(e, bmn); });
    // Integer sums of the result's width keep its sign.
    if (acc.value.getType() == kernel::getScalarType(node.outElement()))
      acc.type = node.outElement();
    Scalar result = spec.epilogue ? spec.epilogue(body, acc, at) : acc;
    return body.convert(result, node.outElement());
  };
  return node.contract(contract, lhs, rhs, epilogue);
}

static LogicalResult lowerGemm(Node &node) {
  MatmulSpec spec;
  spec.a = node.in(0);
  spec.b = node.in(1);
  spec.transposeA = node.integer("trans_a", node.integer("transA", 0));
  spec.transposeB = node.integer("trans_b", node.integer("transB", 0));
  double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  Value c = node.in(2);
  Dims dims = node.outDims();
  spec.epilogue = [&](Body &body, Scalar acc, Scalars at) {
    Scalar result = alpha == 1 ? acc : acc * alpha;
    if (!c || beta == 0)
      return result;
    Scalar bias = body.convert(body.loadBroadcast(c, at, dims), result.type);
    return result + (beta == 1 ? bias : bias * beta);
  };
  return node.replace(lowerMatmul(node, spec));
}

void addMatmuls(Registry &registry) {
  registry["matmul"] = [](Node &node) {
    MatmulSpec spec;
    spec.a = node.in(0);
    spec.b = node.in(1);
    return node.replace(lowerMatmul(node, spec));
  };
  registry["gemm"] = lowerGemm;
}

} // namespace heddle::graph::form
