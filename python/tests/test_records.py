import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import stoker


def test_a_folder_by_number(photos: pathlib.Path) -> None:
    records = stoker.open(photos)
    assert len(records) == 42 and records.classes == ["ant", "bee", "cat"] and records.format == "folder"
    sample = records[15]
    assert sample.key == "bee/01.jpg" and sample.labels == (1.0,)
    assert sample.data == (photos / "bee/01.jpg").read_bytes() == sample.fields["image"]
    assert records[-1].key == "cat/13.jpg"
    assert [one.key for one in records[40:]] == ["cat/12.jpg", "cat/13.jpg"]
    assert len(list(records)) == 42
    for index in (42, -43):
        with pytest.raises(IndexError, match=f"sample {index} of 42"):
            records[index]
    assert "42 samples, 3 classes" in repr(records) and repr(sample).startswith("Sample('bee/01.jpg', labels=(1.0,), image: ")


def test_packs_of_every_format_hold_the_same(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    images = [sample.data for sample in stoker.open(photos)]
    for name in ("x.rec", "y.tar", "z.tfrecord"):
        report = stoker.pack(photos, tmp_path / name, shards=2)
        assert report.inputs == report.packed == 42 and len(report.shards) == 2 and report.shards[0].records == 21
        assert repr(report).startswith("PackReport(42 of 42 packed, 0 skipped, ")
        packed = stoker.open(tmp_path / f"{name.split('.')[0]}.dataset.json")
        assert [sample.data for sample in packed] == images and packed.classes == ["ant", "bee", "cat"]


def test_pack_options(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    planned = stoker.pack(photos, tmp_path / "small.rec", resize_short=32, dry_run=True)
    assert not list(tmp_path.iterdir()) and planned.packed == 42
    seen: list[tuple[int, ...]] = []
    report = stoker.pack(photos, tmp_path / "small.rec", resize_short=32, threads=2, progress=lambda *at: seen.append(at))
    assert report.changed["resized"] == 42 and report.bytes_out < report.bytes_in and report.bytes_out == planned.bytes_out
    assert seen[-1][:2] == (42, 42)
    assert min(stoker.image_info(stoker.open(tmp_path / "small.rec")[0].data).width,
               stoker.image_info(stoker.open(tmp_path / "small.rec")[0].data).height) == 32
    for part in range(3):
        assert stoker.pack(photos, tmp_path / "parts.rec", shards=5, part=(part, 3)).waits_for_merge
    assert stoker.pack(photos, tmp_path / "parts.rec", merge=True).packed == 42


def test_pack_errors(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        stoker.pack(tmp_path / "none", tmp_path / "x.rec")
    with pytest.raises(ValueError, match="'keep', 'jpeg', 'png'"):
        stoker.pack(photos, tmp_path / "x.rec", encode="gif")
    with pytest.raises(TypeError):
        stoker.pack(photos, tmp_path / "x.rec", quality="high")
    with pytest.raises(TypeError):
        stoker.pack(photos, tmp_path / "x.rec", resize=256)
    with pytest.raises(ZeroDivisionError):
        stoker.pack(photos, tmp_path / "x.rec", progress=lambda *_: 1 // 0)
    assert not (tmp_path / "x.rec").exists()


def test_ctrl_c_ends_a_pack(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    many = tmp_path / "many.lst"
    many.write_text("".join(f"{i}\t0\tant/00.jpg\n" for i in range(200_000)))
    program = textwrap.dedent(f"""
        import stoker
        def told(done, *_):
            if done > 100:
                print("begun", flush=True)
        try:
            stoker.pack({str(many)!r}, {str(tmp_path / 'many.rec')!r}, root={str(photos)!r}, progress=told)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert rest.splitlines()[-1] == "interrupted" and process.returncode == 0
    assert not (tmp_path / "many.rec").exists()


def test_names_that_are_no_utf8(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(b"caf\xe9.jpg")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / name).write_bytes((photos / "ant/00.jpg").read_bytes())
    assert stoker.open(tmp_path)[0].key == f"a/{name}"


def test_index(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    stoker.pack(photos, tmp_path / "x.rec", seek_index=False)
    assert stoker.open(tmp_path / "x.rec")[0].seek_points == b""
    report = stoker.index(tmp_path / "x.rec")
    assert report.records == 42 == report.indexed + sum(report.not_indexable.values()) and report.indexed > 20
    assert pathlib.Path(report.index_path) == tmp_path / "x.rec.seek"
    assert any(sample.seek_points for sample in stoker.open(tmp_path / "x.rec"))


def keys_of(records: stoker.Records) -> list[str]:
    return [sample.key for sample in records]


def test_records_in_other_threads_and_processes(records: pathlib.Path) -> None:
    opened = stoker.open(records)
    keys = keys_of(opened)
    assert keys_of(pickle.loads(pickle.dumps(opened))) == keys
    seen: list[list[str]] = []
    threads = [threading.Thread(target=lambda: seen.append(keys_of(opened))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [keys] * 4
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(keys_of, [opened, opened]) == [keys, keys]


def test_select(records: pathlib.Path) -> None:
    whole = stoker.open(records)
    some = whole.select([40, 1, 1])
    assert keys_of(some) == [whole[40].key, whole[1].key, whole[1].key] and "3 of 42 samples" in repr(some)
    again = pickle.loads(pickle.dumps(some.select([2, 0])))
    assert keys_of(again) == [whole[1].key, whole[40].key] and "2 of 42 samples" in repr(again)
    for bad in ([42], [-1]):
        with pytest.raises(ValueError, match=f"sample {bad[0]}; allowed: 0 to 41"):
            whole.select(bad)
