"""What goes out as source: all that a build reads, and nothing that lies about in a working tree."""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

pytest.importorskip("scikit_build_core", exc_type=ImportError)
ROOT = pathlib.Path(os.environ.get("STOKER_ROOT", pathlib.Path(__file__).resolve().parents[2]))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> tarfile.TarFile:
    """As `python -m build --sdist` asks the backend for it."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.tar.gz")
    assert path.name.startswith("stoker-") and path.stat().st_size < 4 << 20
    return tarfile.open(path)


def names_in(sdist: tarfile.TarFile) -> set[str]:
    return {member.name.partition("/")[2] for member in sdist if member.isfile()}


def test_holds_what_a_build_reads(sdist: tarfile.TarFile) -> None:
    wanted = {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"}
    for folder in ("cmake", "include", "src", "cli", "python/src", "python/stoker"):
        wanted |= {
            str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*")
            if path.suffix in (".cpp", ".hpp", ".c", ".h", ".in", ".txt", ".cmake", ".py", ".pyi", ".typed") and "__pycache__" not in path.parts}
    assert len(wanted) > 300
    assert not wanted - names_in(sdist)


def test_holds_nothing_else(sdist: tarfile.TarFile) -> None:
    for name in names_in(sdist):
        path = pathlib.PurePath(name)
        assert not {".git", ".venv", ".deps", ".ci", "dist", "__pycache__"} & set(path.parts), name
        assert path.parts[0] not in ("tests", "fuzz", "shared") and not path.parts[0].startswith("build"), name
        assert path.suffix not in (".o", ".so", ".a", ".pyc", ".whl", ".jpg", ".jpeg", ".tar", ".rec", ".idx", ".pt"), name


def test_says_what_it_is(sdist: tarfile.TarFile) -> None:
    import stoker

    (member,) = [member for member in sdist if member.name.count("/") == 1 and member.name.endswith("/PKG-INFO")]
    file = sdist.extractfile(member)
    assert file is not None
    text = file.read().decode()
    assert "\nName: stoker\n" in text and f"\nVersion: {stoker.__version__}\n" in text and "Stoker keeps GPUs fed" in text
