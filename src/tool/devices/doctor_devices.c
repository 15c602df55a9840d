/* The GPUs of the system against the devices of Vulkan. */
#include "devices/doctor.h"

#include "base/folder.h"
#include "base/limits.h"
#include "devices/gpus.h"
#include "session/drivers.h"

#include <stdio.h>
#include <string.h>

enum { AMD = 0x1002, NVIDIA = 0x10de, INTEL = 0x8086, MOST_GPUS = 32 };

static const char *vendor_name(uint32_t vendor)
{
    return vendor == AMD ? "AMD " : vendor == NVIDIA ? "NVIDIA " : vendor == INTEL ? "Intel " : "";
}

static void describe(const cli_gpu *gpu, char text[160])
{
    char driver[80] = "";
    if (gpu->kernel_driver[0] != '\0') VKMM_PUT(driver, " (kernel driver %s)", gpu->kernel_driver);
    if (gpu->has_pci)
        snprintf(text, 160, "the %sGPU %04x:%04x at %04x:%02x:%02x.%x%s", vendor_name(gpu->vendor_id),
                 gpu->vendor_id & 0xffff, gpu->device_id & 0xffff, gpu->pci[0], gpu->pci[1], gpu->pci[2], gpu->pci[3],
                 driver);
    else
        snprintf(text, 160, "the GPU of %s%s", gpu->node, driver);
}

static int is_same(const cli_gpu *gpu, const vkmm_device_info *info)
{
    if (vkmm_is_processor(info)) return 0;
    if (!gpu->has_pci) return info->vendor_id != AMD && info->vendor_id != NVIDIA;
    if (info->has_pci) return memcmp(info->pci, gpu->pci, sizeof gpu->pci) == 0;
    return info->vendor_id == gpu->vendor_id && info->device_id == gpu->device_id;
}

static uint32_t count_seen(const cli_exam *exam, const cli_gpu *gpu, int same_vendor)
{
    const vkmm_instance *instance = exam->session->instance;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < vkmm_instance_device_count(instance); i++) {
        const vkmm_device_info *info = vkmm_instance_device_info(instance, i);
        seen += (uint32_t)(same_vendor ? info->vendor_id == gpu->vendor_id : is_same(gpu, info));
    }
    return seen;
}

static const char *driver_advice(const cli_gpu *gpu)
{
    if (cli_drivers_restriction() != NULL) return CLI_UNSET_DRIVERS;
    if (gpu->vendor_id == NVIDIA && strcmp(gpu->kernel_driver, "nouveau") == 0)
        return "For the NVIDIA GPU install mesa-vulkan-drivers 24.1 or newer (NVK), or NVIDIA's own driver.";
    if (gpu->vendor_id == NVIDIA)
        return "For the NVIDIA GPU install the Vulkan part of NVIDIA's driver (Debian: nvidia-vulkan-icd), of the same "
               "version as its kernel module; in a container, request the capability \"graphics\" "
               "(NVIDIA_DRIVER_CAPABILITIES=all).";
    return "For the GPU that Vulkan does not see, install the newest mesa-vulkan-drivers.";
}

/* Whether this user may open the device files that a driver of this GPU needs; a finding if not. */
static int is_open(cli_exam *exam, const cli_gpu *gpu, const char *what)
{
    char path[512];
    if (gpu->vendor_id == NVIDIA && strcmp(gpu->kernel_driver, "nvidia") == 0) {
        vkmm_access_look look;
        VKMM_PUT(path, "%s/dev/nvidiactl", exam->root);
        look = vkmm_path_look(path, 1);
        if (look == VKMM_PATH_OPEN) return 1;
        cli_doctor_find(
            exam, CLI_PROBLEM,
            "Give this user /dev/nvidiactl and /dev/nvidia0; in a container start it with all GPUs (--gpus all).",
            "%s cannot be reached: /dev/nvidiactl %s", what,
            look == VKMM_PATH_MISSING ? "is not there" : "may not be opened");
        return 0;
    }
    if (gpu->node[0] == '\0' || gpu->node_open) return 1;
    cli_doctor_find(exam, CLI_PROBLEM,
                    gpu->node_there
                        ? "Let this user open the render node: sudo usermod -aG render,video $USER, then log in again."
                        : "In a container, pass the GPU on: --device /dev/dri.",
                    "%s cannot be reached: %s %s", what, gpu->node,
                    gpu->node_there ? "may not be opened by this user" : "is not there");
    return 0;
}

