/// What a kind of readings consists of. The scanner's rules, columns of tuples, statements, the
/// text form, days, export, erasure and retention follow from it.
///
/// A tuple has `device_key`, `t` and then these fields, as columns of the table and keys of the
/// wire format alike. `device_state` has the columns `…_until`, `…_before` and `…_late_by_us` for
/// it.
public struct ReadingSchema: Sendable {
    /// See ``ReadingKind/name``.
    public let name: String
    /// In the order of the tuple, in which faults are checked as well.
    public let fields: [ReadingField]
    /// The columns of a tuple, in order, as SQL. They are named wherever tuples are written or
    /// read, so that a binary ignores columns that a later schema adds.
    public let columns: [String]
    /// Its readings are summed by hour, in a table of their own.
    public let hasRollup: Bool

    init(_ name: String, hasRollup: Bool = false, _ fields: ReadingField...) {
        self.name = name
        self.fields = fields
        columns = ["device_key", "t"] + fields.map(\.quotedName)
        self.hasRollup = hasRollup
        for field in fields { for fault in field.faults { _ = field.reason(fault) } }
    }

    static let gps = ReadingSchema(
        "gps", hasRollup: true,
        ReadingField("lat", .number(-90...90), column: "latitude"),
        ReadingField("lon", .number(-180...180), column: "longitude"),
        ReadingField("acc", .amount, isOptional: true, column: "accuracy_m"))

    static let vital = ReadingSchema(
        "vital", hasRollup: true,
        ReadingField("code", .integer),
        ReadingField("val", .measure, column: "value"))

    static let event = ReadingSchema(
        "event",
        ReadingField("label", .text(bytesMax: { $0.labelBytesMax }, mayBeEmpty: false)),
        ReadingField(
            "val_text", .text(bytesMax: { $0.valueTextBytesMax }, mayBeEmpty: true),
            isOptional: true, column: "value"),
        ReadingField("metadata", .object, isOptional: true))
}
