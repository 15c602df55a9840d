#include "folder.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/random.h"
#include "io/array_file.h"
#include "math/type.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

static int begin(void **state)
{
    return enter_folder(state) || setenv("TMPDIR", *state, 1);
}

static int end(void **state)
{
    return unsetenv("TMPDIR") || leave_folder(state);
}

static void assert_same_file(const char *left, const char *right)
{
    vkmm_mapping one = {0}, two = {0};
    assert_ok(vkmm_mapping_open(left, &one));
    assert_ok(vkmm_mapping_open(right, &two));
    assert_true(one.bytes == two.bytes);
    assert_memory_equal(one.data, two.data, one.bytes);
    vkmm_mapping_close(&one);
    vkmm_mapping_close(&two);
}

static vkmm_view part_of(const vkmm_view *view, uint64_t i, uint64_t j, uint64_t rows, uint64_t cols)
{
    vkmm_view part = *view;
    part.data =
        (const char *)view->data + (i * view->row_stride + j * view->col_stride) * vkmm_type_of(view->type)->bytes;
    part.rows = view->rows - i < rows ? view->rows - i : rows;
    part.cols = view->cols - j < cols ? view->cols - j : cols;
    return part;
}

/* The whole array in parts of rows × cols, the last of them first. */
static void put_all(cli_array_writer *writer, const cli_array *array, uint64_t rows, uint64_t cols)
{
    for (uint64_t x = array->count; x-- > 0;) {
        const vkmm_view view = cli_array_at(array, x);
        for (uint64_t i = (view.rows - 1) / rows * rows + rows; i > 0; i -= rows)
            for (uint64_t j = 0; j < view.cols; j += cols) {
                const vkmm_view part = part_of(&view, i - rows, j, rows, cols);
                assert_ok(cli_array_writer_put(writer, x, i - rows, j, &part));
            }
    }
}

static void check_file(const char *path, const char *other, const cli_array *array, uint64_t rows, uint64_t cols)
{
    cli_array_writer *writer = NULL;
    assert_ok(cli_array_write(other, array));
    assert_ok(cli_array_writer_open(path, array, &writer));
    put_all(writer, array, rows, cols);
    assert_ok(cli_array_writer_commit(&writer));
    assert_null(writer);
    assert_same_file(path, other);
}

/* The elements alone, and no commit, which waits for the disk. */
static void check_parts(const char *path, const char *other, const cli_array *array, uint64_t rows, uint64_t cols)
{
    cli_array_writer *writer = NULL;
    cli_array_file want = {0};
    cli_array seen = {0};
    assert_ok(cli_array_open(NULL, other, 0, &want));
    assert_ok(cli_array_writer_open(path, array, &writer));
    put_all(writer, array, rows, cols);
    assert_ok(cli_array_writer_look(writer, &seen));
    assert_true(seen.count == want.array.count && seen.first.rows == want.array.first.rows &&
                seen.first.cols == want.array.first.cols);
    assert_memory_equal(seen.first.data, want.array.first.data,
                        seen.count * seen.first.rows * seen.first.cols * vkmm_type_of(seen.first.type)->bytes);
    cli_array_writer_discard(&writer);
    cli_array_close(&want);
}

/* What lies in memory in any way, and comes in any parts, gives the file that cli_array_write gives. */
TEST_WITH(test_parts_make_the_same_file, begin, end)
{
    enum { ROWS = 37, COLS = 23, COUNT = 3, LD = 40 };
    static const uint64_t parts[][2] = {{1, 1}, {5, COLS}, {ROWS, 7}, {ROWS, 1}, {1, COLS}, {8, 8}, {ROWS, COLS}};
    char *data = malloc(COUNT * LD * LD * 8);
    assert_non_null(data);
    for (int i = 0; i < COUNT * LD * LD * 8; i++) data[i] = (char)(i * 7 + i / 256);
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        const vkmm_view views[] = {
            {data, ROWS, COLS, COLS, 1, (vkmm_type)t}, {data, ROWS, COLS, LD, 1, (vkmm_type)t},
            {data, ROWS, COLS, 1, LD, (vkmm_type)t},   {data, 1, COLS, 1, LD, (vkmm_type)t},
            {data, ROWS, 1, LD, 1, (vkmm_type)t},      {data, ROWS, COLS, LD * COUNT, COUNT, (vkmm_type)t}};
        for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
            const cli_array stack = cli_array_of(&views[v], COUNT, v == 5 ? 1 : LD * LD);
            check_file("c.safetensors", "d.safetensors", &stack, 5, 8);
            for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
                check_parts("c.safetensors", "d.safetensors", &stack, parts[p][0], parts[p][1]);
            if (t == VKMM_F16 || t == VKMM_I8) check_file("c.npy", "d.npy", &stack, 5, 8);
        }
    }
    free(data);
    assert_int_equal(entries_of(".", NULL), 4);
}

