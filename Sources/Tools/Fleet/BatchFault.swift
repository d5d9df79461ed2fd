/// The faults of a whole batch; no part of it may be stored.
public enum BatchFault: Int, CaseIterable, Sendable {
    case notJSON, cutShort, badUTF8, trailingComma
    case deviceIDAbsent, dataObject, elementNumber

    /// The expected HTTP status.
    public var status: Int {
        switch self {
        case .notJSON, .cutShort, .badUTF8, .trailingComma: 400
        case .deviceIDAbsent, .dataObject, .elementNumber: 422
        }
    }
}
