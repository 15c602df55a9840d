#include <volk.h> /* for the compiler to say where it is */
