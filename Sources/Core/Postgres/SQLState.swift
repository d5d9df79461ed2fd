/// The five characters with which PostgreSQL names a failure; the first two are its class.
///
/// - Source: PostgreSQL manual, appendix A "PostgreSQL Error Codes".
public struct SQLState: Hashable, Sendable {
    /// The characters in the low five bytes, the first in the highest of them.
    private let packed: UInt64

    /// - Returns: nil unless `text` is five characters of `0-9A-Z`.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 5 else { return nil }
        var packed: UInt64 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                packed = packed << 8 | UInt64(byte)
            default:
                return nil
            }
        }
        self.packed = packed
    }

    /// The first two characters.
    public var classCode: String { String(description.prefix(2)) }

    /// The server refused to continue a transaction that has failed.
    public static let inFailedTransaction: SQLState = "25P02"
    /// A column that must have a value has none.
    public static let notNullViolation: SQLState = "23502"
    /// A deadlock, which PostgreSQL ended by rolling this transaction back.
    public static let deadlock: SQLState = "40P01"
    /// What a transaction relied on has changed: it can be run again at once.
    public static let serializationFailure: SQLState = "40001"
    /// A lock was not free within `lock_timeout`.
    public static let lockNotAvailable: SQLState = "55P03"
    /// A CHECK constraint is violated, or a row has no partition.
    public static let checkViolation: SQLState = "23514"
}

extension SQLState: CustomStringConvertible {
    /// The five characters.
    public var description: String {
        let characters = (0..<5).map { UInt8(truncatingIfNeeded: packed >> (32 - 8 * $0)) }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension SQLState: ExpressibleByStringLiteral {
    /// For codes known when the program is written; a malformed one traps.
    public init(stringLiteral text: String) {
        guard let state = SQLState(text) else { preconditionFailure("BUG: SQLSTATE \(text)") }
        self = state
    }
}
