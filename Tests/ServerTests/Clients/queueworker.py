"""The program of Tests/Client/ClientWorker in Python: appends readings to a queue, and sends them."""

import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Sources/Client/Python"))
sys.dont_write_bytecode = True
from sluice_client import Client, Queue  # noqa: E402

directory, url, key, device, first, end = sys.argv[1:]
queue = Queue(directory, segment_bytes_max=4 << 10)
client = Client(url, key, queue, interval=0.02, pause_max=1, timeout=3)
threading.Thread(target=client.run, daemon=True).start()
start = (int(time.time()) // 86400 - 1) * 86400
number, end = int(first), int(end)
while number < end:
    numbers = range(number, min(end, number + random.randint(1, 9)))
    client.append(
        [{"t": start + i, "type": "vital", "code": 1, "val": i} for i in numbers],
        {"device_id": device})
    number = numbers.stop
    print(number, flush=True)
    time.sleep(0.008)
while not queue.is_empty():
    time.sleep(0.02)
