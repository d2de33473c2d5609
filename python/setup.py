# SPDX-License-Identifier: BSD-3-Clause
"""Builds the extension modules against the Heddle that pkg-config finds. Everything else is in pyproject.toml.

PKG_CONFIG and PKG_CONFIG_PATH choose the installation, or a build folder of Heddle.
HEDDLE_RPATH     where the modules look for the library, instead of where pkg-config says it is
HEDDLE_LICENCE   what the package says its licence is (make-wheel sets it)
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
SOURCES = """args array buffer call context convert dlpack dtype elsewhere exchange fields generator grad index job kit kit_values
 jit later match module nn operators program reader results runtime train"""


def pkg_config(*args):
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *args]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        sys.exit("heddle: pkg-config is not installed")
    except subprocess.CalledProcessError as e:
        sys.exit(f"heddle: an installed Heddle is needed, which pkg-config finds (PKG_CONFIG_PATH), or a wheel that holds it "
                 f"(python/make-wheel).\n{shlex.join(command)} failed: {e.stderr.strip()}")


class Build(build_ext):
    """Generates the wrappers, then compiles against what pkg-config says."""

    def build_extension(self, ext):
        folder = Path(self.build_temp) / "generated"
        api = pkg_config("--variable=api", "heddle-core")
        if not Path(api).is_file():
            sys.exit(f"heddle: {api or 'api.json'}, the library's interface as data, is missing; is the installed Heddle too old?")
        subprocess.run([sys.executable, HERE / "generate.py", api, folder], check=True)
        subprocess.run([sys.executable, HERE / "generate_types.py", HERE / "heddle", folder], check=True)
        flags = shlex.split(pkg_config("--cflags", "heddle-kits"))
        libs = shlex.split(pkg_config("--libs", "heddle-kits"))
        paths = [f[2:] for f in libs if f.startswith("-L")] or [pkg_config("--variable=libdir", "heddle-core")]
        rpath = os.environ.get("HEDDLE_RPATH") or ":".join(paths)
        ext.include_dirs += [str(folder), str(HERE / "src")]
        ext.extra_compile_args += ["-std=c11", "-D_GNU_SOURCE", "-fvisibility=hidden", "-Wall", "-Wextra", *flags]
        # Not heddle.pc's interposer: an extension does not bring it into every Python process.
        ext.extra_link_args += [f for f in libs if f.startswith(("-L", "-l")) and f != "-lheddle-inherit"] + [f"-Wl,-rpath,{rpath}"]
        ext.sources += [str(folder / "operations.c"), str(folder / "kit_functions.c")]
        super().build_extension(ext)
        for stub in folder.rglob("*.pyi"):
            target = Path(self.get_ext_fullpath(ext.name)).parent / stub.relative_to(folder)
            target.parent.mkdir(exist_ok=True)
            self.copy_file(str(stub), str(target))


core = Extension("heddle._core", [f"src/{s}.c" for s in SOURCES.split()],
                 depends=["src/binding.h", "src/context.h", "src/fields.h", "src/kit.h"],
                 py_limited_api=not FREE_THREADED,
                 define_macros=[] if FREE_THREADED else [("Py_LIMITED_API", "0x030b0000")])

setup(
    version=pkg_config("--modversion", "heddle-core"),
    license=os.environ.get("HEDDLE_LICENCE", "BSD-3-Clause"),
    packages=["heddle", "heddle.backends"],
    package_data={"heddle": ["py.typed", "*.pyi", "*/*.pyi"]},
    ext_modules=[core],
    cmdclass={"build_ext": Build},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
