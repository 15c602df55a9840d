/* Records: what is written is read again, and what is wrong is said. */
#include "unit.h"

#include "base/alloc.h"
#include "report/json.h"
#include "report/record.h"

enum { MOST_HERE = 3 };

typedef struct part {
    uint32_t x;
    double y;
} part;

typedef struct whole {
    uint32_t small, colour, fixed[3];
    uint64_t large;
    double real, signed_real, positive;
    int truth, is_known;
    char text[8], known_text[16];
    const char *borrowed;
    char *owned;
    part inner, here[MOST_HERE], *list;
    uint32_t here_count, list_count;
    const part *pointer;
    double *reals;
    uint32_t real_count;
    int degrees; /* written as a temperature in words */
    uint32_t rounded;
} whole;

static const char *colour_word(uint32_t value)
{
    static const char *const words[] = {"red", "green", "blue"};
    return words[value];
}

static const cli_field_words colours = {colour_word, 3, "colour"};

static int knows(const void *record)
{
    return ((const whole *)record)->is_known;
}

static json_t *put_degrees(const void *record)
{
    return json_string(((const whole *)record)->degrees > 20 ? "warm" : "cold");
}

static void take_degrees(const cli_node *node, void *record)
{
    char word[8] = "";
    cli_node_text(node, word, sizeof word);
    if (word[0] != '\0') ((whole *)record)->degrees = strcmp(word, "warm") == 0 ? 30 : 10;
}

static void start_part(void *record)
{
    ((part *)record)->y = 7;
}

static const cli_field part_fields[] = {
    {"x", CLI_FIELD_U32, CLI_AT(part, x), CLI_NEEDED, .most = 100},
    {"y", CLI_FIELD_REAL, CLI_AT(part, y), .most = 1e3},
};
static const vkmm_record part_record = {"part", CLI_FIELDS(part_fields), .start = start_part};

/* What is written is even; only that is read. */
typedef struct even {
    uint32_t value;
} even;

static void show_even(void *copy)
{
    ((even *)copy)->value += ((even *)copy)->value % 2;
}

static void check_even(const cli_node *node, void *record)
{
    if (((const even *)record)->value % 2 != 0) cli_node_fail(node, "is odd");
}

static const cli_field even_fields[] = {{"even", CLI_FIELD_U32, CLI_AT(even, value)}};
static const vkmm_record even_record = {"even", CLI_FIELDS(even_fields), .size = sizeof(even), .show = show_even,
                                        .check = check_even};

static const cli_field whole_fields[] = {
    {"small", CLI_FIELD_U32, CLI_AT(whole, small), CLI_MAYBE},
    {"colour", CLI_FIELD_WORD, CLI_AT(whole, colour), .words = &colours},
    {"fixed", CLI_FIELD_U32, CLI_ARRAY(whole, fixed, 3)},
    {"large", CLI_FIELD_U64, CLI_AT(whole, large)},
    {"real", CLI_FIELD_REAL, CLI_AT(whole, real), .most = 1e6},
    {"signed", CLI_FIELD_REAL, CLI_AT(whole, signed_real), CLI_SIGNED},
    {"positive", CLI_FIELD_REAL, CLI_AT(whole, positive), CLI_MAYBE | CLI_OMIT},
    {"truth", CLI_FIELD_TRUTH, CLI_AT(whole, truth)},
    {"text", CLI_FIELD_TEXT, CLI_AT(whole, text)},
    {"known_text", CLI_FIELD_TEXT, CLI_AT(whole, known_text), CLI_MAYBE, .known = knows},
    {"borrowed", CLI_FIELD_STRING, CLI_AT(whole, borrowed)},
    {"owned", CLI_FIELD_OWNED, CLI_AT(whole, owned)},
    {"inner", CLI_FIELD_RECORD, CLI_AT(whole, inner), .record = &part_record},
    {"here", CLI_FIELD_RECORD, CLI_LIST(whole, here, here_count), CLI_HERE, .length = MOST_HERE,
     .record = &part_record},
    {"list", CLI_FIELD_RECORD, CLI_LIST(whole, list, list_count), .record = &part_record},
    {"pointer", CLI_FIELD_RECORD, CLI_AT(whole, pointer), CLI_POINTER, .record = &part_record},
    {"reals", CLI_FIELD_REAL, CLI_LIST(whole, reals, real_count), .cost = 1000000, .most = 1e12},
    {"degrees", CLI_FIELD_CUSTOM, .put = put_degrees, .take = take_degrees},
    {NULL, CLI_FIELD_EMBED, CLI_AT(whole, rounded), .record = &even_record},
};
static const vkmm_record whole_record = {"whole", CLI_FIELDS(whole_fields), .schema = "test.whole/1"};

