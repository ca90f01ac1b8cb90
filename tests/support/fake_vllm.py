"""What stands in for the program `vllm`: takes its arguments, answers as it would, and leaves a diary.

The environment variable FAKE_VLLM holds a JSON object: "diary" the file, "wait_s" until it is healthy, "fail" an exit
status to end with at once, "stubborn" whether it ignores SIGTERM and SIGINT.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SETTINGS = json.loads(os.environ["FAKE_VLLM"])
BEGIN = time.monotonic()


def note(**entry: object) -> None:
    with Path(SETTINGS["diary"]).open("a", encoding="utf-8") as diary:
        diary.write(json.dumps(entry) + "\n")


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        healthy = time.monotonic() > BEGIN + SETTINGS.get("wait_s", 0)
        self.send_response(200 if self.path == "/health" and healthy else 503)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": f"I am {body['model']}."}
        data = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def end(number: int, _: object) -> None:
    note(signal=number)
    if not SETTINGS.get("stubborn"):
        os._exit(0)


def main() -> None:
    note(arguments=sys.argv[1:])
    if SETTINGS.get("fail"):
        print("CUDA is not there", file=sys.stderr)
        sys.exit(SETTINGS["fail"])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    # As vLLM has its engine and its workers: one that does not end by itself.
    child = subprocess.Popen(["sh", "-c", "trap '' INT TERM; exec sleep 600"])
    note(pids=[os.getpid(), child.pid])
    port = int(sys.argv[sys.argv.index("--port") + 1])
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


main()