/* A GPU that no driver shows, and no other GPU of its vendor is shown. A fault if the vendor's GPUs support Vulkan. */
static void report_unseen(cli_exam *exam, const cli_gpu *gpu)
{
    char what[160];
    describe(gpu, what);
    if (strncmp(gpu->kernel_driver, "vfio", 4) == 0)
        cli_doctor_find(exam, CLI_NOTE, "", "%s is reserved for a virtual machine", what);
    else if (gpu->has_pci && vendor_name(gpu->vendor_id)[0] == '\0')
        cli_doctor_find(exam, CLI_NOTE, "", "%s has no Vulkan driver here", what);
    else if (is_open(exam, gpu, what))
        cli_doctor_find(exam, CLI_PROBLEM, driver_advice(gpu), "%s is not seen by Vulkan", what);
}

/* How many of the system's GPUs are usable: those that Vulkan sees, and those of vendors with Vulkan drivers. */
static uint32_t report_gpus(cli_exam *exam)
{
    cli_gpu gpus[MOST_GPUS];
    uint32_t count = cli_gpus_list(exam->root, gpus, MOST_GPUS), seen = 0, able = 0, hidden = 0;
    if (count > MOST_GPUS) count = MOST_GPUS;
    for (uint32_t i = 0; i < count; i++) {
        int serves = (!gpus[i].has_pci || vendor_name(gpus[i].vendor_id)[0] != '\0') &&
                     strncmp(gpus[i].kernel_driver, "vfio", 4) != 0;
        int is_seen = count_seen(exam, &gpus[i], 0) > 0;
        able += (uint32_t)(serves || is_seen);
        if (is_seen)
            seen++;
        else if (gpus[i].has_pci && count_seen(exam, &gpus[i], 1) > 0)
            hidden++;
        else
            report_unseen(exam, &gpus[i]);
    }
    if (hidden > 0)
        cli_doctor_find(exam, CLI_NOTE, "",
                        "%u GPU%s not seen by Vulkan, though others of the same vendor are: a container may have been "
                        "given only some of them",
                        hidden, hidden == 1 ? " is" : "s are");
    if (able == 0)
        cli_doctor_find(exam, CLI_OK, "", "the system lists no GPU that has Vulkan drivers");
    else if (seen > 0)
        cli_doctor_find(exam, CLI_OK, "", "the system has %u GPU%s, Vulkan sees %u", able, able == 1 ? "" : "s", seen);
    return able;
}

static int is_one_gpu(const vkmm_device_info *left, const vkmm_device_info *right)
{
    static const uint8_t none[VK_UUID_SIZE];
    if (left->has_pci && right->has_pci) return memcmp(left->pci, right->pci, sizeof left->pci) == 0;
    return memcmp(left->uuid, none, sizeof none) != 0 && memcmp(left->uuid, right->uuid, sizeof none) == 0;
}

static void report_duplicates(cli_exam *exam, uint32_t chosen)
{
    const vkmm_instance *instance = exam->session->instance;
    uint32_t count = vkmm_instance_device_count(instance);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const vkmm_device_info *left = vkmm_instance_device_info(instance, i),
                                   *right = vkmm_instance_device_info(instance, j);
            if (!is_one_gpu(left, right)) continue;
            cli_doctor_find(exam, CLI_NOTE,
                            "Select one of a GPU's two drivers, for example with --device 1; 'vkmatmul compare' shows "
                            "which is faster.",
                            "devices %u (%.80s) and %u (%.80s) are one GPU under two drivers%s", i, left->driver.name,
                            j, right->driver.name,
                            chosen == i   ? "; a run uses the first"
                            : chosen == j ? "; a run uses the second"
                                          : "");
        }
    }
}

static void report_choice(cli_exam *exam, uint32_t chosen, uint32_t gpus)
{
    const vkmm_device_info *info = vkmm_instance_device_info(exam->session->instance, chosen);
    if (!vkmm_is_processor(info))
        cli_doctor_find(exam, CLI_OK, "", "a run without --device uses device %u, %.200s", chosen, info->name);
    else if (gpus > 0)
        cli_doctor_find(exam, CLI_PROBLEM, "",
                        "a run uses %.200s, which is the processor, although the system has a GPU", info->name);
    else
        cli_doctor_find(exam, CLI_NOTE, "", "a run uses %.200s, which is the processor: there is no GPU here",
                        info->name);
}

void cli_doctor_gpus(cli_exam *exam)
{
    uint32_t chosen = 0, gpus;
    const char *left_out = vkmm_instance_left_out(exam->session->instance);
    exam->check = "devices";
    if (left_out[0] != '\0') cli_doctor_find(exam, CLI_NOTE, "", "%.500s", left_out);
    exam->check = "gpus";
    gpus = report_gpus(exam);
    if (vkmm_instance_find_device(exam->session->instance, NULL, &chosen) != VKMM_OK) {
        exam->check = "devices";
        cli_doctor_find(exam, CLI_PROBLEM, "", "Vulkan shows no device: no driver found one that it supports");
        return;
    }
    exam->check = "duplicates";
    report_duplicates(exam, chosen);
    exam->check = "choice";
    report_choice(exam, chosen, gpus);
}
