/* The one place that compiles volk. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
