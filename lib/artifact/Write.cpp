// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an artifact. The header is built twice: once to learn how long it is, which settles where
// the sections begin, and once with their real places; offsets have a fixed width, so both are
// equally long.
#include "Artifact_generated.h"
#include "heddle/Artifact.h"
#include "lib/artifact/Layout.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::artifact {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Gives each payload its place behind the header; equal payloads share one.
class Sections {
public:
  fb::Section place(Bytes bytes) {
    if (bytes.empty())
      return {0, 0};
    auto [found, isNew] = offsets.try_emplace(
        std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()), end);
    if (isNew) {
      ordered.push_back(bytes);
      end = alignSection(end + bytes.size());
    }
    return {base + found->second, bytes.size()};
  }

  void setBase(uint64_t offset) { base = offset; }
  const std::vector<Bytes> &all() const { return ordered; }

private:
  // Compares contents: model files hold few large tensors, and their first bytes already differ.
  std::map<std::string_view, uint64_t> offsets;
  std::vector<Bytes> ordered;
  uint64_t base = 0, end = 0;
};

class HeaderBuilder {
public:
  explicit HeaderBuilder(Sections &sections) : sections(sections) {}

  flatbuffers::DetachedBuffer build(const ArtifactData &data) {
    std::vector<Offset<fb::Variant>> variants;
    for (const Variant &v : data.variants)
      variants.push_back(variant(v));
    auto producer = builder.CreateString(data.producer);
    auto model = builder.CreateString(data.model);
    auto options = builder.CreateString(data.options);
    auto list = builder.CreateVector(variants);
    auto root = fb::CreateArtifact(builder, kFormatVersion, producer, model, options, list);
    builder.FinishSizePrefixed(root, kIdentifier);
    return builder.Release();
  }

private:
  Offset<fb::Variant> variant(const Variant &v) {
    std::vector<fb::Expr> exprs;
    for (const Expr &e : v.exprs)
      exprs.emplace_back(static_cast<fb::ExprKind>(e.kind), e.a, e.b, e.c, e.value);
    std::vector<Offset<fb::Symbol>> symbols;
    for (const Symbol &s : v.symbols) {
      auto name = builder.CreateString(s.name);
      symbols.push_back(fb::CreateSymbol(builder, name, static_cast<fb::SymbolKind>(s.kind),
                                         s.input, s.index, s.expr));
    }
    auto inputs = values(v.inputs);
    auto outputs = values(v.outputs);
    std::vector<Offset<fb::Buffer>> buffers;
    for (const Buffer &b : v.buffers) {
      fb::Section weight = sections.place(b.kind == BufferKind::kWeight ? b.weight : Bytes());
      buffers.push_back(fb::CreateBuffer(builder, static_cast<fb::BufferKind>(b.kind), b.size,
                                         b.first, b.last, &weight));
    }
    std::vector<Offset<fb::Kernel>> kernels;
    for (const Kernel &k : v.kernels) {
      auto name = builder.CreateString(k.name);
      auto op = builder.CreateString(k.op);
      kernels.push_back(fb::CreateKernel(builder, name, op, k.registers, k.staticSharedBytes));
    }
    std::vector<Offset<fb::Step>> steps;
    for (const Step &s : v.steps)
      steps.push_back(std::visit([&](const auto &concrete) { return step(concrete); }, s));

    fb::Section ptx =
        sections.place({reinterpret_cast<const uint8_t *>(v.ptx.data()), v.ptx.size()});
    fb::Section cubin = sections.place(v.cubin);
    auto target = builder.CreateString(v.target);
    auto exprList = builder.CreateVectorOfStructs(exprs);
    auto symbolList = builder.CreateVector(symbols);
    auto bufferList = builder.CreateVector(buffers);
    auto kernelList = builder.CreateVector(kernels);
    auto stepList = builder.CreateVector(steps);
    return fb::CreateVariant(builder, target, &ptx, v.ptxVersion, &cubin, exprList, symbolList,
                             inputs, outputs, bufferList, kernelList, stepList);
  }

  Offset<flatbuffers::Vector<Offset<fb::Value>>> values(const std::vector<Value> &list) {
    std::vector<Offset<fb::Value>> result;
    for (const Value &value : list) {
      auto name = builder.CreateString(value.name);
      auto dims = builder.CreateVector(value.dims);
      result.push_back(
          fb::CreateValue(builder, name, static_cast<uint8_t>(value.dtype), dims, value.buffer));
    }
    return builder.CreateVector(result);
  }

  Offset<fb::Step> step(const Launch &launch) {
    std::vector<fb::Arg> args;
    for (const Arg &arg : launch.args)
      args.emplace_back(static_cast<fb::ArgKind>(arg.kind), arg.buffer, arg.expr);
    auto grid = builder.CreateVector(launch.grid.data(), launch.grid.size());
    auto block = builder.CreateVector(launch.block.data(), launch.block.size());
    auto argList = builder.CreateVectorOfStructs(args);
    auto offset =
        fb::CreateLaunch(builder, launch.kernel, grid, block, launch.sharedBytes, argList);
    return fb::CreateStep(builder, fb::StepKind::Launch, offset.Union());
  }

