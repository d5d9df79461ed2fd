"""A relay whose connections break. Arguments: the port to listen at, and the port of the server.

Standard input: `rough` breaks a third of the connections, some when the answer of the server is on its
way, which is lost then; `off` breaks all and takes none; `calm` forwards everything. Each line is
answered with the number of answers that were lost so far."""

import asyncio
import random
import sys

listen, target = int(sys.argv[1]), int(sys.argv[2])
mode = "calm"
lost = 0
writers = set()


async def pump(reader, writer, others, loses):
    global lost
    bytes_max = random.randint(1, 3000) if mode == "rough" and random.random() < 0.3 else None
    try:
        while data := await reader.read(65536):
            if mode == "rough" and loses and random.random() < 0.3:
                lost += 1
                break
            if bytes_max is not None and bytes_max < len(data):
                writer.write(data[:bytes_max])
                await writer.drain()
                break
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    for other in others:
        other.transport.abort()
        writers.discard(other)


async def accept(reader, writer):
    try:
        if mode == "off":
            raise OSError
        from_server, to_server = await asyncio.open_connection("127.0.0.1", target)
    except OSError:
        writer.transport.abort()
        return
    writers.update([writer, to_server])
    both = [writer, to_server]
    await asyncio.gather(
        pump(reader, to_server, both, False), pump(from_server, writer, both, True))


async def main():
    global mode
    await asyncio.start_server(accept, "127.0.0.1", listen)
    print(lost, flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        mode = line.strip()
        if mode == "off":
            for writer in list(writers):
                writer.transport.abort()
        print(lost, flush=True)


asyncio.run(main())
