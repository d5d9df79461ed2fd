import Encodings
import Foundation
import Postgres
public import Readings

/// A row of `sluice.unit_set_aside`.
public struct RejectedUnit: Sendable, Equatable {
    /// The name of the kind.
    public let kind: String
    /// SHA-256 of ``payload``.
    let digest: [UInt8]
    /// JSON, as the kind's statement takes it.
    public let payload: [UInt8]
    /// Why it was rejected.
    public let reason: String
    /// The SQLSTATE of the database's refusal; nil: the database was not asked.
    public let sqlState: String?
    /// When it was accepted.
    public let receivedAt: Timestamp

    /// The id for operators: the first twelve hexadecimal digits of the digest.
    public var id: String { Hexadecimal.text(digest.prefix(6)) }

    /// The user of the unit, which orders the lanes' writes. The payload of every kind has it.
    var owner: String {
        let object = try? JSONSerialization.jsonObject(with: Data(payload))
        return (object as? [String: Any])?["user"] as? String ?? id
    }
}
