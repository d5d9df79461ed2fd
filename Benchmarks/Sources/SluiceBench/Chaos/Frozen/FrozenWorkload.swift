import Fleet
import Load
import Synchronization

/// A fleet that sends without a pause and records nothing, because only memory is measured.
final class FrozenWorkload: Workload, Sendable {
    // Only the generator's thread uses these; `isStopping` is for every thread.
    private nonisolated(unsafe) var itinerary: WorkloadPlan
    private nonisolated(unsafe) var requests: [BatchWindow] = []
    private nonisolated(unsafe) var free: [UInt64] = []
    private let fleet: FleetModel
    private let isStopping = Atomic(false)

    private static let retryNanosecondsMax: UInt64 = 200_000_000

    init(fleet: FleetModel, itinerary: WorkloadPlan) {
        self.fleet = fleet
        self.itinerary = itinerary
    }

    /// Ends the batches; may be called on any thread.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    func next() -> UInt64? {
        guard !isStopping.load(ordering: .relaxed), let window = itinerary.next() else {
            return nil
        }
        if let ticket = free.popLast() {
            requests[Int(ticket)] = window
            return ticket
        }
        requests.append(window)
        return UInt64(requests.count - 1)
    }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        fleet.appendBody(of: requests[Int(ticket)], to: &body)
    }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        if answer.status == 429 || answer.status == 503, !isStopping.load(ordering: .relaxed) {
            return .again(afterNanoseconds: Self.retryNanosecondsMax)
        }
        free.append(ticket)
        return .done
    }

    func lost(_ ticket: UInt64) -> Verdict {
        free.append(ticket)
        return .done
    }
}