static void check_elements(const char *path, const vkmm_view *want)
{
    cli_array_file file;
    assert_ok(cli_array_open(NULL, path, 0, &file));
    assert_null(file.copy); /* written so that it can be mapped */
    for (uint64_t i = 0; i < want->rows; i++)
        for (uint64_t j = 0; j < want->cols; j++)
            if (vkmm_view_get(&file.array.first, i, j) != vkmm_view_get(want, i, j)) fail();
    cli_array_close(&file);
}

/* Blocks of a megabyte: more rows than one holds, a row that is wider than one, and both of them in one piece. */
TEST_WITH(test_large_parts, begin, end)
{
    static const uint64_t shapes[][2] = {{1100, 900}, {3, 500000}, {500000, 3}, {1100, 1100}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const uint64_t rows = shapes[s][0], cols = shapes[s][1];
        float *data = malloc((rows + 1) * (cols + 1) * sizeof *data);
        assert_non_null(data);
        for (uint64_t i = 0; i < (rows + 1) * (cols + 1); i++) data[i] = (float)i;
        const vkmm_view turned = {data, rows, cols, 1, rows + 1, VKMM_F32},
                        gaps = {data, rows, cols, cols + 1, 1, VKMM_F32};
        const cli_array arrays[] = {cli_array_of(&turned, 1, 0), cli_array_of(&gaps, 1, 0)};
        for (int a = 0; a < 2; a++) {
            check_file("c.npy", "d.npy", &arrays[a], rows, cols);
            check_file("c.npy", "d.npy", &arrays[a], rows, (cols + 1) / 2);
            check_elements("c.npy", &arrays[a].first);
        }
        free(data);
    }
}

/* Matrices without elements, and what nobody wrote. */
TEST_WITH(test_nothing_written, begin, end)
{
    static const uint64_t shapes[][2] = {{0, 7}, {7, 0}, {3, 4}};
    const double zeros[12] = {0};
    for (size_t s = 0; s < 3; s++) {
        const vkmm_view view = vkmm_view_rows(zeros, shapes[s][0], shapes[s][1], VKMM_F64);
        const cli_array array = cli_array_of(&view, 1, 0);
        cli_array_writer *writer = NULL;
        cli_array seen = {0};
        assert_ok(cli_array_write("d.npy", &array));
        assert_ok(cli_array_writer_open("c.npy", &array, &writer));
        assert_ok(cli_array_writer_put(writer, 0, 0, 0, &(vkmm_view){zeros, 0, shapes[s][1], 1, 1, VKMM_F64}));
        assert_ok(cli_array_writer_look(writer, &seen));
        assert_true(seen.first.rows == shapes[s][0] && seen.first.cols == shapes[s][1]);
        assert_ok(cli_array_writer_commit(&writer));
        assert_same_file("c.npy", "d.npy");
    }
}

