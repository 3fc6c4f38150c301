"""How the kernel of a kernelspec is started."""

from __future__ import annotations

import os
import re
import sys

from jupyter_selfheal.errors import KernelError


def read_kernelspec(spec_name: str) -> tuple[list[str], dict[str, str], bool]:
    """The command line of a kernelspec, its environment, and whether it is interrupted by message.

    ``python3`` (and ``python2``, whose kernels are gone) needs no kernelspec: it falls back to the ipykernel of this
    environment. Raises :class:`KernelError` where there is no such kernelspec, naming those installed.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    specs = KernelSpecManager()
    try:
        spec = specs.get_kernel_spec(spec_name)
    except NoSuchKernel as error:
        if spec_name in ("python3", "python", "python2"):  # what is left of Python 2 runs on Python 3 once it is healed
            return [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], {}, False
        installed = ", ".join(sorted(specs.find_kernel_specs())) or "none"
        raise KernelError(
            f"no kernel named {spec_name!r} is installed (installed: {installed}): "
            "install it, or choose another kernel for the notebook"
        ) from error
    argv = [word.replace("{resource_dir}", spec.resource_dir) for word in spec.argv]
    if argv and argv[0] in ("python", "python3", f"python{sys.version_info.major}.{sys.version_info.minor}"):
        argv[0] = sys.executable
    env = {k: re.sub(r"\$\{(\w+)\}", lambda m: os.environ.get(m[1], ""), v) for k, v in dict(spec.env).items()}
    return argv, env, spec.interrupt_mode == "message"
