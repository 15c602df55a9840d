/* --no-layers adds to the layers that the user disabled, once. That none is loaded then, test_doctor.py shows. */
#include "session/drivers.h"

#include "unit.h"

TEST(keeps_the_users_list)
{
    static const char *const lists[][2] = {{"VK_LAYER_A,VK_LAYER_B", "VK_LAYER_A,VK_LAYER_B,~implicit~"},
                                           {"~implicit~,VK_LAYER_A", "~implicit~,VK_LAYER_A"},
                                           {"", "~implicit~"}};
    for (int i = 0; i < 3; i++) {
        setenv("VK_LOADER_LAYERS_DISABLE", lists[i][0], 1);
        assert_ok(cli_layers_disable(NULL));
        assert_string_equal(getenv("VK_LOADER_LAYERS_DISABLE"), lists[i][1]);
    }
}
