// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact as a file that is mapped, verified once and then trusted.
#ifndef HEDDLE_LIB_ARTIFACT_ARTIFACTFILE_H
#define HEDDLE_LIB_ARTIFACT_ARTIFACTFILE_H

#include "heddle/Artifact.h"
#include <memory>

namespace heddle::artifact {

/// A mapped, verified file.
class ArtifactFile {
public:
  /// Errors:  kNotFound, kIo; kCorrupt for anything that is no whole artifact; kUnsupported for an
  ///          artifact of another format version.
  static Result<ArtifactFile> open(const std::string &path);
  /// The same for bytes in memory; `name` stands for the path in messages.
  static Result<ArtifactFile> fromBytes(std::vector<uint8_t> bytes, const std::string &name);

  ArtifactFile(ArtifactFile &&) noexcept;
  ArtifactFile &operator=(ArtifactFile &&) noexcept;
  ~ArtifactFile();

  const ArtifactData &data() const;

private:
  struct Content;
  explicit ArtifactFile(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content;
};

} // namespace heddle::artifact

#endif // HEDDLE_LIB_ARTIFACT_ARTIFACTFILE_H
