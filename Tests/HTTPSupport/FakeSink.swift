import Auth
import Dispatch
import Ingest
import Readings
import Scanner
import Synchronization

/// A sink without a database, unless the test gives it a writer. The test decides what it accepts
/// and answers. Like a lane, it begins nothing before it is dispatched.
final class FakeSink: BatchSink {
    struct Offered: Sendable {
        let batch: ScannedBatch
        let key: KeyID
        let ticket: UInt64
        let target: BatchTarget
    }

    struct OfferedUnit: Sendable {
        let unit: WorkUnit
        let ticket: UInt64
        let target: UnitTarget
    }

    enum Behaviour: Sendable {
        /// Commits at once, from another thread.
        case commit
        /// Holds the batch until the test decides its outcome.
        case hold
        case answer(Offer)
    }

    private struct State: Sendable {
        var behaviour: Behaviour
        var refusal: Offer?
        /// For bodies whose device is known.
        var deviceRefusal: Offer?
        var isUp = true
        var offered: [Offered] = []
        var held: [Offered] = []
        var offeredUnits: [OfferedUnit] = []
        var heldUnits: [OfferedUnit] = []
        var offers = 0
        var readings = 0
        var bytesAsked: [Int] = []
        var bytesAskedOfDevices: [Int] = []
        var writer: (@Sendable (WorkUnit) -> UnitOutcome)?
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "fake lane")

    init(_ behaviour: Behaviour = .commit) {
        state = Mutex(State(behaviour: behaviour))
    }

    func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? {
        state.withLock { state in
            if device != nil {
                state.bytesAskedOfDevices.append(bytes)
                return state.deviceRefusal
            }
            state.bytesAsked.append(bytes)
            return state.refusal
        }
    }

    func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer {
        let offered = Offered(batch: batch, key: key, ticket: ticket, target: replyTo)
        return state.withLock { state in
            state.offers += 1
            state.readings += batch.received
            if case .answer(let offer) = state.behaviour { return offer }
            state.offered.append(offered)
            return .taken
        }
    }

    func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget
    ) -> Offer {
        state.withLock { state in
            if case .answer(let offer) = state.behaviour { return offer }
            state.offers += 1
            state.offeredUnits.append(
                OfferedUnit(unit: unit, ticket: ticket, target: replyTo))
            return .taken
        }
    }

    func dispatch() {
        let (committed, units) = state.withLock { state -> ([Offered], [OfferedUnit]) in
            defer {
                state.offered = []
                state.offeredUnits = []
            }
            if case .hold = state.behaviour {
                state.held += state.offered
                state.heldUnits += state.offeredUnits
                return ([], [])
            }
            return (state.offered, state.offeredUnits)
        }
        if !units.isEmpty {
            let writer = state.withLock { $0.writer }
            queue.async {
                for unit in units {
                    Self.deliver([unit], writer?(unit.unit) ?? .committed("stored"))
                }
            }
        }
        guard !committed.isEmpty else { return }
        queue.async { Self.deliver(committed) { Self.commit($0) } }
    }

    var isDatabaseUp: Bool { state.withLock { $0.isUp } }
    var isAvailable: Bool { isDatabaseUp }

    // MARK: What a test says and asks

    func set(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }
    func set(refusal: Offer?) { state.withLock { $0.refusal = refusal } }
    func set(deviceRefusal: Offer?) { state.withLock { $0.deviceRefusal = deviceRefusal } }
    /// Writes units before they are answered as committed.
    func set(writer: @escaping @Sendable (WorkUnit) -> UnitOutcome) {
        state.withLock { $0.writer = writer }
    }
    func set(isUp: Bool) { state.withLock { $0.isUp = isUp } }

    /// Batches offered so far, whatever their outcome.
    var offers: Int { state.withLock { $0.offers } }
    /// Readings offered so far.
    var readings: Int { state.withLock { $0.readings } }
    /// The sizes that heads asked about.
    var bytesAsked: [Int] { state.withLock { $0.bytesAsked } }
    /// The sizes that were asked about once the device was known.
    var bytesAskedOfDevices: [Int] { state.withLock { $0.bytesAskedOfDevices } }
    var heldBatches: [ScannedBatch] { state.withLock { $0.held.map(\.batch) } }
    var heldCount: Int { state.withLock { $0.held.count } }

    func takeHeld() -> [Offered] {
        state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
    }

    /// Commits everything held.
    func commitHeld() {
        Self.deliver(takeHeld()) { Self.commit($0) }
    }

    func finishHeld(_ outcome: BatchOutcome) {
        Self.deliver(takeHeld()) {
            BatchOutcome.Acknowledgement(ticket: $0.ticket, outcome: outcome)
        }
    }

    var heldUnits: [WorkUnit] { state.withLock { $0.heldUnits.map(\.unit) } }

    /// Answers the first `count` held units, or all.
    func finishHeldUnits(_ outcome: UnitOutcome, count: Int = .max) {
        let finished = state.withLock { state in
            let finished = Array(state.heldUnits.prefix(count))
            state.heldUnits.removeFirst(finished.count)
            return finished
        }
        Self.deliver(finished, outcome)
    }

    private static func deliver(_ units: [OfferedUnit], _ outcome: UnitOutcome) {
        var rest = units
        while let first = rest.first {
            let same = rest.filter { $0.target === first.target }
            rest.removeAll { $0.target === first.target }
            first.target.deliver(
                same.map {
                    UnitOutcome.Acknowledgement(ticket: $0.ticket, outcome: outcome)
                })
        }
    }

    /// Makes one delivery for each target.
    private static func deliver(
        _ offered: [Offered], _ acknowledgement: (Offered) -> BatchOutcome.Acknowledgement
    ) {
        var rest = offered
        while let first = rest.first {
            let same = rest.filter { $0.target === first.target }
            rest.removeAll { $0.target === first.target }
            first.target.deliver(same.map(acknowledgement))
        }
    }

    static func commit(_ offered: Offered) -> BatchOutcome.Acknowledgement {
        BatchOutcome.Acknowledgement(
            ticket: offered.ticket,
            outcome: .committed(
                stored: offered.batch.received - offered.batch.quarantined, duplicates: 0,
                quarantined: offered.batch.quarantined))
    }
}

/// Knows one key for `/ingest`, one for other routes, and one that was revoked.
struct FakeKeys: KeyAuthority {
    static let good = "the-good-key"
    static let account = KeyLimits(KeyID(name: "good", id: 7))

    func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits? {
        presented == Self.good && scope == .ingest ? Self.account : nil
    }

    func isInForce(_ presented: String) -> Bool { presented == Self.good || presented == "app-key" }

    func id(of presented: String) -> KeyID? {
        ["app-key": KeyID(name: "app", id: 8), "old-key": KeyID(name: "old", id: 9)][presented]
    }
}
