"""A client of memory captures, made of other people's libraries: requests and websockets.

    captures.py SCENARIO URL [ARGUMENT ...]

Each scenario is a function of a module beside this file and says in its first line what it wants
to see. Ends with 0 when it saw that, else with a traceback.
"""

import asyncio
import sys

import callers
import frames
import steps
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
        uploads.lying,
        uploads.media,
        uploads.uploads,
        users.evening,
        users.reading,
        users.samples,
    ]
}

scenario, url, *arguments = sys.argv[1:]
result = SCENARIOS[scenario](url, *arguments)
if asyncio.iscoroutine(result):
    asyncio.run(result)
