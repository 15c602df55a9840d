#include "session/host.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

void cli_host_name(char *name, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(name, size, "host processor");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL || strncmp(line, "model name", 10) != 0) continue;
        value += 1 + strspn(value + 1, " ");
        snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(file);
}

static int is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";

    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* Single quotes keep everything but themselves; one of those becomes '\''. */
static char *append_word(char *end, const char *word)
{
    if (is_plain(word)) return end + sprintf(end, "%s", word);
    *end++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            end += sprintf(end, "'\\''");
        else
            *end++ = *word;
    }
    *end++ = '\'';
    return end;
}

char *cli_command_line(int argc, char **argv)
{
    size_t bytes = 1;
    char *line, *end;

    for (int i = 0; i < argc; i++) bytes += 4 * strlen(argv[i]) + 3;
    line = vkmm_alloc(bytes, 1);
    if (line == NULL) return NULL;
    end = line;
    for (int i = 0; i < argc; i++) {
        if (i > 0) *end++ = ' ';
        end = append_word(end, argv[i]);
    }
    *end = '\0';
    return line;
}