/* A look before, between and after. */
TEST_WITH(test_look, begin, end)
{
    const int32_t data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const vkmm_view view = {data, 3, 2, 1, 3, VKMM_I32};
    const cli_array array = cli_array_of(&view, 2, 6);
    cli_array_writer *writer = NULL;
    cli_array seen = {0};
    assert_ok(cli_array_writer_open("c.npy", &array, &writer));
    assert_ok(cli_array_writer_look(writer, &seen));
    vkmm_view second = cli_array_at(&seen, 1);
    assert_true(seen.count == 2 && seen.dimensions == 3 && vkmm_view_get(&second, 2, 1) == 0.0);
    put_all(writer, &array, 2, 1);
    assert_true(vkmm_view_get(&second, 2, 1) == 12.0);
    assert_ok(cli_array_writer_look(writer, &seen));
    for (uint64_t x = 0; x < 2; x++) {
        const vkmm_view want = cli_array_at(&array, x), got = cli_array_at(&seen, x);
        for (uint64_t i = 0; i < 6; i++)
            assert_true(vkmm_view_get(&got, i / 2, i % 2) == vkmm_view_get(&want, i / 2, i % 2));
    }
    cli_array_writer_discard(&writer);
    assert_null(writer);
    cli_array_writer_discard(&writer);
    assert_int_equal(entries_of(".", NULL), 0);
}

enum { THREADS = 4, SIDE = 256 };

typedef struct share {
    cli_array_writer *writer;
    const vkmm_view *view;
    uint64_t first;
    vkmm_status status;
} share;

static void *put_share(void *user)
{
    share *s = user;
    for (uint64_t i = s->first; i < SIDE / 16 && s->status == VKMM_OK; i += THREADS)
        for (uint64_t j = 0; j < SIDE && s->status == VKMM_OK; j += 32) {
            const vkmm_view part = part_of(s->view, i * 16, j, 16, 32);
            s->status = cli_array_writer_put(s->writer, 0, i * 16, j, &part);
        }
    return NULL;
}

