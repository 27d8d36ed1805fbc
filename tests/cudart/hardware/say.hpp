// A transcript of calls: each line is the call as written and what it returned. The transcripts of these
// programs on a real device (*.h200.txt) are what the emulated runtime must print too.
#pragma once

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void print_call(const char* text, cudaError_t error) {
  std::printf("  %-70s %s\n", text, cudaGetErrorName(error));
  std::fflush(stdout);
}

/// Makes the call and prints its result.
#define SAY(call) print_call(#call, call)
/// Prints a number.
#define SHOW(value) (std::printf("  %-70s %lld\n", #value, static_cast<long long>(value)), std::fflush(stdout))

/// Runs `body` in a process of its own, since a fault spoils the process that meets it.
template <class Body>
void in_a_process(const char* title, Body body) {
  std::printf("%s\n", title);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("  ended by signal %d\n", WTERMSIG(status));
}
