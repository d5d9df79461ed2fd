import Readings

/// What a good reading has and nothing reads.
extension PlainReading {
    /// The fields that readings of a kind don't have, and never do.
    private static let foreign = ByKind<[Int]> { kind in
        let own = Set(Field.ofKinds[kind].joined().map(\.field.place))
        let common = [Field.t, .type, .deviceID, .userID, .metric].map(\.place)
        return Field.keys.indices.filter { !own.contains($0) && !common.contains($0) }
    }

    /// - Parameter isBare: there is no envelope, so a user is read.
    func addIgnored(of reading: GoodReading, isBare: Bool, to ignored: inout IgnoredFields) {
        for place in 0..<min(unknownCount, Self.unknownMax) { ignored.add(unknown[place], window) }
        ignored.add(unnamed: max(0, unknownCount - Self.unknownMax))
        if !isBare, isGiven(.userID) { ignored.add(Field.keys[Field.userID.place]) }
        if reading.metric == nil, isGiven(.metric) { ignored.add(Field.keys[Field.metric.place]) }
        for place in Self.foreign[reading.kind] where isGiven(place) {
            ignored.add(Field.keys[place])
        }
    }

    private func isGiven(_ place: Int) -> Bool { isGiven(Field(place: place)) }
}