static void end(whole *record)
{
    vkmm_free(record->owned);
    vkmm_free(record->list);
    vkmm_free(record->reals);
    memset(record, 0, sizeof *record);
}

static char *text_of(const whole *record)
{
    json_t *json = cli_record_json(&whole_record, record);
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(json);
    return text;
}

/* "" when it was read. */
static const char *read_text(const char *text, whole *record)
{
    static char sentence[CLI_SENTENCE];
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    cli_record_parse(json, &whole_record, record, sentence);
    json_decref(json);
    return sentence;
}

static const char full[] =
    "{\"schema\":\"test.whole/1\",\"small\":4,\"colour\":\"blue\",\"fixed\":[1,2,3],\"large\":9007199254740993,"
    "\"real\":0.25,\"signed\":-1.5,\"positive\":2.0,\"truth\":true,\"text\":\"abc\",\"known_text\":\"known\","
    "\"borrowed\":null,\"owned\":\"a long one\",\"inner\":{\"x\":1,\"y\":2.0},\"here\":[{\"x\":2,\"y\":3.0}],"
    "\"list\":[{\"x\":3,\"y\":4.0},{\"x\":4,\"y\":7.0}],\"pointer\":null,\"reals\":[1.0,0.5],\"degrees\":\"warm\","
    "\"even\":10}";

TEST(every_kind_comes_back)
{
    whole record = {.is_known = 1};
    assert_string_equal(read_text(full, &record), "");
    assert_int_equal(record.large, UINT64_C(9007199254740993));
    assert_int_equal(record.rounded, 10);
    assert_true(record.list_count == 2 && record.list[1].x == 4 && record.real_count == 2 && record.reals[1] == 0.5);
    char *text = text_of(&record);
    assert_string_equal(text, full);
    free(text);
    record.pointer = &record.inner;
    record.borrowed = "borrowed";
    json_t *json = cli_record_json(&whole_record, &record);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "pointer"), "x")), 1);
    assert_string_equal(json_string_value(json_object_get(json, "borrowed")), "borrowed");
    json_decref(json);
    end(&record);
}

TEST(nothing_is_null)
{
    whole record = {
        .real = (double)NAN, .inner.y = (double)INFINITY, .positive = -1, .known_text = "not known", .rounded = 5};
    char *text = text_of(&record);
    assert_string_equal(text, "{\"schema\":\"test.whole/1\",\"small\":null,\"colour\":\"red\",\"fixed\":[0,0,0],"
                              "\"large\":0,\"real\":null,\"signed\":0.0,\"truth\":false,\"text\":\"\","
                              "\"known_text\":null,\"borrowed\":null,\"owned\":null,\"inner\":{\"x\":0,\"y\":null},"
                              "\"here\":[],\"list\":[],\"pointer\":null,\"reals\":[],\"degrees\":\"cold\","
                              "\"even\":6}");
    free(text);
    assert_int_equal(record.rounded, 5);
    record.rounded = 4;
    /* What is absent or null leaves what stands there. */
    record.small = 9;
    record.real = 3;
    assert_string_equal(read_text("{\"small\": null, \"known_text\": \"x\"}", &record), "");
    assert_true(record.small == 9 && record.real == 3);
    assert_string_equal(record.known_text, "not known");
    end(&record);
}

