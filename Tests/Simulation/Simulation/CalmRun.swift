package import Ingest
package import Readings
package import Scanner
import SpoolLogSupport

/// A run in which nothing goes wrong, for the comparison of the model with a real PostgreSQL: one
/// client hands a few batches to one process, waits for their answers, and goes on.
package struct CalmRun {
    /// A batch that the client sent.
    package struct Exchange {
        package let body: [UInt8]
        package let shape: BodyShape
        package let receivedAt: Timestamp
        package fileprivate(set) var answer: BatchOutcome?
    }

    /// In order; those of an element are sent together.
    package fileprivate(set) var exchanges: [[Exchange]] = []
    /// The rows of the tables at the end: `table value value …`, in any order. Times are in
    /// microseconds since 2000.
    package fileprivate(set) var rows: [String] = []
    /// What the oracle found.
    package fileprivate(set) var violations: [String] = []

    /// What a reading may be.
    package static var limits: ReadingLimits { Workload.limits }

    /// A reading of this code is refused by the model's tables.
    package static var refusedCode: Int16 { Reading.poisonCode }
}

extension Scenario {
    /// Takes out all that goes wrong, and gives each attempt time.
    mutating func calm() {
        (processes, clients, hasSpool, hasClash, noteRate) = (1, 1, true, false, 0)
        (removesDirectory, tampers, setsClockBack) = (false, false, false)
        diskBytes = .max
        configuration = IngestionConfiguration()
        configuration.lanes = 1
    }
}

extension Run {
    /// Its scenario is calm.
    func playCalmly() -> CalmRun {
        var played = CalmRun()
        occupyKeys()
        let supervisor = Supervisor(self, slot: 0)
        scheduler.spawn("supervisor") { supervisor.work() }
        scheduler.spawn("client") { [self] in
            // Until its lane is connected, it spools.
            scheduler.spend(10_000_000_000)
            if let life = supervisor.life { send(to: life, &played.exchanges) }
            endRun()
        }
        scheduler.run()
        played.rows = rows
        played.violations = oracle.violations
        release()
        return played
    }

    private func send(to life: Life, _ exchanges: inout [[CalmRun.Exchange]]) {
        var scanner = BatchScanner(limits: Workload.limits)
        var cursors = [Int](repeating: 0, count: scenario.devices)
        for number in 0..<15 {
            var together: [CalmRun.Exchange] = []
            var offers: [Desk.Pending?] = []
            // Of two devices with one key the first group has one. Which batches are a group depends
            // on the lane's thread, so these are sent one after the other.
            let more = scheduler.dice.below(3)
            for _ in 0...(scenario.sharesKey ? 0 : more) {
                let device = scheduler.dice.below(scenario.devices)
                let body = workload.batch(
                    device: device, cursor: &cursors[device], number: number, &scheduler.dice)
                let batch = scanned(body, &scanner)
                together.append(
                    CalmRun.Exchange(body: body.bytes, shape: body.shape, receivedAt: wallClock))
                offers.append(life.desk.offer(batch, bytes: body.bytes.count))
            }
            life.core?.dispatch()
            for (place, offer) in offers.enumerated() {
                while let offer, offer.answer == nil, !scheduler.isOver {
                    scheduler.spend(10_000_000)
                }
                if case .batch(let answer) = offer?.answer { together[place].answer = answer }
            }
            exchanges.append(together)
            scheduler.spend(1_000_000)
        }
    }

    private var rows: [String] {
        func times(_ times: ByKind<Int64>) -> String {
            ReadingKind.allCases.map { "\(times[$0])" }.joined(separator: " ")
        }
        var rows: [String] = []
        for (key, state) in database.states {
            rows.append(
                "state \(key) \(state.keyCheck) \(state.readings) \(times(state.watermarks))"
                    + " \(state.said) \(state.saidAt)")
        }
        for (key, device) in database.devices {
            rows.append(
                "device \(key) \(device.deviceID) \(device.userID) \(device.modelName ?? "-")"
                    + " \(device.version ?? "-")")
        }
        for (id, keys) in database.keys {
            rows.append("keys \(id) \(keys.map(String.init).joined(separator: ","))")
        }
        rows += database.rows.map { "\($0.kind.name) \($0.deviceKey) \($0.time)" }
        rows += database.quarantine.map { "quarantine \($0.deviceKey)" }
        return rows
    }
}
