"""A client of meal logs, made of other libraries: requests and websockets.

    meals.py SCENARIO URL [ARGUMENT ...]

Each scenario is a function of a module in this directory. Its docstring says what it expects.
Exits with 0 if that is so, otherwise with a traceback.
"""

import asyncio
import sys

import mealaccess
import mealfaults
import mealframes
import mealsteps
import mealtunnel

SCENARIOS = {
    function.__name__: function
    for function in [
        mealaccess.access,
        mealaccess.expires,
        mealaccess.trusting,
        mealaccess.unnamed,
        mealfaults.faults,
        mealfaults.foods,
        mealframes.batch,
        mealframes.consultation,
        mealframes.idle,
        mealframes.nodes,
        mealframes.samples,
        mealsteps.answered,
        mealsteps.away,
        mealsteps.consult,
        mealsteps.collect,
        mealsteps.delete,
        mealsteps.send,
        mealsteps.silent,
        mealtunnel.beside,
        mealtunnel.resets,
        mealtunnel.tunnel,
    ]
}

if __name__ == "__main__":
    outcome = SCENARIOS[sys.argv[1]](*sys.argv[2:])
    if asyncio.iscoroutine(outcome):
        asyncio.run(outcome)
