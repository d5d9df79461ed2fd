import Glibc

/// The counts in a 200 or a 202.
public struct AnswerCounts: Sendable, Equatable {
    /// Readings of the batch.
    public var records = 0
    /// New readings.
    public var stored = 0
    /// Readings that were stored already.
    public var duplicates = 0
    /// Quarantined readings.
    public var quarantined = 0

    /// All 0.
    public init() {}

    /// Reads a 202's `{"status":"spooled","records":N,"quarantined":Q…`, with keys in any order;
    /// nil without `records`, or with counts of stored readings. A missing `quarantined` is 0.
    public init?(spooled answer: UnsafeRawBufferPointer) {
        guard let records = Self.number(after: "\"records\":", in: answer),
            Self.number(after: "\"stored\":", in: answer) == nil,
            Self.number(after: "\"duplicates\":", in: answer) == nil
        else { return nil }
        self.records = records
        quarantined = Self.number(after: "\"quarantined\":", in: answer) ?? 0
    }

    /// Reads `{"status":"accepted","records":N,"stored":S,"duplicates":D,"quarantined":Q…`, with
    /// keys in any order; nil if one is missing.
    public init?(_ answer: UnsafeRawBufferPointer) {
        guard let records = Self.number(after: "\"records\":", in: answer),
            let stored = Self.number(after: "\"stored\":", in: answer),
            let duplicates = Self.number(after: "\"duplicates\":", in: answer),
            let quarantined = Self.number(after: "\"quarantined\":", in: answer)
        else { return nil }
        (self.records, self.stored) = (records, stored)
        (self.duplicates, self.quarantined) = (duplicates, quarantined)
    }

    /// Adds each count.
    public mutating func add(_ other: AnswerCounts) {
        records += other.records
        stored += other.stored
        duplicates += other.duplicates
        quarantined += other.quarantined
    }

    /// The first reason for which a reading was quarantined; nil if the answer names none.
    static func reason(in answer: UnsafeRawBufferPointer) -> String? {
        String(decoding: answer, as: UTF8.self).firstMatch(of: #/"reason":"(\w+)"/#)
            .map { String($0.1) }
    }

    private static func number(after key: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        let length = key.utf8CodeUnitCount
        guard let base = bytes.baseAddress, bytes.count > length else { return nil }
        var start = 0
        while start + length < bytes.count {
            guard
                let quote = memchr(base + start, Int32(UInt8(ascii: "\"")), bytes.count - start)
            else { return nil }
            start = base.distance(to: UnsafeRawPointer(quote))
            guard start + length < bytes.count else { return nil }
            if memcmp(base + start, key.utf8Start, length) == 0 {
                return digits(bytes[(start + length)...])
            }
            start += 1
        }
        return nil
    }

    private static func digits(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var value: Int?
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10, value ?? 0 < 1_000_000_000 else { break }
            value = (value ?? 0) * 10 + Int(digit)
        }
        return value
    }
}
