/* print_device NAME: what the library knows of the first device, as a row of tests/lib/plan/vendors.inc. Left out is
 * what depends on this machine or on one run: UUIDs, the PCI address, and the sizes of heaps. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vkmatmul.h"

typedef vkmm_device_info info_type;
typedef vkmm_matrix_shape shape_type;

typedef enum kind { TEXT, POINTER, DOUBLE, WORDS, LONGS, SHAPES, GRANULES, OMITTED } kind;

typedef struct field {
    const char *name;
    kind kind;
    size_t offset, size, count_offset; /* of the number of elements in use; 0: all */
} field;

#define SIZED(member, kind, count)                                                        \
    {                                                                                     \
#member, kind, offsetof(info_type, member), sizeof((info_type *)0)->member, count \
    }
#define FIELD(member, kind) SIZED(member, kind, 0)

static const field fields[] = {
    FIELD(index, OMITTED),
    FIELD(name, TEXT),
    FIELD(driver.name, TEXT),
    FIELD(driver.info, TEXT),
    FIELD(uuid, OMITTED),
    FIELD(driver.uuid, OMITTED),
    FIELD(vendor_id, WORDS),
    FIELD(device_id, WORDS),
    FIELD(driver.id, WORDS),
    FIELD(driver.version, OMITTED),
    FIELD(driver.api_version, WORDS),
    FIELD(type, WORDS),
    FIELD(limits.max_invocations, WORDS),
    FIELD(limits.max_workgroup_size, WORDS),
    FIELD(limits.max_workgroup_count, WORDS),
    FIELD(limits.max_shared_bytes, WORDS),
    FIELD(subgroup.size, WORDS),
    FIELD(subgroup.operations, WORDS),
    FIELD(subgroup.has_broadcast, WORDS),
    FIELD(processors, WORDS),
    FIELD(limits.max_storage_range, LONGS),
    FIELD(memory.max_allocation_bytes, LONGS),
    FIELD(memory.max_buffer_bytes, LONGS),
    FIELD(memory.device_heap_bytes, OMITTED),
    FIELD(limits.offset_alignment, WORDS),
    FIELD(memory.heap_count, OMITTED),
    FIELD(memory.heaps, OMITTED),
    FIELD(has_pci, OMITTED),
    FIELD(pci, OMITTED),
    FIELD(limits.timestamp_bits, WORDS),
    FIELD(limits.timestamp_period_ns, DOUBLE),
    FIELD(features.f64, WORDS),
    FIELD(memory.is_unified, WORDS),
    FIELD(features.statistics, WORDS),
    FIELD(features.f16, WORDS),
    FIELD(features.i8, WORDS),
    FIELD(features.storage16, WORDS),
    FIELD(features.storage8, WORDS),
    FIELD(features.dot, OMITTED),
    FIELD(features.dot8, WORDS),
    FIELD(subgroup.min_size, WORDS),
    FIELD(subgroup.max_size, WORDS),
    FIELD(subgroup.max_count, WORDS),
    FIELD(features.bf16_matrices, WORDS),
    FIELD(matrices.shape_count, WORDS),
    SIZED(matrices.shapes, SHAPES, offsetof(info_type, matrices.shape_count)),
    FIELD(matrices.matrix2, WORDS),
    FIELD(matrices.max_dimension, WORDS),
    FIELD(matrices.max_invocations, WORDS),
    FIELD(matrices.reserved_bytes, WORDS),
    FIELD(matrices.granule_count, WORDS),
    SIZED(matrices.granules, GRANULES, offsetof(info_type, matrices.granule_count)),
    FIELD(matrices.refusal, POINTER),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('"');
}

static void print_shape(const shape_type *shape)
{
    printf("{%u, %u, %u, %u, %u, %u, %u, %u, %d}", shape->m, shape->n, shape->k, shape->a, shape->b, shape->c,
           shape->result, shape->scope, shape->saturating);
}

/* The elements of an array, in the order of the struct's members. */
static size_t element_size(kind of)
{
    return of == SHAPES     ? sizeof(shape_type)
           : of == GRANULES ? sizeof(vkmm_matrix_granule)
           : of == LONGS    ? sizeof(uint64_t)
                            : sizeof(uint32_t);
}

static void print_element(kind of, const char *at)
{
    const vkmm_matrix_granule *granule = (const void *)at;
    uint64_t wide;
    uint32_t word;
    memcpy(&word, at, sizeof word);
    switch (of) {
    case SHAPES:
        print_shape((const void *)at);
        break;
    case GRANULES:
        putchar('{');
        print_shape(&granule->of);
        printf(", %u}", granule->invocations);
        break;
    case LONGS:
        memcpy(&wide, at, sizeof wide);
        printf("%" PRIu64 "u", wide);
        break;
    default:
        printf("%uu", word);
        break;
    }
}

static void print_field(const field *one, const char *info)
{
    const char *at = info + one->offset;
    const size_t size = element_size(one->kind);
    size_t count = one->size / size;
    uint32_t used;
    memcpy(&used, info + one->count_offset, sizeof used);
    if (one->count_offset) count = used;
    printf(", .%s = ", one->name);
    if (one->kind == TEXT)
        print_text(at);
    else if (one->kind == POINTER)
        print_text(*(const char *const *)(const void *)at);
    else if (one->kind == DOUBLE)
        printf("%.9g", *(const double *)(const void *)at);
    else {
        if (one->size > size) printf("{");
        for (size_t i = 0; i < count; i++, at += size) {
            if (i) printf(", ");
            print_element(one->kind, at);
        }
        if (one->size > size) printf("}");
    }
}

int main(int argc, char **argv)
{
    static const vkmm_device_info nothing;
    const vkmm_instance_params params = {.cache_dir = ""};
    vkmm_instance *instance;
    vkmm_device_info rest;
    if (argc != 2 || vkmm_instance_create(&params, &instance) != VKMM_OK) return 2;
    if (vkmm_instance_device_count(instance) == 0) return 3;
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    memcpy(&rest, info, sizeof rest);
    printf("VENDOR(\"%s\"", argv[1]);
    for (int i = 0; i < FIELDS; i++) {
        char *at = (char *)&rest + fields[i].offset;
        if (fields[i].kind != OMITTED && memcmp(at, (const char *)&nothing + fields[i].offset, fields[i].size) != 0)
            print_field(&fields[i], (const char *)info);
        memset(at, 0, fields[i].size);
    }
    puts(")");
    vkmm_instance_destroy(&instance);
    if (memcmp(&rest, &nothing, sizeof rest) == 0) return 0;
    fputs("print_device: vkmm_device_info has a field that 'fields' lacks\n", stderr);
    return 1;
}
