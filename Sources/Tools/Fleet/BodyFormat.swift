/// The form in which a fleet posts its readings. All but the first take plain spelling only.
public enum BodyFormat: String, CaseIterable, Sendable {
    /// A batch of `/ingest`.
    case ingest
    /// A reading on each line, for `/ingest`.
    case ndjson
    /// Overland for iOS: positions.
    case overland
    /// OwnTracks in HTTP mode: one position a request.
    case owntracks
    /// OpenTelemetry metrics as JSON: a gauge.
    case otlp

    /// Where the server takes it.
    public var path: String {
        switch self {
        case .ingest, .ndjson: "/ingest"
        case .overland: "/in/overland"
        case .owntracks: "/in/owntracks"
        case .otlp: "/in/otlp/v1/metrics"
        }
    }

    /// The media type of its bodies.
    public var contentType: String {
        self == .ndjson ? "application/x-ndjson" : "application/json"
    }

    /// The name that all its vital readings have in place of their codes; nil: they have codes.
    public var metric: String? { self == .otlp ? "sluice.load" : nil }

    /// Whether an answer says how many readings were stored.
    public var hasCounts: Bool { self == .ingest || self == .ndjson }

    /// The percentages of gps and vital readings, if it has only one kind.
    public var onlyShares: (gps: Int, vital: Int)? {
        switch self {
        case .ingest, .ndjson: nil
        case .overland, .owntracks: (100, 0)
        case .otlp: (0, 100)
        }
    }

    /// The most readings in a request; nil: any number.
    public var readingsMax: Int? { self == .owntracks ? 1 : nil }
}
