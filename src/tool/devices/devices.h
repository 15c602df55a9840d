/* What vkmatmul can do on each device. Plain values that borrow what they point to. */
#pragma once

#include <jansson.h>
#include "math/type.h"
#include "report/report.h"
#include "session/session.h"

/* One thing that a device or this build cannot do. */
typedef struct cli_lack {
    char what[200], reason[200];
} cli_lack;

enum { CLI_MAX_ABILITIES = 32, CLI_MAX_CHOICES = 32 };

/* A kernel and the types that it supports on a device. */
typedef struct cli_ability {
    const char *kernel, *summary;
    const char *types[VKMM_TYPE_COUNT];
    uint32_t type_count;
} cli_ability;

/* The kernel that the planner chooses for a problem. */
typedef struct cli_choice {
    vkmm_problem problem;
    vkmm_kernel_info kernel; /* name "": none */
    char reason[200];        /* why there is none */
} cli_choice;

/* How a large product of some types is computed on a device. */
typedef struct cli_way {
    vkmm_types types;
    const char *by; /* "matrix": matrix operations; "dot": dot products of four bytes; "shader": as ordinary arithmetic;
                       NULL: not at all */
    vkmm_kernel_info kernel; /* the planner's choice */
} cli_way;

/* What vkmatmul can do on one device, and what it cannot. */
typedef struct cli_device_row {
    const vkmm_device_info *info;
    cli_bench_device device; /* the same, as records have it */
    int chosen;              /* the default of a run without --device */
    const char *types[VKMM_TYPE_COUNT];
    uint32_t type_count;
    cli_ability kernels[CLI_MAX_ABILITIES];
    uint32_t kernel_count;
    cli_lack lacks[CLI_MAX_ABILITIES];
    uint32_t lack_count;
    cli_choice choices[CLI_MAX_CHOICES]; /* for usual problems, grouped by type */
    uint32_t choice_count;
    cli_way ways[VKMM_TYPES_COUNT]; /* of all combinations of types, as vkmm_types_at has them */
} cli_device_row;

typedef struct cli_device_list {
    const cli_report *report;
    const char *unloaded; /* the manifest of a SwiftShader that no loader looks for; NULL: none */
    const char *left_out; /* vkmm_instance_left_out */
    cli_device_row *rows;
    uint32_t count;
} cli_device_list;

/* For people, a short block each; and "vkmatmul.devices/1", where VKMM_OUT_OF_MEMORY is the only failure. */
void cli_devices_table(const cli_device_list *list);
json_t *cli_devices_json(const cli_device_list *list);

/* An entry of "devices": a new reference; NULL if memory runs out. describe: of the session's device, which
 * cli_session_find_device found. */
json_t *cli_device_json(const cli_device_row *row);
json_t *cli_device_describe(cli_session *session);
