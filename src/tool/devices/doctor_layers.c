/* Implicit layers sit between every Vulkan program and its driver, also if the program has no window. */
#include "devices/doctor.h"

#include <string.h>

/* What is known about some layers, other than what they are. */
#define REPORTED ", reported among layers whose removal stopped crashes of compute programs"

/* Layers by the beginning of their name, and what they are according to their vendors. REPORTED applies to several
 * layers at once, without singling one out, all on Windows: cjpais/Handy #2049 (Steam, OBS, RTSS, Overwolf, Epic),
 * ggml-org/llama.cpp #18109 (RTSS), KhronosGroup/Vulkan-Docs #2808 (OBS suspected). These layers get a warning, and so
 * do layers that do work at every call. */
static const struct {
    const char *name;
    cli_grade grade;
    const char *what;
} known[] = {
    {"VK_LAYER_RTSS", CLI_WARNING, "RivaTuner's overlay" REPORTED},
    {"VK_LAYER_OBS_", CLI_WARNING, "a capture for OBS Studio" REPORTED},
    {"VK_LAYER_OW_", CLI_WARNING, "Overwolf's overlay or capture" REPORTED},
    {"VK_LAYER_EOS_", CLI_WARNING, "Epic's overlay" REPORTED},
    {"VK_LAYER_VALVE_steam_overlay", CLI_WARNING, "Steam's overlay" REPORTED},
    {"VK_LAYER_RENDERDOC", CLI_WARNING, "RenderDoc, a debugger that records calls"},
    {"VK_LAYER_KHRONOS_validation", CLI_WARNING, "the validation layer, which checks every call"},
    {"VK_LAYER_LUNARG_api_dump", CLI_WARNING, "a layer that prints every call"},
    {"VK_LAYER_LUNARG_gfxreconstruct", CLI_WARNING, "a recorder of every call"},
    {"VK_LAYER_LUNARG_override", CLI_WARNING, "the Vulkan Configurator's, which switches other layers on"},
    {"VK_LAYER_MANGOHUD", CLI_NOTE, "MangoHud, an overlay"},
    {"VK_LAYER_MESA_overlay", CLI_NOTE, "Mesa's overlay"},
    {"VK_LAYER_VALVE_steam_fossilize", CLI_NOTE, "Steam's recorder of pipelines"},
    {"VK_LAYER_fossilize", CLI_NOTE, "Fossilize, a recorder of pipelines"},
    {"VK_LAYER_VKBASALT", CLI_NOTE, "vkBasalt, which changes pictures"},
    {"VK_LAYER_reshade", CLI_NOTE, "ReShade, which changes pictures"},
    {"VK_LAYER_LSFG", CLI_NOTE, "lsfg-vk, which generates frames"},
    {"VK_LAYER_LS_frame", CLI_NOTE, "lsfg-vk, which generates frames"},
    {"VK_LAYER_bandicam", CLI_NOTE, "Bandicam's recorder"},
    {"VK_LAYER_NV_nsight", CLI_NOTE, "Nsight, a profiler"},
    {"VK_LAYER_NV_nomad", CLI_NOTE, "Nsight, a profiler"},
    {"VK_LAYER_AMD_switchable_graphics", CLI_NOTE, "AMD's, for systems with two GPUs"},
    {"VK_LAYER_NV_optimus", CLI_NOTE, "NVIDIA's, for systems with two GPUs"},
    {"VK_LAYER_MESA_device_select", CLI_OK, "Mesa's, which orders the devices"},
    {"VK_LAYER_MESA_anti_lag", CLI_OK, "Mesa's, for the latency of frames"},
    {"VK_LAYER_FROG_gamescope", CLI_OK, "gamescope's, for windows"},
};

/* --no-layers does not affect layers that a variable names. */
static const char *advice_for(const cli_manifest *layer)
{
    return layer->kind == CLI_MANIFEST_IMPLICIT_LAYER
               ? "Measure with --no-layers, which disables implicit layers."
               : "Measure without VK_INSTANCE_LAYERS and VK_LOADER_LAYERS_ENABLE, which put explicit layers in "
                 "between.";
}

static void report(cli_exam *exam, const cli_manifest *layer)
{
    for (size_t i = 0; i < VKMM_COUNT(known); i++) {
        if (strncmp(layer->name, known[i].name, strlen(known[i].name)) != 0) continue;
        cli_doctor_find(exam, known[i].grade, known[i].grade >= CLI_WARNING ? advice_for(layer) : "",
                        "%s is active: %s", layer->name, known[i].what);
        return;
    }
    cli_doctor_find(exam, CLI_NOTE, "", "%s is active: %s", layer->name,
                    layer->description[0] != '\0' ? layer->description : "an unknown layer");
}

void cli_doctor_layers(cli_exam *exam)
{
    uint32_t active = 0, passive = 0;
    exam->check = "layers";
    for (uint32_t i = 0; i < exam->manifest_count; i++) {
        const cli_manifest *m = &exam->manifests[i];
        if (m->kind == CLI_MANIFEST_DRIVER) continue;
        if (m->broken[0] != '\0')
            cli_doctor_find(exam, m->kind == CLI_MANIFEST_IMPLICIT_LAYER ? CLI_WARNING : CLI_NOTE, "",
                            "the layer of %s is broken: %s", m->path, m->broken);
        if (m->active) {
            active++;
            report(exam, m);
        } else if (m->kind == CLI_MANIFEST_IMPLICIT_LAYER && m->broken[0] == '\0') {
            passive++;
        }
    }
    if (active == 0)
        cli_doctor_find(exam, CLI_OK, "", "no layer is between programs and drivers%s",
                        passive > 0 ? ": the implicit layers are disabled" : "");
}
