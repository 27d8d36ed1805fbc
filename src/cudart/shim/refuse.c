/* Ends a process that cannot be analysed, with exit code 122. The reason goes to the channel of
 * `lanebank run`, whose report prints it, or to stderr when there is none.
 *
 * This may run before libc is initialised and inside the dynamic linker, so it formats by hand and writes
 * with system calls. The record is one line of src/report/channel.hpp (kind "problem"). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

enum { cannot_analyse = 122 };

static char* const* environment;

void lanebank_remember_environment(char* const* variables) { environment = variables; }

static const char* channel_path(void) {
  static const char name[] = "LANEBANK_CHANNEL=";
  for (char* const* variable = environment; variable != NULL && *variable != NULL; ++variable)
    if (strncmp(*variable, name, sizeof name - 1) == 0 && (*variable)[sizeof name - 1] != '\0')
      return *variable + sizeof name - 1;
  return NULL;
}

/* A text that grows up to its room; what does not fit is left out. */
struct text {
  char bytes[16384];
  size_t size;
};

static void add(struct text* text, const char* more) {
  size_t length = strlen(more), room = sizeof text->bytes - text->size;
  if (length > room) length = room;
  memcpy(text->bytes + text->size, more, length);
  text->size += length;
}

static void add_character(struct text* text, char character) {
  if (text->size < sizeof text->bytes) text->bytes[text->size++] = character;
}

/* `more` as a JSON string, quotes included. Bytes beyond ASCII and controls become '?': paths may hold
 * anything, the channel only JSON. */
static void add_quoted(struct text* text, const char* more) {
  add_character(text, '"');
  for (; *more != '\0'; ++more) {
    if (*more == '"' || *more == '\\') add_character(text, '\\');
    add_character(text, *more >= 0x20 && *more < 0x7f ? *more : '?');
  }
  add_character(text, '"');
}

static void add_number(struct text* text, unsigned long number) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = '\0';
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  add(text, digits + at);
}

void lanebank_write_problem(int descriptor, const char* id, const char* where, const char* what, const char* remedy) {
  struct text line = {.size = 0};
  add(&line, "{\"record\":\"problem\",\"process\":");
  add_number(&line, (unsigned long)getpid());
  add(&line, ",\"problem\":{\"id\":");
  add_quoted(&line, id);
  add(&line, ",\"severity\":\"error\",\"where\":");
  add_quoted(&line, where);
  add(&line, ",\"what\":");
  add_quoted(&line, what);
  add(&line, ",\"remedy\":");
  add_quoted(&line, remedy);
  add(&line, "}}\n");
  if (write(descriptor, line.bytes, line.size) < 0) _exit(cannot_analyse);
}

void lanebank_refuse(const char* id, const char* path, const char* what, const char* remedy) {
  char program[4096] = "the program";
  if (path == NULL) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = '\0';
    path = program;
  }
  const char* channel = channel_path();
  int descriptor = channel == NULL ? -1 : open(channel, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor >= 0) {
    lanebank_write_problem(descriptor, id, path, what, remedy);
  } else {
    struct text message = {.size = 0};
    const char* parts[] = {"lanebank: ", path, ": ", what, "\n  ", remedy, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) add(&message, parts[i]);
    if (write(2, message.bytes, message.size) < 0) _exit(cannot_analyse);
  }
  _exit(cannot_analyse);
}
