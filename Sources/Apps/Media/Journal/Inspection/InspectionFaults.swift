import Glibc
import Inspections
import Synchronization

/// Contents of which no thumbnail could be made, remembered so that later requests don't try again.
struct InspectionFaults {
    private let countMax: Int
    private let age: Duration
    private var faults:
        [MediaDigest: (failure: InspectionFailure, until: ContinuousClock.Instant)] =
            [:]

    /// - Parameter countMax: when this many are remembered, all are forgotten before the next is
    ///   noted.
    init(countMax: Int, age: Duration) {
        self.countMax = countMax
        self.age = age
    }

    func failure(of digest: MediaDigest, at now: ContinuousClock.Instant) -> InspectionFailure? {
        faults[digest].flatMap { $0.until > now ? $0.failure : nil }
    }

    mutating func note(
        _ failure: InspectionFailure, of digest: MediaDigest, at now: ContinuousClock.Instant
    ) {
        guard failure.isOfTheFile else { return }
        if faults.count >= countMax { faults = [:] }
        faults[digest] = (failure, now + age)
    }
}