  Offset<fb::Step> step(const Copy &copy) {
    auto offset = fb::CreateCopy(builder, copy.dst, copy.src, copy.size);
    return fb::CreateStep(builder, fb::StepKind::Copy, offset.Union());
  }

  Offset<fb::Step> step(const Store &store) {
    auto values = builder.CreateVector(store.values);
    auto offset = fb::CreateStore(builder, store.dst, static_cast<uint8_t>(store.dtype), values);
    return fb::CreateStep(builder, fb::StepKind::Store, offset.Union());
  }

  Offset<fb::Step> step(const Check &check) {
    auto message = builder.CreateString(check.message);
    auto values = builder.CreateVector(check.values);
    auto offset = fb::CreateCheck(builder, check.condition, message, values);
    return fb::CreateStep(builder, fb::StepKind::Check, offset.Union());
  }

  FlatBufferBuilder builder;
  Sections &sections;
};

/// An upper bound for the header, so that FlatBuffers' own limit is never met.
uint64_t estimateHeaderBytes(const ArtifactData &data) {
  uint64_t bytes = 1024 + data.producer.size() + data.model.size() + data.options.size();
  for (const Variant &v : data.variants) {
    bytes += 256 + v.exprs.size() * 24;
    bytes += (v.symbols.size() + v.buffers.size() + v.kernels.size()) * 64;
    for (const Symbol &s : v.symbols)
      bytes += s.name.size();
    for (const Kernel &k : v.kernels)
      bytes += k.name.size() + k.op.size();
    for (const std::vector<Value> *list : {&v.inputs, &v.outputs})
      for (const Value &value : *list)
        bytes += 64 + value.name.size() + 4 * value.dims.size();
    for (const Step &step : v.steps) {
      bytes += 128;
      if (auto *launch = std::get_if<Launch>(&step))
        bytes += 12 * launch->args.size();
      else if (auto *store = std::get_if<Store>(&step))
        bytes += 4 * store->values.size();
      else if (auto *check = std::get_if<Check>(&step))
        bytes += 4 * check->values.size() + check->message.size();
    }
  }
  return bytes;
}

class OutputFile {
public:
  explicit OutputFile(const std::string &path) : path(path) {}
  ~OutputFile() {
    if (descriptor >= 0)
      ::close(descriptor);
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }

  Status open() {
    struct stat existing;
    bool exists = ::stat(path.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode))
      return ioError("cannot write \"" + path + "\": it is a folder");
    // A device or pipe is written in place; only a regular file can be replaced.
    bool inPlace = exists && !S_ISREG(existing.st_mode);
    if (!inPlace)
      temporary = path + ".tmp" + std::to_string(::getpid());
    descriptor = ::open(inPlace ? path.c_str() : temporary.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      Status status = failure();
      temporary.clear();
      return status;
    }
    return Status::success();
  }

  Status append(const void *data, uint64_t size) {
    constexpr uint64_t kMaxWriteBytes = uint64_t{1} << 30; // one write() takes at most 2^31 - 4096
    const char *bytes = static_cast<const char *>(data);
    position += size;
    while (size > 0) {
      ssize_t written = ::write(descriptor, bytes, std::min(size, kMaxWriteBytes));
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return failure();
      bytes += written;
      size -= static_cast<uint64_t>(written);
    }
    return Status::success();
  }

  Status pad() {
    static constexpr char kZeros[kSectionAlignment] = {};
    return append(kZeros, alignSection(position) - position);
  }

  Status finish() {
    int closed = ::close(descriptor);
    descriptor = -1;
    if (closed != 0)
      return failure();
    if (!temporary.empty() && ::rename(temporary.c_str(), path.c_str()) != 0)
      return failure();
    temporary.clear();
    return Status::success();
  }

private:
  Status failure() const {
    return ioError("cannot write \"" + path + "\": " + std::strerror(errno));
  }

  std::string path, temporary;
  int descriptor = -1;
  uint64_t position = 0;
};

} // namespace

Status write(const ArtifactData &data, const std::string &path) {
  HEDDLE_TRY(verify(data).in("cannot write \"" + path + "\""));
  if (estimateHeaderBytes(data) > kMaxHeaderBytes)
    return unsupported("cannot write \"" + path + "\": the plan is larger than 2 GiB");
  Sections sections;
  uint64_t headerBytes = HeaderBuilder(sections).build(data).size();
  sections.setBase(alignSection(headerBytes));
  flatbuffers::DetachedBuffer header = HeaderBuilder(sections).build(data);
  assert(header.size() == headerBytes && "offsets change the length of the header");

  OutputFile file(path);
  HEDDLE_TRY(file.open());
  HEDDLE_TRY(file.append(header.data(), header.size()));
  for (Bytes bytes : sections.all()) {
    HEDDLE_TRY(file.pad());
    HEDDLE_TRY(file.append(bytes.data(), bytes.size()));
  }
  return file.finish();
}

} // namespace heddle::artifact
