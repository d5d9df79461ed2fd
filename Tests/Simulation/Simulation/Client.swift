import SpoolLogSupport
import Ingest
import Readings
import Scanner

/// Sends its batches one after the other. It repeats each batch until it is accepted, and sends
/// some of them again afterwards.
final class Client {
    unowned(unsafe) private let run: Run
    private let device: Int
    private var cursor: Int
    private var scanner = BatchScanner(limits: Workload.limits)
    private(set) var isDone = false

    init(_ run: Run, number: Int) {
        self.run = run
        device = number % run.scenario.devices
        // Two clients of one device send overlapping parts of the same readings.
        cursor = run.scheduler.dice.below(10)
    }

    func work() {
        for number in 0..<run.scenario.batchesPerClient {
            let body = run.workload.batch(
                device: device, cursor: &cursor, number: number, &run.scheduler.dice)
            var again = chance([0, 0, 0, 1, 2])
            while !run.scheduler.isOver {
                if send(body) {
                    if again == 0 { break }
                    again -= 1
                }
                think()
            }
            think()
            if run.scheduler.dice.happens(perThousand: run.scenario.noteRate) { sendNote() }
        }
        isDone = true
        run.scheduler.wakeAll()
    }

    private func chance<Value>(_ choices: [Value]) -> Value {
        choices[run.scheduler.dice.below(choices.count)]
    }

    private func think() {
        let most = chance([0, 10, 500]) * 1_000_000
        run.scheduler.spend(Int64(run.scheduler.dice.below(most + 1)))
    }

    /// - Returns: whether the answer was 200 or 202.
    private func send(_ body: Body) -> Bool {
        let open = run.openLives
        guard !open.isEmpty else {
            run.scheduler.spend(50_000_000)
            return false
        }
        let life = chance(open)
        for _ in 0..<run.scheduler.dice.below(run.scenario.burst) where !life.isDead {
            sendAhead(life)
        }
        guard let offer = life.desk.offer(run.scanned(body, &scanner), bytes: body.bytes.count)
        else {
            life.core?.dispatch()
            run.scheduler.spend(100_000_000)
            return false
        }
        // The event loop dispatches at the end of its pass.
        life.core?.dispatch()
        // Some clients are impatient and send the batch again while the first is in progress.
        let patience =
            run.mayBreak && chance([true, false, false, false])
            ? Int64(run.scheduler.dice.below(500_000_000)) : run.scenario.answerTimeMax + 1
        wait(for: offer, life, patience)
        return offer.answer?.isSafe == true
    }

    /// Sends new versions of a unit until one is accepted, or refused because it is bad.
    private func sendNote() {
        while !run.scheduler.isOver {
            guard let life = run.openLives.randomElement(using: &run.scheduler.dice) else {
                run.scheduler.spend(50_000_000)
                continue
            }
            for _ in 1..<max(2, run.scenario.burst) where !life.isDead {
                _ = life.desk.offer(nextNote(for: life))
            }
            let note = nextNote(for: life)
            let offer = life.isDead ? nil : life.desk.offer(note)
            life.core?.dispatch()
            guard let offer else {
                run.scheduler.spend(100_000_000)
                continue
            }
            wait(for: offer, life, run.scenario.answerTimeMax + 1)
            if let answer = offer.answer, answer.isSafe || (answer.isRefused && note.isBad) {
                return
            }
            think()
        }
    }

    private func nextNote(for life: Life) -> Note {
        run.workload.note(owner: device, kinds: life.unitKinds, &run.scheduler.dice)
    }

    private func wait(for offer: Desk.Pending, _ life: Life, _ patience: Int64) {
        let end = run.scheduler.now + patience
        while offer.answer == nil, !life.isDead, !run.scheduler.isOver, run.scheduler.now < end {
            run.scheduler.wait(until: end)
        }
        if offer.answer == nil, !life.isDead { life.desk.checkWaiting() }
    }

    /// Offers a batch in the same pass of the event loop, from a client that does not wait for the
    /// answer.
    private func sendAhead(_ life: Life) {
        var other = run.scheduler.dice.below(30)
        let body = run.workload.batch(
            device: run.scheduler.dice.below(run.scenario.devices), cursor: &other, number: 0,
            &run.scheduler.dice)
        _ = life.desk.offer(run.scanned(body, &scanner), bytes: body.bytes.count)
    }
}

extension Run {
    /// What the scanner makes of a body at this moment.
    func scanned(_ body: Body, _ scanner: inout BatchScanner) -> ScannedBatch {
        scanner.begin(now: wallClock, expectedBytes: body.bytes.count, shape: body.shape)
        do throws(ScanError) {
            try scanner.scan(body.bytes.span.bytes)
            let batch = try scanner.finish()
            precondition(batch.received == body.readings, "BUG: \(batch.received) readings")
            return batch
        } catch {
            preconditionFailure("BUG: the workload wrote what is no batch: \(error)")
        }
    }
}
