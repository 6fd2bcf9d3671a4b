"""A stand-in for the ``vllm`` program: a real HTTP server on the same interface, without a model.

It says so in its log and in every answer's model name. ``STAND_IN`` in the environment says how it
is to fail: ``dies`` at once, ``hangs`` before it is healthy, ``crashes`` at the first question.
"""

import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWER = '{"action":"defect"}'


def install(folder, mode=""):
    """Put a ``vllm`` that is this stand-in into ``folder``'s bin; returns ``folder``."""
    program = Path(folder) / "bin" / "vllm"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nSTAND_IN={mode} exec {sys.executable} {__file__} "$@"\n')
    program.chmod(0o755)
    return folder


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self._send({"status": "ok"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {os.environ['VLLM_API_KEY']}":
            self._send({"error": {"message": "no key"}}, 401)
            return
        if os.environ.get("STAND_IN") == "crashes":
            print("RuntimeError: out of memory", flush=True)
            os._exit(3)
        content = asked["messages"][-1]["content"]
        said = (
            ANSWER if isinstance(content, str) else json.dumps([part["type"] for part in content])
        )
        self._send(
            {
                "model": "a stand-in, not a model",
                "choices": [
                    {"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": said}}
                ],
                "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
            }
        )  # fmt: skip

    def _send(self, data, status=200):
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def main():
    words = sys.argv
    print("This is a stand-in for vLLM, for tests:", " ".join(words[1:]), flush=True)
    # As vLLM does, have a worker process, which nobody must forget.
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(f"processes {os.getpid()} {worker.pid}", flush=True)
    mode = os.environ.get("STAND_IN")
    if mode == "dies":
        print("ValueError: no such architecture", flush=True)
        sys.exit(7)
    if mode == "hangs":
        time.sleep(600)
    port = int(words[words.index("--port") + 1])
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
