"""A small fleet: its requests and their answers."""

import asyncio
import datetime
import json
import random

import websockets.asyncio.client

MODELS = ["iPhone 15 Pro", "Apple Watch 9", None]
CODES = [1, 2, 3]


def batch(device, now, readings=20):
    """Readings of the last hours, one in ten with a fault."""
    random_ = random.Random(f"{device} {now}")
    data = []
    for number in range(readings):
        time = now - datetime.timedelta(seconds=random_.uniform(0, 3 * 3600))
        reading = {"t": time.isoformat()}
        match number % 3:
            case 0:
                reading |= {"type": "gps", "lat": 52 + random_.random(),
                            "lon": 13 + random_.random(), "acc": random_.uniform(3, 30)}
            case 1:
                reading |= {"type": "vital", "code": random_.choice(CODES),
                            "val": random_.uniform(50, 120)}
            case 2:
                reading |= {"type": "event", "label": "motion_state", "val_text": "walking"}
        if number % 10 == 9:
            reading["t"] = "yesterday"
        data.append(reading)
    metadata = {"device_id": f"device-{device}", "version": f"1.{device % 3}"}
    if model := MODELS[device % len(MODELS)]:
        metadata["model_name"] = model
    return {"metadata": metadata, "data": data}


def fleet(server, devices=12):
    """Sends one batch of each device and returns the statuses."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return {server.ingest(batch(device, now))[0] for device in range(devices)}


def capture(server, number, base=None, ssl=None):
    """Sends a capture over a WebSocket and returns the answer."""
    return asyncio.run(send_capture(server, number, base, ssl))


async def send_capture(server, number, base, ssl):
    """websockets' client with threads reads and writes one TLS connection at the same time. In
    Python 3.11 nothing guards OpenSSL against that: one request in 500 was never sent."""
    url = (base or server.url).replace("http", "ws", 1)
    frame = {
        "type": "memory_capture", "id": f"capture-{number}",
        "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "transcription": "Walking with Sarah"}
    options = {"ssl": ssl} if ssl else {}
    async with websockets.asyncio.client.connect(
        f"{url}/ws/ios/po?token={server.APP_KEY}", open_timeout=20, **options
    ) as connection:
        await connection.send(json.dumps(frame))
        while True:
            answer = json.loads(await asyncio.wait_for(connection.recv(), 20))
            # Notices of earlier captures may have been pending for this socket.
            if answer["type"] != "memory_processed":
                return answer
