#define STUB_OF_12
#include "cudart.c"
