// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays constants out as the device reads them: row major, packed, a bool a byte.
#include "lib/compiler/ElementBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace heddle::compiler {

std::optional<DType> getDType(Type element) {
  if (element.isInteger(1))
    return DType::kBool;
  if (auto integer = dyn_cast<IntegerType>(element))
    return dtypeFromName((integer.isUnsigned() ? "u" : "i") + std::to_string(integer.getWidth()));
  if (isa<Float8E4M3FNType>(element))
    return DType::kF8E4M3FN;
  if (isa<Float8E4M3FNUZType>(element))
    return DType::kF8E4M3FNUZ;
  if (isa<Float8E5M2Type>(element))
    return DType::kF8E5M2;
  if (isa<Float8E5M2FNUZType>(element))
    return DType::kF8E5M2FNUZ;
  if (isa<Float8E8M0FNUType>(element))
    return DType::kF8E8M0;
  if (isa<Float4E2M1FNType>(element))
    return DType::kF4E2M1;
  if (element.isF16())
    return DType::kF16;
  if (element.isBF16())
    return DType::kBF16;
  if (element.isF32())
    return DType::kF32;
  if (element.isF64())
    return DType::kF64;
  return std::nullopt;
}

/// The bits of one element; the attribute is of integers or floats.
static uint64_t getBits(const APInt &value) { return value.getZExtValue(); }
static uint64_t getBits(const APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }

template <typename T>
static std::vector<uint8_t> pack(DenseElementsAttr value, DType dtype, int64_t sizeBytes) {
  unsigned width = bits(dtype);
  std::vector<uint8_t> bytes(static_cast<size_t>(sizeBytes));
  uint64_t position = 0; // in bits
  for (const T &element : value.getValues<T>()) {
    uint64_t number = getBits(element);
    for (unsigned bit = 0; bit < width; bit += 8)
      bytes[(position + bit) / 8] |=
          static_cast<uint8_t>((number >> bit & 255) << (position + bit) % 8);
    position += width;
  }
  return bytes;
}

Result<artifact::Bytes> getBytes(ElementsAttr value, artifact::ArtifactData &owner) {
  auto type = cast<ShapedType>(value.getType());
  std::optional<DType> dtype = getDType(type.getElementType());
  std::optional<int64_t> size = dtype ? byteSize(*dtype, type.getNumElements()) : std::nullopt;
  if (!size)
    return unsupported("a constant has an element type or size that no device holds");
  // Other than a bool's, whole bytes lie in the attribute as on the device.
  bool isPlain = *dtype != DType::kBool && bits(*dtype) >= 8;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return unsupported("a constant's contents are missing from the module");
    ArrayRef<char> data = blob->getData();
    if (!isPlain || static_cast<int64_t>(data.size()) != *size)
      return unsupported("a constant's contents do not have the size of its type");
    return artifact::Bytes(reinterpret_cast<const uint8_t *>(data.data()), data.size());
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return unsupported("a constant is stored in a form that cannot be read");
  ArrayRef<char> raw = dense.getRawData();
  if (isPlain && !dense.isSplat() && static_cast<int64_t>(raw.size()) == *size)
    return artifact::Bytes(reinterpret_cast<const uint8_t *>(raw.data()), raw.size());
  if (isa<FloatType>(type.getElementType()))
    return owner.own(pack<APFloat>(dense, *dtype, *size));
  return owner.own(pack<APInt>(dense, *dtype, *size));
}

} // namespace heddle::compiler
