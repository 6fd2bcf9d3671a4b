"""Where code is, as its author looks for it: ``FILE.py:LINE`` of an error, or of a thread."""

from __future__ import annotations

import sys
import threading
import traceback
from pathlib import Path


def place_of(error: BaseException) -> str:
    """Where it was raised; "" of one that was not."""
    return _told(traceback.extract_tb(error.__traceback__))


def place_of_thread(thread: threading.Thread) -> str:
    """Where a thread that runs Python code is now."""
    frame = sys._current_frames().get(thread.ident or 0)
    return _told(traceback.extract_stack(frame))


def _told(frames: traceback.StackSummary) -> str:
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
