"""The power is cut while everybody sends. Each round prints its seed. The choices of a round repeat with
it, the moments only roughly, because programs run beside each other.

    Tests/Scripts/run Power BINARY -k rounds --rounds=300
    Tests/Scripts/run Power BINARY -k rounds --rounds=1 --seed=4711
"""

import random
import time

from world import Archive, Captures, Files, Meals, Readings, Texts, Worker

# After so many rounds the disk is emptied, so that the first start is cut too.
GENERATION = 10


class Round:
    """Some lives of a server and its clients. A life ends with a kill, after which the next one finds
    the disk as it was; the last one ends with a cut."""

    def __init__(self, world, seed):
        self.world, self.seed, self.random = world, seed, random.Random(seed)

    def live(self):
        if not self.world.server.is_running:
            # A start makes some ten changes, and the first one 270.
            cut = self.random.choice([None, self.random.randint(1, 30), self.random.randint(1, 400)])
            if not self.world.start(cut):
                return
        for worker in self.world.workers:
            if worker.process is None or worker.process.poll() is not None:
                worker.start()
        if self.random.random() < 0.5:
            self.world.archiver.run(self.random)
        end = time.monotonic() + self.random.uniform(0.1, 1.5)
        while time.monotonic() < end and self.world.server.is_running:
            if self.random.random() < 0.4:
                (self.world.relay.close if self.world.relay.is_open else self.world.relay.open)()
            time.sleep(self.random.uniform(0.02, 0.3))

    def cut(self):
        self.world.kill()
        for worker in self.world.workers:
            if worker.process:
                worker.read()
        return self.world.disk.cut(self.random)

    def run(self):
        """Returns what was dropped."""
        for _ in range(self.random.choice([0, 0, 1, 2])):
            self.live()
            self.world.kill()
            for worker in self.world.workers:
                if worker.process:
                    worker.read()
        self.live()
        dropped = [self.cut()]
        while self.random.random() < 0.3:
            # Again, while it recovers.
            self.world.start(self.random.randint(1, 40))
            time.sleep(self.random.uniform(0, 0.3))
            dropped.append(self.cut())
        # A node that has served starts without its database, too.
        has_served = (self.world.root / "data/spool").exists()
        if has_served and self.random.random() < 0.5:
            self.world.relay.close()
        else:
            self.world.relay.open()
        self.world.start()
        return dropped

    def lost(self, senders):
        self.world.is_resting = True
        self.world.drain()
        lost = {}
        for sender in [*senders, *self.world.workers, self.world.archiver]:
            if missing := sender.lost():
                lost[getattr(sender, "name", None) or sender.device] = missing
        self.world.is_resting = False
        return lost


def test_rounds(make_world, request, capsys):
    count = request.config.getoption("rounds")
    first = request.config.getoption("seed")
    if first is None:
        first = random.SystemRandom().randrange(1_000_000)
    cuts, acknowledged = 0, 0
    for begin in range(0, count, GENERATION):
        world = make_world()
        world.archiver = Archive(world)
        for language in Worker.PROGRAMS:
            Worker(world, language)
        senders = [
            kind(world, random.Random(first + begin)).start()
            for kind in [Readings, Texts, Files, Meals, Captures]]
        try:
            for seed in range(first + begin, first + min(count, begin + GENERATION)):
                turn = Round(world, seed)
                dropped = turn.run()
                lost = turn.lost(senders)
                cuts += len(dropped)
                with capsys.disabled():
                    print(f"\nseed {seed}: dropped {'; '.join(dropped)}", end="", flush=True)
                assert not lost, f"seed {seed}: dropped {dropped}: lost {lost}"
        finally:
            for sender in senders:
                sender.stop()
            acknowledged += sum(len(sender.acknowledged) for sender in senders)
            acknowledged += sum(worker.appended for worker in world.workers)
            world.end()
    with capsys.disabled():
        print(f"\n{cuts} cuts, {acknowledged} acknowledged, 0 lost, 0 twice")
