/* What `vkmatmul doctor` found: findings, and the advice that follows from them. Plain values that borrow what they
 * point to. */
#ifndef VKMM_REPORT_DOCTOR_H
#define VKMM_REPORT_DOCTOR_H

#include "report/record.h"
#include "report/report.h"

/* From good to bad. */
typedef enum vkmm_grade { VKMM_GRADE_OK, VKMM_GRADE_NOTE, VKMM_GRADE_WARNING, VKMM_GRADE_PROBLEM } vkmm_grade;

const char *vkmm_grade_name(vkmm_grade grade); /* "ok", "note", "warning", "problem" */

#define VKMM_OF_SYSTEM UINT32_MAX

typedef struct vkmm_finding {
    vkmm_grade grade;
    char check[24];
    uint32_t device; /* its index; VKMM_OF_SYSTEM: of the system */
    char sentence[640];
    char advice[400]; /* what to do about it; "": nothing */
} vkmm_finding;

extern const vkmm_record vkmm_finding_record;

/* A driver's or layer's manifest. */
typedef struct vkmm_doctor_file {
    const char *kind; /* "driver", "implicit layer", "explicit layer" */
    const char *path, *name, *library, *broken;
    int active;
} vkmm_doctor_file;

typedef struct vkmm_doctor {
    uint32_t loader_version; /* in Vulkan's packing; 0: there is no loader */
    const vkmm_finding *findings;
    uint32_t finding_count;
    const vkmm_doctor_file *files;
    uint32_t file_count;
    const vkmm_device_info *const *devices; /* those that were examined */
    uint32_t device_count;
    uint32_t chosen; /* the index of the one that a run takes; VKMM_OF_SYSTEM: none */
} vkmm_doctor;

/* The advice of all findings, the worst finding's first, each once: how many, of which the first `room` are in
 * `advice`. */
uint32_t vkmm_doctor_advice(const vkmm_doctor *doctor, const char **advice, uint32_t room);
#define VKMM_MOST_ADVICE 64

/* One finding as a wrapped line, at once; the heading of its device or of the system comes first when it is another
 * one than *heading, which begins as VKMM_OF_SYSTEM - 1. info: the device's, or NULL. */
void vkmm_doctor_show(const vkmm_report *report, const vkmm_finding *finding, const vkmm_device_info *info,
                      uint32_t *heading);

/* The advice, for people: what ends the list. */
void vkmm_doctor_show_advice(const vkmm_report *report, const vkmm_doctor *doctor);

/* "vkmatmul.doctor/1". VKMM_OUT_OF_MEMORY is the only failure. */
vkmm_status vkmm_doctor_json(const vkmm_report *report, const vkmm_doctor *doctor);

#endif
