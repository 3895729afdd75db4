// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process a batch: ptxas reports each wrong line. What ends it at once (a word that it cannot
// read) is taken out, and the rest is asked again.
#include "test/emulator/forms/Ptxas.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <unistd.h>

namespace heddle::test {

namespace {

std::string outputOf(const std::string &command, bool isVersion = false) {
  std::string text;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return "cannot start " + command;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, count);
  int status = pclose(pipe);
  return status == 0 && !isVersion ? "" : text.empty() ? "failed without a word" : text;
}

/// What ptxas says of some snippets of a batch. It finds faults in several passes, so what it
/// refused is taken out until the rest is accepted.
class Questions {
public:
  Questions(const std::string &ptxas, Batch &batch, std::filesystem::path file)
      : ptxas(ptxas), batch(batch), file(std::move(file)) {}

  void ask(std::vector<size_t> indices) {
    while (!indices.empty()) {
      bool isNew = false;
      std::string output = run(indices);
      read(output, isNew);
      if (output.empty())
        return;
      if (!isNew && indices.size() == 1) {
        batch.refused.emplace(indices[0], output.substr(0, 200));
        return;
      }
      if (!isNew) { // an error without a place of ours: which half has it?
        auto middle = indices.begin() + static_cast<ptrdiff_t>(indices.size() / 2);
        ask({indices.begin(), middle});
        indices.erase(indices.begin(), middle);
      }
      std::erase_if(indices, [&](size_t i) { return batch.refused.count(i) != 0; });
    }
  }

private:
  std::string run(const std::vector<size_t> &indices) {
    std::string text = moduleHead(batch.version, batch.target);
    size_t line = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    snippetOf.clear();
    for (size_t i : indices) {
      snippetOf[line++] = i;
      text += batch.snippets[i].kernel("k" + std::to_string(i));
    }
    std::ofstream(file) << text;
    // A virtual architecture makes ptxas read and judge the text; compiling it takes minutes.
    const char *prefix = std::getenv("HEDDLE_FORMS_COMPILE") ? "sm_" : "compute_";
    return outputOf(ptxas + " -O0 -arch=" + prefix + batch.target.substr(3) + " -o /dev/null " +
                    file.string());
  }

  void read(const std::string &output, bool &isNew) {
    std::string place = file.string() + ", line ";
    for (size_t at = 0; (at = output.find(place, at)) != std::string::npos;) {
      at += place.size();
      size_t end = std::min(output.find('\n', at), output.size());
      std::string message = output.substr(at, end - at);
      if (message.find("warning") != std::string::npos)
        continue;
      auto found = snippetOf.find(std::stoul(message));
      if (found != snippetOf.end())
        isNew |= batch.refused.emplace(found->second, message.substr(message.find(';') + 1)).second;
    }
  }

  const std::string &ptxas;
  Batch &batch;
  std::filesystem::path file;
  std::map<size_t, size_t> snippetOf; ///< by line
};

} // namespace

std::string versionOf(const std::string &ptxas) { return outputOf(ptxas + " --version", true); }

std::string compile(const std::string &ptxas, const std::string &target, const std::string &file) {
  return outputOf(ptxas + " -arch=" + target + " -o /dev/null \"" + file + "\"");
}

void askPtxas(const std::string &ptxas, std::vector<Batch> &batches) {
  std::atomic<size_t> next = 0;
  auto work = [&](int worker) {
    std::filesystem::path file =
        std::filesystem::temp_directory_path() /
        ("heddle-forms-" + std::to_string(::getpid()) + "-" + std::to_string(worker) + ".ptx");
    for (size_t i; (i = next++) < batches.size();) {
      std::vector<size_t> all(batches[i].snippets.size());
      std::iota(all.begin(), all.end(), 0);
      Questions(ptxas, batches[i], file).ask(std::move(all));
    }
    std::filesystem::remove(file);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}

} // namespace heddle::test
