"""The built wheel and source package: `scripts/check-python` builds them and names their folder."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

DIST = os.environ.get("ATELIER_DIST")
if DIST is None:
    pytest.skip("no packages were built", allow_module_level=True)

SOURCE = Path(__file__).parents[1] / "src" / "atelier_client"
MODULES = sorted(path.name for path in SOURCE.glob("*") if path.is_file())


def only(pattern: str) -> Path:
    (path,) = Path(str(DIST)).glob(pattern)
    return path


def test_the_wheel_has_the_package_and_nothing_else() -> None:
    with zipfile.ZipFile(only("*.whl")) as wheel:
        names = wheel.namelist()
    package = [name.removeprefix("atelier_client/") for name in names if name.startswith("atelier_client/")]
    assert sorted(package) == MODULES
    rest = [name for name in names if not name.startswith("atelier_client/")]
    assert all(".dist-info/" in name for name in rest), rest
    assert "py.typed" in MODULES


def test_the_source_package_has_no_tests_or_tools() -> None:
    with tarfile.open(only("*.tar.gz")) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {name for name in names if not name.startswith("src/atelier_client/")} <= {
        "",
        ".gitignore",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
    }


def test_the_wheel_installs_and_runs_in_an_empty_environment(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", str(only("*.whl"))], check=True)
    code = "import atelier_client as a; print(a.__version__, a.Atelier('k', 'http://127.0.0.1:9').models)"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    shown = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert shown.stdout.startswith("0.1.0 ")
    assert sys.version_info >= (3, 9)
