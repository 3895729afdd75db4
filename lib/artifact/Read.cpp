// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps an artifact and turns its header into plain data. Three gates, in this order: FlatBuffers'
// verifier (offsets stay in the header), the conversion here (sections stay in the file, no data is
// expanded twice) and `verify` (the meaning).
#include "Artifact_generated.h"
#include "lib/artifact/ArtifactFile.h"
#include "lib/artifact/Layout.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::artifact {

namespace {

class HeaderReader {
public:
  HeaderReader(Bytes file, uint64_t headerBytes) : file(file), budget(headerBytes) {}

  Status read(const fb::Artifact &artifact, ArtifactData &data) {
    data.producer = string(artifact.producer());
    data.model = string(artifact.model());
    data.options = string(artifact.options());
    if (artifact.variants())
      for (const fb::Variant *v : *artifact.variants()) {
        HEDDLE_TRY(spend(1, 64));
        HEDDLE_TRY(variant(*v, data.variants.emplace_back()));
      }
    return Status::success();
  }

private:
  static std::string string(const flatbuffers::String *text) { return text ? text->str() : ""; }

  /// A sound header holds every table once. Without this bound a small file could name one long
  /// vector a million times.
  Status spend(uint64_t count, uint64_t bytes) {
    if (count * bytes > budget)
      return corrupt("the header names the same data more than once");
    budget -= count * bytes;
    return Status::success();
  }

  /// FlatBuffers' verifier looks at the alignment of a vector's length, not of its structs.
  template <typename T> Status aligned(const flatbuffers::Vector<const T *> &vector) {
    if (reinterpret_cast<uintptr_t>(vector.Data()) % alignof(T) == 0)
      return Status::success();
    return corrupt("a list in its header is not aligned");
  }

  Status bytes(const fb::Section *section, const char *what, Bytes &result) {
    result = {};
    if (!section || section->size() == 0)
      return Status::success();
    uint64_t offset = section->offset(), size = section->size();
    if (offset % kSectionAlignment != 0 || offset > file.size() || size > file.size() - offset)
      return corrupt(std::string(what) + " is at [" + std::to_string(offset) + ", +" +
                     std::to_string(size) + ") of a file of " + std::to_string(file.size()) +
                     " bytes; the file is cut off or damaged");
    result = file.subspan(offset, size);
    return Status::success();
  }

  Status numbers(const flatbuffers::Vector<uint32_t> *from, std::vector<uint32_t> &to) {
    if (!from)
      return Status::success();
    HEDDLE_TRY(spend(from->size(), 4));
    to.assign(from->begin(), from->end());
    return Status::success();
  }

  Status triple(const flatbuffers::Vector<uint32_t> *from, std::array<uint32_t, 3> &to) {
    if (!from || from->size() != to.size())
      return corrupt("a launch does not have three grid and three block sizes");
    std::copy(from->begin(), from->end(), to.begin());
    return Status::success();
  }

  Status values(const flatbuffers::Vector<flatbuffers::Offset<fb::Value>> *from,
                std::vector<Value> &to) {
    if (!from)
      return Status::success();
    HEDDLE_TRY(spend(from->size(), 8));
    for (const fb::Value *value : *from) {
      Value &result = to.emplace_back();
      HEDDLE_TRY(spend(value->name()->size(), 1));
      result.name = string(value->name());
      result.dtype = static_cast<DType>(value->dtype());
      HEDDLE_TRY(numbers(value->dims(), result.dims));
      result.buffer = value->buffer();
    }
    return Status::success();
  }

