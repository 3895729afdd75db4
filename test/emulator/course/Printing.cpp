// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process' own standard output goes to a file while the kernels run. Lines of different blocks
// come in any order.
#include "test/emulator/course/Program.h"
#include <algorithm>
#include <string>
#include <unistd.h>
using namespace course;

template <typename Function> static std::string outputOf(Function run) {
  std::fflush(stdout);
  std::FILE *file = std::tmpfile();
  int own = dup(1);
  dup2(fileno(file), 1);
  run();
  std::fflush(stdout);
  dup2(own, 1);
  close(own);
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;)
    text += char(c);
  std::fclose(file);
  return text;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  std::string text =
      outputOf([&] { program.launch("greet", 2, 32, 0, 42, 3.14159f, CUdeviceptr(0)); });
  for (const char *line : {"hello from block 0\n", "hello from block 1\n", "-42 42 2a0 z%\n",
                           " 3.14|42      |0000beef|1.500000e+10\n",
                           "text -123456789012345 18446744073709551615\n", "no arguments\n"})
    program.expect(text.find(line) != std::string::npos, line);
  program.expect(std::count(text.begin(), text.end(), '\n') == 6, "number of lines");
  if (program.result())
    std::printf("printed was:\n%s", text.c_str());
  std::string expected, table = outputOf([&] { program.launch("table", 1, 32, 0, 3); });
  program.expect(table == "[0] = 0\n[1] = 0.5\n[2] = 1\n", table.c_str());
  return program.result();
}
