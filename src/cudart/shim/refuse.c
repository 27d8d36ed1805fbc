/* Ends a process that cannot be analysed: says so on stderr and exits with 122. May be called before
 * libc is initialised, so it only formats and writes. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

void lanebank_refuse(const char* path, const char* what, const char* remedy) {
  char program[4096] = "the program";
  if (path == NULL) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = '\0';
    path = program;
  }
  const char* parts[] = {"lanebank: ", path, ": ", what, "\n  ", remedy, "\n"};
  struct iovec text[sizeof parts / sizeof *parts];
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    text[i] = (struct iovec){(void*)parts[i], strlen(parts[i])};
  if (writev(2, text, sizeof parts / sizeof *parts) < 0) _exit(122);
  _exit(122);
}
