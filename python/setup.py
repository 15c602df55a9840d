"""Builds outside the source tree: pip would leave vkmatmul.egg-info and build/ there. A wheel with libvkmatmul inside,
which `scripts/package wheel` copies into the package, is for one platform, and for any Python 3."""
import pathlib
import tempfile

import setuptools

more = {}
if list(pathlib.Path("vkmatmul").glob("libvkmatmul.so.*")):
    from setuptools.command.bdist_wheel import bdist_wheel

    class Distribution(setuptools.Distribution):
        def has_ext_modules(self):
            return True

    class Wheel(bdist_wheel):
        def get_tag(self):
            return "py3", "none", self.plat_name

    more = {"distclass": Distribution, "cmdclass": {"bdist_wheel": Wheel}}

with tempfile.TemporaryDirectory() as scratch:
    setuptools.setup(options={"egg_info": {"egg_base": scratch}, "build": {"build_base": scratch}}, **more)
