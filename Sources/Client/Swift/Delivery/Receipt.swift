import Foundation

/// What became of the readings of a batch, in the server's words.
public struct Receipt: Equatable, Sendable {
    /// Readings that the server took.
    public var records = 0
    /// Stored now.
    public var stored = 0
    /// Stored before.
    public var duplicates = 0
    /// Stored aside with a reason, because each broke a rule.
    public var quarantined = 0
    /// Synced to the server's disk, and in its database later.
    public var spooled = 0

    /// Of no reading.
    public init() {}

    /// Nil unless it is the body of a 200 or 202 of `/ingest`.
    init?(_ body: Data) {
        struct Answer: Decodable {
            let status: String
            let records: Int
            let stored, duplicates, quarantined: Int?
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body),
            ["accepted", "spooled"].contains(answer.status)
        else { return nil }
        records = answer.records
        stored = answer.stored ?? 0
        duplicates = answer.duplicates ?? 0
        quarantined = answer.quarantined ?? 0
        spooled = answer.status == "spooled" ? records - quarantined : 0
    }

    static func += (left: inout Receipt, right: Receipt) {
        left.records += right.records
        left.stored += right.stored
        left.duplicates += right.duplicates
        left.quarantined += right.quarantined
        left.spooled += right.spooled
    }
}