  Status variant(const fb::Variant &from, Variant &to) {
    HEDDLE_TRY(spend(from.target()->size(), 1));
    to.target = string(from.target());
    Bytes ptx;
    HEDDLE_TRY(bytes(from.ptx(), "PTX", ptx));
    to.ptx = {reinterpret_cast<const char *>(ptx.data()), ptx.size()};
    to.ptxVersion = from.ptx_version();
    HEDDLE_TRY(bytes(from.cubin(), "a cubin", to.cubin));
    if (from.exprs()) {
      HEDDLE_TRY(aligned(*from.exprs()));
      HEDDLE_TRY(spend(from.exprs()->size(), sizeof(fb::Expr)));
      to.exprs.reserve(from.exprs()->size());
      for (const fb::Expr *e : *from.exprs())
        to.exprs.push_back({static_cast<ExprKind>(e->kind()), e->a(), e->b(), e->c(), e->value()});
    }
    if (from.symbols()) {
      HEDDLE_TRY(spend(from.symbols()->size(), 8));
      for (const fb::Symbol *s : *from.symbols()) {
        HEDDLE_TRY(spend(s->name() ? s->name()->size() : 0, 1));
        to.symbols.push_back({string(s->name()), static_cast<SymbolKind>(s->kind()), s->input(),
                              s->index(), s->expr()});
      }
    }
    HEDDLE_TRY(values(from.inputs(), to.inputs));
    HEDDLE_TRY(values(from.outputs(), to.outputs));
    if (from.buffers()) {
      HEDDLE_TRY(spend(from.buffers()->size(), 8));
      for (const fb::Buffer *b : *from.buffers()) {
        Buffer &result = to.buffers.emplace_back();
        result = {static_cast<BufferKind>(b->kind()), b->size(), b->first(), b->last(), {}};
        HEDDLE_TRY(bytes(b->weight(), "a weight", result.weight));
      }
    }
    if (from.kernels()) {
      HEDDLE_TRY(spend(from.kernels()->size(), 8));
      for (const fb::Kernel *k : *from.kernels()) {
        HEDDLE_TRY(spend(k->name()->size() + (k->op() ? k->op()->size() : 0), 1));
        to.kernels.push_back(
            {string(k->name()), string(k->op()), k->registers(), k->static_shared()});
      }
    }
    if (from.steps()) {
      HEDDLE_TRY(spend(from.steps()->size(), 8));
      for (const fb::Step *s : *from.steps())
        HEDDLE_TRY(step(*s, to.steps));
    }
    return Status::success();
  }

  Status step(const fb::Step &from, std::vector<Step> &to) {
    if (const fb::Launch *launch = from.step_as_Launch()) {
      Launch result;
      result.kernel = launch->kernel();
      result.sharedBytes = launch->shared();
      HEDDLE_TRY(triple(launch->grid(), result.grid));
      HEDDLE_TRY(triple(launch->block(), result.block));
      if (launch->args()) {
        HEDDLE_TRY(aligned(*launch->args()));
        HEDDLE_TRY(spend(launch->args()->size(), sizeof(fb::Arg)));
        for (const fb::Arg *arg : *launch->args())
          result.args.push_back({static_cast<ArgKind>(arg->kind()), arg->buffer(), arg->expr()});
      }
      to.emplace_back(std::move(result));
    } else if (const fb::Copy *copy = from.step_as_Copy()) {
      to.emplace_back(Copy{copy->dst(), copy->src(), copy->size()});
    } else if (const fb::Store *store = from.step_as_Store()) {
      Store result;
      result.dst = store->dst();
      result.dtype = static_cast<DType>(store->dtype());
      HEDDLE_TRY(numbers(store->values(), result.values));
      to.emplace_back(std::move(result));
    } else if (const fb::Check *check = from.step_as_Check()) {
      HEDDLE_TRY(spend(check->message()->size(), 1));
      Check result;
      result.condition = check->condition();
      result.message = string(check->message());
      HEDDLE_TRY(numbers(check->values(), result.values));
      to.emplace_back(std::move(result));
    } else {
      return corrupt("step " + std::to_string(to.size()) + " is of unknown kind " +
                     std::to_string(static_cast<unsigned>(from.step_type())));
    }
    return Status::success();
  }

