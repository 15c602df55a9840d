/* Plays libSPIRV-Tools-shared.so: finds a module valid unless its sixth word says otherwise, and says for which
 * version of Vulkan it was asked. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct context {
    int environment;
} context;

typedef struct diagnostic {
    size_t line, column, index;
    char *error;
    bool is_text_source;
} diagnostic;

EXPORT context *spvContextCreate(int environment);
EXPORT void spvContextDestroy(context *c);
EXPORT int spvValidateBinary(const context *c, const uint32_t *words, size_t count, diagnostic **out);
EXPORT void spvDiagnosticDestroy(diagnostic *d);

context *spvContextCreate(int environment)
{
    context *c = malloc(sizeof *c);
    if (c) c->environment = environment;
    return c;
}

void spvContextDestroy(context *c)
{
    free(c);
}

int spvValidateBinary(const context *c, const uint32_t *words, size_t count, diagnostic **out)
{
    if (count < 6 || words[5] == 0) return 0;
    diagnostic *d = calloc(1, sizeof *d);
    if (!d || words[5] == 2) { /* 2: no message */
        free(d);
        return -1;
    }
    d->error = malloc(64);
    if (d->error) snprintf(d->error, 64, "environment %d, %zu words\n  %%1 = OpNop", c->environment, count);
    *out = d;
    return -1;
}

void spvDiagnosticDestroy(diagnostic *d)
{
    free(d->error);
    free(d);
}
