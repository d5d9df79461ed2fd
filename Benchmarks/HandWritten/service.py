"""The same route as one would write it by hand: Starlette, orjson and asyncpg.

One transaction a request, answered after COMMIT. There is no exactly-once, no quarantine, no limit
and no spool, so it does less than Sluice for each reading. It is the other side of a goal; see
ServedGoals+Requests.swift, which starts it with uvicorn.
"""

import contextlib
import hashlib
import hmac
import os
from datetime import datetime

import asyncpg
import orjson
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

KEY = os.environ["INGEST_API_KEY"]
INSERTS = {
    "gps": "insert into sluice.gps (device_key, t, lat, lon, acc) values ($1, $2, $3, $4, $5)",
    "vital": "insert into sluice.vital (device_key, t, code, val) values ($1, $2, $3, $4)",
    "event": "insert into sluice.event (device_key, t, label, val_text, metadata)"
    " values ($1, $2, $3, $4, $5)",
}


def row(key, reading):
    """The columns of a reading, in the order of its INSERT."""
    t = datetime.fromisoformat(reading["t"])
    match reading["type"]:
        case "gps":
            return key, t, float(reading["lat"]), float(reading["lon"]), reading.get("acc")
        case "vital":
            return key, t, reading["code"], float(reading["val"])
        case _:
            metadata = reading.get("metadata")
            text = None if metadata is None else orjson.dumps(metadata).decode()
            return key, t, reading["label"], reading.get("val_text"), text


async def ingest(request):
    if not hmac.compare_digest(request.headers.get("x-api-key", ""), KEY):
        return JSONResponse({"detail": "Unauthorized"}, 401)
    try:
        batch = orjson.loads(await request.body())
    except orjson.JSONDecodeError as error:
        return JSONResponse({"detail": str(error)}, 400)
    device = batch["metadata"]["device_id"].lower().encode()
    key = int.from_bytes(hashlib.sha256(device).digest()[:8], "big", signed=True)
    rows = {}
    for reading in batch["data"]:
        rows.setdefault(reading["type"], []).append(row(key, reading))
    async with request.app.state.pool.acquire() as connection, connection.transaction():
        for kind, values in rows.items():
            await connection.executemany(INSERTS[kind], values)
    count = len(batch["data"])
    return JSONResponse(
        {
            "status": "accepted",
            "records": count,
            "stored": count,
            "duplicates": 0,
            "quarantined": 0,
        }
    )


@contextlib.asynccontextmanager
async def lifespan(app):
    # libpq's connection string has other rules than asyncpg's.
    settings = dict(part.split("=", 1) for part in os.environ["DATABASE"].split())
    async with asyncpg.create_pool(
        host=settings["host"],
        port=int(settings["port"]),
        user=settings["user"],
        database=settings["dbname"],
        min_size=8,
        max_size=8,
    ) as app.state.pool:
        yield


app = Starlette(
    routes=[
        Route("/ingest", ingest, methods=["POST"]),
        Route("/health", lambda request: JSONResponse({"status": "ok"})),
    ],
    lifespan=lifespan,
)
