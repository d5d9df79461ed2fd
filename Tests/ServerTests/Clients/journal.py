"""A client of the journal, made of other libraries: requests, and a browser.

    journal.py SCENARIO URL [ARGUMENT ...]

Each scenario is a function of a module in this directory. Its docstring says what it expects.
Exits with 0 if that is so, otherwise with a traceback.
"""

import asyncio
import sys

import browser
import entries
import places
import writers

SCENARIOS = {
    function.__name__: function
    for function in [
        browser.browser,
        entries.kinds,
        entries.lying,
        entries.records,
        entries.thumbnails,
        places.places,
        writers.half,
        writers.check,
        writers.write,
    ]
}

scenario, url, *arguments = sys.argv[1:]
result = SCENARIOS[scenario](url, *arguments)
if asyncio.iscoroutine(result):
    asyncio.run(result)
