// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// posix_spawn with one pipe for both output streams. Reading with a deadline is what makes a
// program that hangs an error and not a hang.
#include "lib/ptxas/Process.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle::ptxas {

/// Reads until the other end is closed. False if the deadline came first.
static bool readUntilClosed(int descriptor, std::chrono::steady_clock::time_point deadline,
                            std::string &output) {
  char chunk[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd waiting{descriptor, POLLIN, 0};
    int ready = ::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 60000)));
    if (ready <= 0)
      continue;
    ssize_t got = ::read(descriptor, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return true;
    output.append(chunk, static_cast<size_t>(got));
  }
}

Result<ProcessResult> runProcess(const std::vector<std::string> &arguments, int timeoutSeconds) {
  const std::string &program = arguments.front();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return ioError("cannot make a pipe for \"" + program + "\": " + std::strerror(errno));

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return ioError("cannot run \"" + program + "\": " + std::strerror(error));
  }

  ProcessResult result;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeoutSeconds);
  bool finished = readUntilClosed(ends[0], deadline, result.output);
  ::close(ends[0]);
  if (!finished)
    ::kill(child, SIGKILL);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (!finished)
    return ioError("\"" + program + "\" ran longer than " + std::to_string(timeoutSeconds) +
                   " seconds and was ended");
  if (WIFSIGNALED(state))
    return ioError("\"" + program + "\" was ended by signal " + std::to_string(WTERMSIG(state)) +
                   "\n" + result.output);
  result.exitCode = WEXITSTATUS(state);
  return result;
}

} // namespace heddle::ptxas