TEST_WITH(test_threads, begin, end)
{
    pthread_t threads[THREADS];
    share shares[THREADS];
    float *data = malloc(SIDE * SIDE * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < SIDE * SIDE; i++) data[i] = (float)i;
    const vkmm_view view = {data, SIDE, SIDE, 1, SIDE, VKMM_F32};
    const cli_array array = cli_array_of(&view, 1, 0);
    cli_array_writer *writer = NULL;
    assert_ok(cli_array_write("d.npy", &array));
    assert_ok(cli_array_writer_open("c.npy", &array, &writer));
    for (uint64_t t = 0; t < THREADS; t++) {
        shares[t] = (share){writer, &view, t, VKMM_OK};
        assert_int_equal(pthread_create(&threads[t], NULL, put_share, &shares[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_ok(shares[t].status);
    }
    assert_ok(cli_array_writer_commit(&writer));
    assert_same_file("c.npy", "d.npy");
    free(data);
}

/* Through a pipe, and to a descriptor of a file that stands in the middle: the bytes come at commit, in order, and
 * can be looked at before. */
TEST_WITH(test_no_regular_file, begin, end)
{
    const float data[6] = {1, 2, 3, 4, 5, 6};
    const vkmm_view view = vkmm_view_rows(data, 2, 3, VKMM_F32);
    const cli_array array = cli_array_of(&view, 1, 0);
    cli_array_writer *writer = NULL;
    cli_array seen = {0};
    vkmm_mapping want = {0};
    char name[40], got[400];
    int ends[2];
    assert_ok(cli_array_write("d.npy", &array));
    assert_ok(vkmm_mapping_open("d.npy", &want));
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_ok(cli_array_writer_open(name, &array, &writer));
    assert_int_equal(entries_of(".", NULL), 1); /* its temporary file has no name any more */
    put_all(writer, &array, 1, 2);
    assert_ok(cli_array_writer_look(writer, &seen));
    assert_true(vkmm_view_get(&seen.first, 1, 2) == 6.0);
    assert_ok(cli_array_writer_commit(&writer));
    close(ends[1]);
    assert_int_equal(read(ends[0], got, sizeof got), want.bytes);
    assert_memory_equal(got, want.data, want.bytes);
    assert_int_equal(read(ends[0], got, sizeof got), 0);
    close(ends[0]);

    int fd = open("all", O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(fd, "before", 6), 6);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_ok(cli_array_writer_open(name, &array, &writer));
    put_all(writer, &array, 2, 1);
    assert_ok(cli_array_writer_commit(&writer));
    assert_int_equal(pread(fd, got, sizeof got, 0), 6 + want.bytes);
    assert_memory_equal(got, "before", 6);
    assert_memory_equal(got + 6, want.data, want.bytes);
    close(fd);
    vkmm_mapping_close(&want);

    assert_ok(cli_array_writer_open("/dev/null", &array, &writer));
    put_all(writer, &array, 2, 3);
    assert_ok(cli_array_writer_commit(&writer));
    assert_int_equal(entries_of(".", NULL), 2);
}

TEST_WITH(test_refusals, begin, end)
{
    const float data[6] = {0};
    vkmm_view view = vkmm_view_rows(data, 2, 3, VKMM_F32);
    cli_array array = cli_array_of(&view, 1, 0);
    cli_array_writer *writer = NULL;
    assert_refused(cli_array_writer_open("no/folder/c.npy", &array, &writer), VKMM_INVALID,
                   "cannot write no/folder/c.npy: No such file");
    assert_ok(cli_array_writer_open("/dev/full", &array, &writer));
    assert_refused(cli_array_writer_commit(&writer), VKMM_INVALID, "cannot write /dev/full: No space left");
    assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
    assert_refused(cli_array_writer_open("/dev/null", &array, &writer), VKMM_INVALID,
                   "cannot keep the bytes of /dev/null in /no/such/folder (TMPDIR): No such file");
    array.first.type = VKMM_BF16;
    assert_refused(cli_array_writer_open("c.npy", &array, &writer), VKMM_INVALID,
                   ".npy cannot store bf16: use FILE.safetensors");
    assert_ok(cli_array_takes("c.safetensors", VKMM_BF16, 1, 0));
    array.first = (vkmm_view){NULL, UINT32_MAX, 1 << 29, 1, 1, VKMM_F32}; /* nearly 2^63 bytes */
    assert_refused(cli_array_writer_open("c.npy", &array, &writer), VKMM_INVALID,
                   "cannot write c.npy: no space for its 9223372034707292288 bytes: ");
    assert_null(writer);
    assert_int_equal(entries_of(".", NULL), 0);
}

/* Byte for byte: as NEP 1 and safetensors ask for, with the elements at a multiple of 64 bytes. */
TEST_WITH(test_headers, begin, end)
{
#define START(text) sizeof text - 1, text
    static const struct {
        const char *path;
        uint64_t count, data_at;
        size_t bytes;
        const char *start;
    } all[] = {
        {"c.npy", 1, 128,
         START("\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }   ")},
        {"c.npy", 2, 192,
         START("\x93NUMPY\x01\x00\xb6\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }   ")},
        {"c.safetensors", 1, 64,
         START("\x38\0\0\0\0\0\0\0{\"C\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]}} ")},
    };
    const unsigned char data[] = {1, 2, 0, 3, 4, 0, 0, 5, 6, 0, 7, 8}, want[] = {1, 3, 2, 4, 5, 7, 6, 8};
    const vkmm_view view = {data, 2, 2, 1, 3, VKMM_U8}, longest = vkmm_view_rows("", UINT64_MAX, 0, VKMM_F64);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const cli_array array = cli_array_of(&view, all[i].count, 7);
        vkmm_mapping file;
        assert_ok(cli_array_write(all[i].path, &array));
        assert_ok(vkmm_mapping_open(all[i].path, &file));
        assert_int_equal(file.bytes, all[i].data_at + 4 * all[i].count);
        assert_memory_equal(file.data, all[i].start, all[i].bytes);
        assert_int_equal(((const char *)file.data)[all[i].data_at - 1], i < 2 ? '\n' : ' ');
        assert_memory_equal((const char *)file.data + all[i].data_at, want, 4 * all[i].count);
        vkmm_mapping_close(&file);
    }
    const cli_array array = cli_array_of(&longest, UINT64_MAX, 0);
    assert_ok(cli_array_write("c.npy", &array));
}

TEST_WITH(test_names, begin, end)
{
    const float data[2] = {1, 2};
    const vkmm_view view = vkmm_view_rows(data, 1, 2, VKMM_F32);
    const cli_array array = cli_array_of(&view, 1, 0);
    cli_array_file file;
    char other[160];
    assert_ok(cli_array_write("c.safetensors:w.\"1\"", &array));
    assert_ok(cli_array_open(NULL, "c.safetensors:w.\"1\"", 0, &file));
    cli_array_close(&file);
    assert_ok(cli_array_open(NULL, "c.safetensors", 0, &file)); /* the only one */
    cli_array_close(&file);
    assert_refused(cli_array_open(NULL, "c.safetensors:C", 0, &file), VKMM_INVALID,
                   "holds no tensor \"C\"; it holds \"w.\\\"1\\\"\"");
    static const char *const bad[] = {"", "__metadata__", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(other, sizeof other, "c.safetensors:%s", bad[i]);
        assert_refused(cli_array_write(other, &array), VKMM_INVALID, "is not a valid array name");
    }
}

/* A file with other tensors in it is no place to write one to. */
TEST_WITH(test_files_of_many, begin, end)
{
    static const char two[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]},"
                              "\"b\":{\"dtype\":\"U8\",\"shape\":[1,0],\"data_offsets\":[1,1]}}";
    static const char *const texts[] = {
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]}}",
        two,
        "{\"a\": damaged",
    };
    assert_ok(cli_array_takes("c.safetensors", VKMM_F32, 1, 0)); /* there is none */
    for (int i = 0; i < 4; i++) {
        FILE *file = fopen("c.safetensors", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite((const char[8]){(char)strlen(texts[i])}, 1, 8, file), 8);
        assert_true(fputs(texts[i], file) >= 0 && fputc(1, file) == 1);
        fclose(file);
        assert_int_equal(cli_array_takes("c.safetensors", VKMM_F32, 1, 0), i == 2 ? VKMM_INVALID : VKMM_OK);
        assert_int_equal(cli_array_takes("c.safetensors:w.\"1\"", VKMM_F32, 1, 0), i == 2 ? VKMM_INVALID : VKMM_OK);
    }
}

