import Readings

/// A number as it is written and as it is stored.
enum SimulatedNumber {
    /// `units` × 10^-`places`: its text is made from integers, and since both are exact doubles,
    /// their quotient is the correctly rounded value of that text.
    case fixed(units: Int64, places: Int)
    /// Written in the shortest form that reads back as the same bits, up to 17 digits.
    case exact(Double)

    var value: Double {
        switch self {
        case .fixed(let units, let places):
            Double(units) / [1, 10, 100, 1000, 10_000, 100_000][places]
        case .exact(let value): value
        }
    }
}

/// One reading of one device: what it means, and how it is spelled.
struct SimulatedReading {
    enum Content {
        case gps(latitude: SimulatedNumber, longitude: SimulatedNumber, accuracy: Accuracy)
        case vital(code: Int16, value: SimulatedNumber)
        /// Indices into ``Phrases``; nil is NULL.
        case event(label: Int, text: Int?, metadata: Int?)
    }

    enum Accuracy {
        case metres(SimulatedNumber)
        /// The key is absent.
        case absent
        case null
        /// Negative means unknown.
        case unknown
    }

    let sequence: Int
    let time: Timestamp
    let content: Content
    let isFromWatch: Bool
    /// It is this, and not `content`, that is sent.
    let malformation: Malformation?
    /// Decides everything about the spelling.
    let spellingBits: UInt64

    var kind: ReadingKind {
        switch content {
        case .gps: .gps
        case .vital: .vital
        case .event: .event
        }
    }
}
