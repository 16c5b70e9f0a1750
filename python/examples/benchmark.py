"""The slowest RDMA Reads of a capture, asked of warpscope and of pyshark: how long that takes.

    python benchmark.py [CAPTURE]      by default a capture of perftest that is shipped
"""

import sys
import time
from decimal import Decimal
from pathlib import Path

import pyshark
import warpscope

CAPTURE = Path(__file__).parents[2] / "traces/captures/b2-perftest-crc.pcap.zst"
REQUEST, RESPONSE = 1, 2
SLOWEST = 5
RUNS = 5


def with_warpscope(capture):
    """Request's frame, response's last frame and latency in nanoseconds."""
    reads = warpscope.open(capture).operations().to_arrow()
    columns = ["kind", "request_last_frame", "response_last_frame", "latency"]
    rows = zip(*(reads[name].to_pylist() for name in columns))
    return [row for kind, *row in rows if kind == "Read" and row[-1] is not None]


def with_pyshark(capture):
    """The same; what tshark does not do, to match responses with requests, is done here."""
    waiting, reads = {}, []
    wanted = f"iwarp_rdma.opcode == {REQUEST} || iwarp_rdma.opcode == {RESPONSE}"
    with pyshark.FileCapture(str(capture), display_filter=wanted, keep_packets=False) as packets:
        for packet in packets:
            at, frame = int(Decimal(packet.frame_info.time_epoch) * 10**9), int(packet.number)
            for layer in packet.layers:
                if layer.layer_name != "iwarp_ddp_rdmap" or "iwarp_rdma_opcode" not in layer.field_names:
                    continue
                opcode = int(layer.iwarp_rdma_opcode, 0)
                if opcode == REQUEST:
                    key = packet.tcp.stream, int(layer.iwarp_rdma_sinkstag, 0)
                    first, size = int(layer.iwarp_rdma_sinkto, 0), int(layer.iwarp_rdma_rdmardsz)
                    waiting.setdefault(key, []).append((first, first + size, frame, at))
                elif opcode == RESPONSE and layer.iwarp_ddp_last_flag == "1":
                    requests = waiting[packet.tcp.stream, int(layer.iwarp_ddp_stag, 0)]
                    offset = int(layer.iwarp_ddp_tagged_offset, 0)
                    found = next(it for it in requests if it[0] <= offset < it[1])
                    requests.remove(found)
                    reads.append([found[2], frame, at - found[3]])
    return reads


def timed(ask, capture, runs):
    """The answer, and the median of the seconds that it took."""
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        reads = ask(capture)
        took.append(time.perf_counter() - start)
    return sorted(reads, key=lambda read: -read[2])[:SLOWEST], sorted(took)[runs // 2]


def main():
    capture = sys.argv[1] if len(sys.argv) > 1 else CAPTURE
    ours, seconds = timed(with_warpscope, capture, RUNS)
    theirs, others = timed(with_pyshark, capture, 1 if len(sys.argv) > 1 else RUNS)
    if ours != theirs:
        sys.exit(f"the answers differ:\n{ours}\n{theirs}")
    name = Path(capture).name
    print(f"{'slowest Reads of ' + name:<44} {'pyshark':>14} {'warpscope':>14} {'ratio':>8}")
    print(f"{'  from Python':<44} {others:>12.3f} s {seconds:>12.4f} s {others / seconds:>8.0f}")


if __name__ == "__main__":
    main()
