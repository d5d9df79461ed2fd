import Readings

/// A number as it is written and as it is stored.
enum SimulatedNumber {
    /// `units` × 10^-`places`. Its text is made from integers. Both integers are exact doubles, so
    /// their quotient is the correctly rounded value of that text.
    case fixed(units: Int64, places: Int)
    /// Written as the shortest text that parses to the same bits, up to 17 digits.
    case exact(Double)

    var value: Double {
        switch self {
        case .fixed(let units, let places):
            Double(units) / [1, 10, 100, 1000, 10_000, 100_000][places]
        case .exact(let value): value
        }
    }
}

/// One reading of one device: its content, and how it is spelled.
struct SimulatedReading {
    enum Content {
        case gps(latitude: SimulatedNumber, longitude: SimulatedNumber, accuracy: Accuracy)
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
