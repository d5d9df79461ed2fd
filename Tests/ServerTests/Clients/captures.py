"""A client of memory captures, made of other libraries: requests and websockets.

    captures.py SCENARIO URL [ARGUMENT ...]

Each scenario is a function of a module in this directory. Its docstring says what it expects.
Exits with 0 if that is so, otherwise with a traceback.
"""

import asyncio
import sys

import callers
import frames
import steps
import tunnel
import uploads
import users

SCENARIOS = {
    function.__name__: function
    for function in [
        callers.access,
        callers.secure,
        callers.trusting,
        frames.frames,
        frames.identity,
        steps.collect,
        steps.hold,
        steps.quiet,
        steps.send,
        tunnel.tunnel,
        uploads.lying,
        uploads.media,
        uploads.uploads,
        users.changes,
        users.evening,
        users.reading,
        users.samples,
    ]
}

scenario, url, *arguments = sys.argv[1:]
result = SCENARIOS[scenario](url, *arguments)
if asyncio.iscoroutine(result):
    asyncio.run(result)