TEST(what_is_wrong_is_said)
{
    static const struct {
        const char *json, *sentence;
    } cases[] = {
        {"[]", "it is a list, not an object"},
        {"{\"small\": 4294967296}", "small is 4294967296; the maximum is 4294967295"},
        {"{\"small\": -1}", "small is -1; it must be a non-negative integer"},
        {"{\"small\": \"1\"}", "small is a string, not a number"},
        {"{\"colour\": \"pink\"}", "colour is \"pink\", which is not a known colour"},
        {"{\"fixed\": [1]}", "fixed has 1 entries, not 3"},
        {"{\"fixed\": [1, null, 2]}", "fixed[1] is null, not a number"},
        {"{\"real\": -1}", "real is -1; it must lie between 0 and 1000000"},
        {"{\"truth\": 1}", "truth is a number, not true or false"},
        {"{\"owned\": 1}", "owned is a number, not a string"},
        {"{\"inner\": {}}", "inner.x is missing"},
        {"{\"inner\": {\"x\": 101}}", "inner.x is 101; the maximum is 100"},
        {"{\"here\": [{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1}]}", "here has 4 entries; at most 3 are read"},
        {"{\"list\": [{\"x\":1},{\"y\":-3}]}", "list[1].x is missing"},
        {"{\"list\": {}}", "list is an object, not a list"},
        {"{\"reals\": [1, 2, null]}", "reals[2] is null, not a number"},
        {"{\"reals\": [1,2,3,4,5,6,7,8,9,10,11]}", "reals has 11 entries; at most 10 are read"},
        {"{\"degrees\": 3}", "degrees is a number, not a string"},
        {"{\"even\": 3}", "it is odd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        whole record = {0};
        assert_string_equal(read_text(cases[i].json, &record), cases[i].sentence);
        end(&record);
    }
}

TEST(long_texts_are_cut)
{
    whole record = {0};
    assert_string_equal(read_text("{\"text\": \"123456\xc3\xa9\"}", &record), "");
    assert_string_equal(record.text, "123456");
    end(&record);
}

TEST(memory_runs_out)
{
    for (uint64_t n = 1; n < 4; n++) {
        whole record = {0};
        vkmm_alloc_fail_after(n);
        const char *sentence = read_text("{\"owned\": \"x\", \"list\": [{\"x\": 1}], \"reals\": [1]}", &record);
        assert_string_equal(sentence, "out of memory");
        vkmm_alloc_fail_after(0);
        end(&record);
    }
    assert_int_equal(vkmm_alloc_live(), 0);
}

TEST(csv_finds_values_by_path)
{
    static const cli_csv_column columns[] = {{"inner.x"},
                                             {"list.1.y", "second"},
                                             {"text"},
                                             {"borrowed"},
                                             {"truth"},
                                             {"nothing.there"},
                                             {"real"},
                                             {"fixed.2"},
                                             {"list", "entries"},
                                             {"real|large", "either"},
                                             {"truth", "hidden", "real"},
                                             {"truth", "shown", "text"}};
    part list[2] = {{1, 2}, {3, 4.5}};
    whole record = {.inner = {5, 6},
                    .list = list,
                    .list_count = 2,
                    .text = "=1+1",
                    .borrowed = "a, \"b\"",
                    .truth = 1,
                    .real = (double)NAN,
                    .large = 11,
                    .fixed = {7, 8, 9}};
    const uint32_t count = sizeof columns / sizeof *columns;
    char text[256] = "";
    FILE *out = tmpfile();
    cli_csv_header(out, columns, count);
    assert_true(cli_csv_line(out, columns, count, cli_record_json(&whole_record, &record)));
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    assert_string_equal(text, "x,second,text,borrowed,truth,there,real,2,entries,either,hidden,shown\r\n"
                              "5,4.5,'=1+1,\"a, \"\"b\"\"\",true,,,9,2,11,,true\r\n");
    fclose(out);
}
