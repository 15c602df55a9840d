/* The system's GPUs, from trees that look like sysfs; and looking around in folders. */
#include "folder.h"

#include "base/dynlib.h"
#include "base/folder.h"
#include "devices/gpus.h"

static void make_link(const char *name, const char *target)
{
    char path[400];
    snprintf(path, sizeof path, "%s%s", root, name);
    assert_int_equal(symlink(target, path), 0);
}

static void add_pci(const char *address, const char *class, const char *vendor, const char *device)
{
    char name[200];
    snprintf(name, sizeof name, "/sys/bus/pci/devices/%s/class", address);
    put(name, class);
    snprintf(name, sizeof name, "/sys/bus/pci/devices/%s/vendor", address);
    put(name, vendor);
    snprintf(name, sizeof name, "/sys/bus/pci/devices/%s/device", address);
    put(name, device);
}

IN_FOLDER(finds_displays_alone)
{
    cli_gpu gpus[4];
    add_pci("0000:00:1f.3", "0x040300\n", "0x8086\n", "0xa171\n");
    add_pci("0000:03:00.0", "0x030000\n", "0x1002\n", "0x744c\n");
    add_pci("0001:c4:00.1", "0x030200\n", "0x10de\n", "0x2335\n");
    make_link("/sys/bus/pci/devices/0000:03:00.0/driver", "../../../../bus/pci/drivers/amdgpu");
    put("/sys/bus/pci/devices/0000:03:00.0/drm/card0/dev", "226:0");
    put("/sys/bus/pci/devices/0000:03:00.0/drm/renderD129/dev", "226:129");
    put("/dev/dri/renderD129", "");
    assert_int_equal(cli_gpus_list(root, gpus, 4), 2);
    assert_int_equal(gpus[0].pci[1], 3);
    assert_int_equal(gpus[0].vendor_id, 0x1002);
    assert_int_equal(gpus[0].device_id, 0x744c);
    assert_string_equal(gpus[0].kernel_driver, "amdgpu");
    assert_string_equal(gpus[0].node, "/dev/dri/renderD129");
    assert_true(gpus[0].node_there && gpus[0].node_open);
    assert_int_equal(gpus[1].pci[0], 1);
    assert_int_equal(gpus[1].pci[1], 0xc4);
    assert_int_equal(gpus[1].pci[3], 1);
    assert_string_equal(gpus[1].kernel_driver, "");
    assert_string_equal(gpus[1].node, "");
    assert_int_equal(cli_gpus_list(root, gpus, 1), 2); /* the rest is counted */
}

IN_FOLDER(finds_platform_gpus)
{
    cli_gpu gpu;
    put("/sys/class/drm/card1/device/uevent", "");
    put("/sys/class/drm/renderD128/device/uevent", "");
    make_link("/sys/class/drm/renderD128/device/driver", "../../drivers/panfrost");
    put("/sys/class/drm/renderD130/device/vendor", "0x1002"); /* on PCI: listed there */
    assert_int_equal(cli_gpus_list(root, &gpu, 1), 1);
    assert_int_equal(gpu.has_pci, 0);
    assert_string_equal(gpu.kernel_driver, "panfrost");
    assert_string_equal(gpu.node, "/dev/dri/renderD128");
    assert_false(gpu.node_there || gpu.node_open);
}

IN_FOLDER(damaged_files_are_no_gpus)
{
    cli_gpu gpu;
    assert_int_equal(cli_gpus_list(root, &gpu, 1), 0);
    add_pci("rubbish", "0x030000", "0x1002", "1");
    add_pci("0000:01:00.0", "", "", "");
    add_pci("0000:02:00.0", "0x03zz", "0x1002", "1");
    assert_int_equal(cli_gpus_list(root, &gpu, 1), 0);
}

IN_FOLDER(lists_names_in_order)
{
    vkmm_names names;
    put("/f/b", "");
    put("/f/a", "");
    put("/f/.hidden", "");
    char path[100], text[8];
    snprintf(path, sizeof path, "%s/f", root);
    assert_true(vkmm_folder_list(path, &names));
    assert_int_equal(names.count, 2);
    assert_string_equal(names.name[0], "a");
    vkmm_names_free(&names);
    assert_false(vkmm_folder_list("/nonexistent", &names));
    vkmm_names_free(&names);
    put("/f/long", "0123456789 \n");
    snprintf(path, sizeof path, "%s/f/long", root);
    assert_true(vkmm_file_text(path, text, sizeof text));
    assert_string_equal(text, "0123456");
    assert_false(vkmm_file_text(root, text, sizeof text)); /* a folder */
    assert_string_equal(text, "");
}

IN_FOLDER(knows_the_linkers_folders)
{
    put("/usr/lib/libthere.so.1", "");
    assert_true(vkmm_dynlib_there(root, "libthere.so.1"));
    assert_false(vkmm_dynlib_there(root, "libnothere.so.1"));
    assert_false(vkmm_dynlib_there("", "libvkmm-no-such-library.so.9"));
    assert_true(vkmm_dynlib_there("", "libc.so.6"));
}