/* A limit on the size of files stands for a full disk: it shows when the bytes are set aside, or, where it comes
 * later, when they are written. */
TEST_WITH(test_full_disk, begin, end)
{
    float *data = calloc(1 << 16, sizeof *data);
    const vkmm_view view = vkmm_view_rows(data, 256, 256, VKMM_F32);
    const cli_array array = cli_array_of(&view, 1, 0);
    cli_array_writer *writer = NULL, *second = NULL;
    struct rlimit limit, small;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_ok(cli_array_write("c.npy", &array));
    assert_ok(cli_array_writer_open("d.npy", &array, &second));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vkmm_status opened = cli_array_writer_open("c.npy", &array, &writer);
    vkmm_status put = cli_array_writer_put(second, 0, 0, 0, &view);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(opened, VKMM_INVALID);
    assert_int_equal(put, VKMM_INVALID);
    assert_contains(vkmm_last_error(), "cannot write d.npy: File too large");
    assert_int_equal(cli_array_writer_commit(&second), VKMM_INVALID);
    assert_int_equal(entries_of(".", NULL), 1);
    free(data);
}

TEST_WITH(test_without_memory, begin, end)
{
    const float data[4] = {1, 2, 3, 4};
    const vkmm_view view = {data, 2, 2, 1, 2, VKMM_F32};
    const cli_array array = cli_array_of(&view, 1, 0);
    static const char *const paths[] = {"c.npy", "c.safetensors", "/dev/null"};
    for (int p = 0; p < 3; p++) {
        vkmm_status status = VKMM_OUT_OF_MEMORY;
        uint64_t n = 0;
        while (status != VKMM_OK) {
            cli_array_writer *writer = NULL;
            vkmm_alloc_fail_after(++n);
            status = cli_array_writer_open(paths[p], &array, &writer);
            if (status == VKMM_OK) status = cli_array_writer_put(writer, 0, 0, 0, &view);
            vkmm_alloc_fail_after(0);
            assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
            if (writer != NULL)
                assert_int_equal(cli_array_writer_commit(&writer), status == VKMM_OK ? VKMM_OK : VKMM_INVALID);
            if (status != VKMM_OK) assert_int_equal(entries_of(".", NULL), p == 1 ? 1 : p == 2 ? 2 : 0);
        }
        assert_true(n > 6);
    }
}