  Bytes file;
  uint64_t budget; // bytes of header that may still be expanded
};

uint32_t readU32(const uint8_t *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

Status readFile(Bytes file, ArtifactData &data) {
  if (file.empty())
    return corrupt("the file is empty; expected a compiled model (heddle-compile makes one)");
  if (file.size() < kIdentifierOffset + 4 ||
      std::memcmp(file.data() + kIdentifierOffset, kIdentifier, 4) != 0)
    return corrupt("this is no compiled model (no \"HDDL\" at byte 8); heddle-compile makes one "
                   "from an ONNX model");
  uint64_t headerBytes = kSizePrefixBytes + uint64_t{readU32(file.data())};
  if (headerBytes > file.size())
    return corrupt("its header has " + std::to_string(headerBytes) + " bytes, the file only " +
                   std::to_string(file.size()) + "; it was cut off, get it again");
  if (headerBytes > kMaxHeaderBytes)
    return corrupt("its header has " + std::to_string(headerBytes) +
                   " bytes, more than a header "
                   "can have");
  // Every table is at least four bytes, so no sound header has more.
  flatbuffers::Verifier verifier(file.data(), headerBytes, /*max_depth=*/64,
                                 static_cast<flatbuffers::uoffset_t>(headerBytes / 4 + 1));
  const fb::Artifact *artifact = nullptr;
  bool sound = verifier.VerifySizePrefixedBuffer<fb::Artifact>(kIdentifier);
  if (sound)
    artifact = flatbuffers::GetSizePrefixedRoot<fb::Artifact>(file.data());
  if (!artifact)
    return corrupt("its header is damaged, or of a newer version than this build's " +
                   std::to_string(kFormatVersion));
  if (artifact->format() != kFormatVersion)
    return unsupported("it is of format version " + std::to_string(artifact->format()) +
                       ", this build reads version " + std::to_string(kFormatVersion) +
                       "; compile the model again with the heddle-compile of this version");
  HEDDLE_TRY(HeaderReader(file, headerBytes).read(*artifact, data));
  return verify(data);
}

} // namespace

struct ArtifactFile::Content {
  ~Content() {
    if (mapping)
      ::munmap(mapping, mappingBytes);
  }

  void *mapping = nullptr;
  size_t mappingBytes = 0;
  std::vector<uint8_t> bytes; // aligned as operator new does, which is enough for FlatBuffers
  ArtifactData data;
};

ArtifactFile::ArtifactFile(std::unique_ptr<Content> content) : content(std::move(content)) {}
ArtifactFile::ArtifactFile(ArtifactFile &&) noexcept = default;
ArtifactFile &ArtifactFile::operator=(ArtifactFile &&) noexcept = default;
ArtifactFile::~ArtifactFile() = default;

const ArtifactData &ArtifactFile::data() const { return content->data; }

Result<ArtifactFile> ArtifactFile::fromBytes(std::vector<uint8_t> bytes, const std::string &name) {
  auto content = std::make_unique<Content>();
  content->bytes = std::move(bytes);
  HEDDLE_TRY(readFile(content->bytes, content->data).in("cannot read \"" + name + "\""));
  return ArtifactFile(std::move(content));
}

Result<ArtifactFile> ArtifactFile::open(const std::string &path) {
  auto failure = [&](StatusCode code, const std::string &reason) {
    return Status(code, "cannot read \"" + path + "\": " + reason);
  };
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure(errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo, std::strerror(errno));
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(descriptor);
    return failure(StatusCode::kIo, "it is no regular file");
  }
  auto content = std::make_unique<Content>();
  if (facts.st_size > 0) {
    content->mappingBytes = static_cast<size_t>(facts.st_size);
    void *mapping = ::mmap(nullptr, content->mappingBytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) {
      ::close(descriptor);
      return failure(StatusCode::kIo, std::strerror(errno));
    }
    content->mapping = mapping;
  }
  ::close(descriptor);
  Bytes file(static_cast<const uint8_t *>(content->mapping), content->mappingBytes);
  HEDDLE_TRY(readFile(file, content->data).in("cannot read \"" + path + "\""));
  return ArtifactFile(std::move(content));
}

} // namespace heddle::artifact
