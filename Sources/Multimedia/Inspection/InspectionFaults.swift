import MediaStorage

/// Contents of which no thumbnail could be made, so that nobody tries again at every request.
struct InspectionFaults {
    private let countMax: Int
    private let age: Duration
    private var faults:
        [MediaDigest: (failure: InspectionFailure, until: ContinuousClock.Instant)] =
            [:]

    /// - Parameter countMax: with one more, all are forgotten.
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
