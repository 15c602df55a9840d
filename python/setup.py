"""Builds outside the source tree: pip would leave vkmatmul.egg-info and build/ there."""
import tempfile

import setuptools

with tempfile.TemporaryDirectory() as scratch:
    setuptools.setup(options={"egg_info": {"egg_base": scratch}, "build": {"build_base": scratch}})
