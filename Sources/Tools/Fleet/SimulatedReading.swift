import Readings

/// One reading of one device: its content, and how it is spelled.
struct SimulatedReading {
    enum Content {
        /// Details only with mixed spelling.
        case gps(
            latitude: SimulatedNumber, longitude: SimulatedNumber, accuracy: Accuracy,
            details: SimulatedDetails?)
        case vital(code: Int16, value: SimulatedNumber)
        /// Indices into ``Phrases``; nil: NULL.
        case event(label: Int, text: Int?, metadata: Int?)
    }

    enum Accuracy {
        case metres(SimulatedNumber)
        /// The key is absent.
        case absent
        case null
        /// A negative number, which means unknown.
        case unknown
    }

    let sequence: Int
    let time: Timestamp
    let content: Content
    let isFromWatch: Bool
    /// If not nil, this is sent instead of `content`.
    let malformation: Malformation?
    /// Determines the spelling.
    let spellingBits: UInt64

    var kind: ReadingKind {
        switch content {
        case .gps: .gps
        case .vital: .vital
        case .event: .event
        }
    }
}
