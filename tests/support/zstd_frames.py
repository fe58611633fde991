"""Archives of many zstd frames."""

from __future__ import annotations

import pyarrow as pa


def framed(text: bytes, frame_bytes: int = 300_007) -> bytes:
    """Frames of zstd as pzstd writes them, each behind its size; frames end within games."""
    codec = pa.Codec("zstd")
    packed = [
        codec.compress(text[start : start + frame_bytes], asbytes=True)
        for start in range(0, len(text), frame_bytes)
    ]
    skippable = b"\x50\x2a\x4d\x18\x04\0\0\0"
    return b"".join(skippable + len(frame).to_bytes(4, "little") + frame for frame in packed)
