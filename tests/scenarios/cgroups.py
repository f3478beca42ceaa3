"""A cgroup for the processes of one scenario, of version 1 or 2, with a CPU quota and a limit on reads."""

import os

from janitor import remove_cgroup

PERIOD_US = 100_000


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def own_groups():
    """This process's group by controller; "" is version 2."""
    groups = {}
    for line in read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            groups[name] = path
    return groups


def folder_of(controller, version):
    """The folder of this process's own group, where new ones are made; None where this kernel has none."""
    for line in read("/proc/self/mounts").splitlines():
        _, mount, kind, options = line.split()[:4]
        if (version == 1 and kind == "cgroup" and controller in options.split(",")) or (version == 2 and kind == "cgroup2"):
            own = mount + own_groups().get(controller if version == 1 else "", "/").rstrip("/")
            folder = own if os.path.isdir(own) else mount
            if version == 1 or controller in read(os.path.join(folder, "cgroup.controllers")).split():
                return folder
    return None


class Cgroup:
    """One group for one controller: `cpu` of both versions, `blkio` of version 1, `io` of version 2.

    Errors: OSError where the kernel or the rights forbid it.
    """

    def __init__(self, controller, version, janitor):
        parent = folder_of(controller, version)
        if parent is None:
            raise OSError(f"this kernel has no cgroup v{version} controller '{controller}' to use")
        if version == 2 and controller not in read(os.path.join(parent, "cgroup.subtree_control")).split():
            write(os.path.join(parent, "cgroup.subtree_control"), f"+{controller}")
        self.version, self.janitor = version, janitor
        self.folder = os.path.join(parent, f"stoker-scenario-{os.getpid()}")
        janitor.did("cgroup", self.folder)
        os.makedirs(self.folder, exist_ok=True)

    def add(self, pid):
        write(os.path.join(self.folder, "cgroup.procs"), str(pid))

    def set_quota(self, cpus):
        """None: no limit."""
        if self.version == 1:
            write(os.path.join(self.folder, "cpu.cfs_quota_us"), str(int(cpus * PERIOD_US)) if cpus else "-1")
        else:
            write(os.path.join(self.folder, "cpu.max"), f"{int(cpus * PERIOD_US) if cpus else 'max'} {PERIOD_US}")

    def set_read_limit(self, device, bytes_per_s):
        """None: no limit."""
        if self.version == 1:
            write(os.path.join(self.folder, "blkio.throttle.read_bps_device"), f"{device} {int(bytes_per_s or 0)}")
        else:
            write(os.path.join(self.folder, "io.max"), f"{device} rbps={int(bytes_per_s) if bytes_per_s else 'max'}")

    def remove(self):
        remove_cgroup(self.folder)
        self.janitor.undone("cgroup", self.folder)


def why_not(controller, version):
    """None where a group with this controller can be made here, else the reason."""
    class Nobody:
        def did(self, *_):
            pass
        undone = did

    try:
        group = Cgroup(controller, version, Nobody())
        group.remove()
        return None
    except OSError as error:
        return f"no cgroup v{version} {controller}: {error.strerror or error}"


def disk_of(folder):
    """The number of the whole disk that holds a folder, "254:0"; None where it is no block device (overlay, tmpfs)."""
    number = os.stat(folder).st_dev
    name = f"{os.major(number)}:{os.minor(number)}"
    path = os.path.realpath(f"/sys/dev/block/{name}")
    if not os.path.exists(f"/sys/dev/block/{name}"):
        return None
    if os.path.exists(os.path.join(path, "partition")):
        return read(os.path.join(os.path.dirname(path), "dev"))
    return name
