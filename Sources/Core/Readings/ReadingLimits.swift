/// What a batch and a reading may be. Every limit is inclusive.
public struct ReadingLimits: Equatable, Sendable {
    /// Characters (Unicode scalars) of a device id; also of a user id.
    public var deviceIDCharactersMax = 128
    /// Characters of `metadata.version` and `metadata.model_name`.
    public var attributeCharactersMax = 256
    /// UTF-8 bytes of an event's `label`, after unescaping.
    public var labelBytesMax = 256
    /// UTF-8 bytes of an event's `val_text`, after unescaping.
    public var valueTextBytesMax = 8 * 1024
    /// Bytes of an event's `metadata` object, as sent.
    public var metadataBytesMax = 16 * 1024
    /// Powers of ten that a number in an event's `metadata` may have: `jsonb` writes numbers out in
    /// full, so the six bytes of `1e9999` would become ten thousand.
    public var metadataExponentMax = 400
    /// Bytes by which all numbers in an event's `metadata` together may grow when written out in
    /// full, so that it never takes much more room than was sent.
    public var metadataGrowthMax = 1024
    /// Bytes of one reading as sent; a larger one is quarantined with this much of it.
    public var readingBytesMax = 128 * 1024
    /// Levels of nested objects and arrays, including the reading; a deeper one is quarantined.
    public var readingDepthMax = 64
    /// Readings of one batch that may be quarantined; a batch with more is refused whole.
    public var quarantinedMax = 10_000
    /// How far ahead of the server's clock a reading may be.
    public var aheadMax: Duration = .seconds(24 * 3600)
    /// How old a reading may be; a broken clock must not create thousands of partitions.
    public var ageMax: Duration = .seconds(731 * 24 * 3600)

    /// The contract's limits.
    public init() {}

    /// The times that are accepted at `now`, whole microseconds.
    public func times(at now: Timestamp) -> ClosedRange<Timestamp> {
        let first = now.microseconds - Int64(ageMax / .microseconds(1))
        let last = now.microseconds + Int64(aheadMax / .microseconds(1))
        return Timestamp(microseconds: first)...Timestamp(microseconds: last)
    }
}
