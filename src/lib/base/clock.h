#pragma once

/* Monotonic host time in milliseconds from an arbitrary start; safe from any thread. */
double vkmm_now_ms(void);
/* Processor time that all threads of this process have used, in milliseconds. */
double vkmm_cpu_ms(void);