enum { TEXTS = 2, NPY = 3 }; /* of these names: how many texts; where those begin that have no names for some types */
static const char *const encoded[] = {"c.csv", "c.tsv", "c.safetensors", "c.npy"};

/* Any bits of every type come back from every format; but those of a NaN. */
TEST_WITH(test_encoded, begin, end)
{
    enum { ROWS = 37, COLS = 53 };
    static uint64_t data[ROWS * COLS], back[ROWS * COLS];
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const uint32_t size = vkmm_type_of((vkmm_type)type)->bytes;
        const vkmm_view view = {data, ROWS, COLS, 1, ROWS, (vkmm_type)type};
        const cli_array array = cli_array_of(&view, 1, 0);
        for (uint64_t i = 0; i < ROWS * COLS; i++) {
            char *element = (char *)data + i * size;
            const uint64_t bits = vkmm_random_bits(7, i) >> (i % 3 == 0 ? 40 : 0); /* small ones too */
            memcpy(element, &bits, size);
            if (isnan(vkmm_type_get((vkmm_type)type, element)) || i == 5) vkmm_type_put((vkmm_type)type, element, 1);
            if (i == 6 && size >= 4 && type <= VKMM_F64) vkmm_type_put((vkmm_type)type, element, -INFINITY);
        }
        for (int e = 0; e < (int)VKMM_COUNT(encoded); e++) {
            cli_array_writer *writer = NULL;
            cli_array_file file = {0};
            cli_array seen = {0};
            if ((type == VKMM_BF16 || type >= VKMM_E4M3) && e >= NPY) continue;
            assert_ok(cli_array_takes(encoded[e], (vkmm_type)type, 1, 0));
            assert_ok(cli_array_writer_open(encoded[e], &array, &writer));
            put_all(writer, &array, 5, 9);
            assert_ok(cli_array_writer_look(writer, &seen));
            vkmm_view_copy(&seen.first, back, 1, ROWS);
            assert_memory_equal(back, data, (size_t)ROWS * COLS * size);
            assert_ok(cli_array_writer_commit(&writer));
            assert_ok(cli_array_open(NULL, encoded[e], 0, &file));
            assert_int_equal(file.array.first.type, e < TEXTS ? VKMM_AUTO : type);
            assert_ok(cli_array_text(NULL, encoded[e], (vkmm_type)type, &file));
            memset(back, 0, sizeof back);
            vkmm_view_copy(&file.array.first, back, 1, ROWS);
            assert_memory_equal(back, data, (size_t)ROWS * COLS * size);
            cli_array_close(&file);
        }
    }
}

TEST_WITH(test_encoded_without_memory, begin, end)
{
    const float data[4] = {1, 2, 3, 4};
    const vkmm_view view = {data, 2, 2, 1, 2, VKMM_F32};
    const cli_array array = cli_array_of(&view, 1, 0);
    for (int e = 0; e < (int)VKMM_COUNT(encoded); e++) {
        const unsigned before = entries_of(".", NULL);
        const int64_t live = vkmm_alloc_live();
        vkmm_status status = VKMM_OUT_OF_MEMORY;
        uint64_t n = 0;
        while (status != VKMM_OK) {
            cli_array_file file = {0};
            vkmm_alloc_fail_after(++n);
            status = cli_array_write(encoded[e], &array);
            if (status == VKMM_OK) status = cli_array_open(NULL, encoded[e], 0, &file);
            if (status == VKMM_OK) status = cli_array_text(NULL, encoded[e], VKMM_F32, &file);
            vkmm_alloc_fail_after(0);
            cli_array_close(&file);
            assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
            assert_true(entries_of(".", NULL) <= before + 1 && vkmm_alloc_live() == live);
        }
        assert_true(n > 7);
    }
}
