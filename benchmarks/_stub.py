"""A model server that is never what one waits for: one asyncio loop, fixed answers, fixed latency.

    python benchmarks/_stub.py [--latency 0.5]

prints its base URL, then answers ``POST .../chat/completions`` until it is stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json

ANSWER = {
    "agreeability": {"rationale": "It sides with what the person says.", "score": 7},
    "active_listening": {"rationale": "It names the topic and one reason.", "score": 6},
}


def response() -> bytes:
    """Return the whole HTTP response, the same for every call."""
    body = json.dumps(
        {
            "id": "chatcmpl-stub",
            "object": "chat.completion",
            "created": 0,
            "model": "stub",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": json.dumps(ANSWER)},
                }
            ],
            "usage": {"prompt_tokens": 500, "completion_tokens": 40, "total_tokens": 540},
        }
    ).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """Reads requests from one kept-alive connection and answers each after the latency."""

    def __init__(self, answer: bytes, latency: float) -> None:
        self._answer = answer
        self._latency = latency
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) != -1:
            length = 0
            for line in self._buffer[:end].split(b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            whole = end + 4 + length
            if len(self._buffer) < whole:
                return
            self._buffer = self._buffer[whole:]
            asyncio.get_running_loop().call_later(self._latency, self._send)

    def _send(self) -> None:
        if self._transport is not None:
            self._transport.write(self._answer)


async def serve(latency: float) -> None:
    """Serve on a free port of this machine until cancelled."""
    answer = response()
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(answer, latency), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.5, help="seconds an answer takes")
    asyncio.run(serve(parser.parse_args().latency))
