/// What a kind of readings consists of. The scanner's rules, columns of tuples, statements, the
/// text form, days, export, erasure and retention follow from it.
///
/// A tuple has `device_key`, `t` and then the columns of these fields, which are keys of the wire
/// format. `device_state` has the columns `…_until`, `…_before` and `…_late_by_us` for
/// it.
public struct ReadingSchema: Sendable {
    /// See ``ReadingKind/name``.
    public let name: String
    /// In the order of the tuple, in which faults are checked as well.
    public let fields: [ReadingField]
    /// The columns of the fields, in the order of the tuple.
    public let fieldColumns: [ReadingColumn]
    /// The columns of a tuple, in order, as SQL. They are named wherever tuples are written or
    /// read, so that a binary ignores columns that a later schema adds.
    public let columns: [String]
    /// Its readings are summed by hour, in a table of their own.
    public let hasRollup: Bool

    init(_ name: String, hasRollup: Bool = false, _ fields: ReadingField...) {
        self.name = name
        self.fields = fields
        fieldColumns = ReadingColumn.all(of: fields)
        columns = ["device_key", "t"] + fieldColumns.map(\.quotedName)
        self.hasRollup = hasRollup
        for field in fields { for fault in field.faults { _ = field.reason(fault) } }
    }

    static let gps = ReadingSchema(
        "gps", hasRollup: true,
        ReadingField("lat", .number(-90...90), column: "latitude"),
        ReadingField("lon", .number(-180...180), column: "longitude"),
        ReadingField("acc", .amount, isOptional: true, column: "accuracy_m"),
        ReadingField("alt", .finite, isOptional: true, column: "altitude_m"),
        ReadingField("vacc", .amount, isOptional: true, column: "vertical_accuracy_m"),
        ReadingField(
            "speed", .share(bits: 33, max: 8589), isOptional: true,
            column: "speed_m_per_s", shared: "motion"),
        ReadingField(
            "course", .share(bits: 30, max: 1000), isOptional: true, column: "course_degrees",
            shared: "motion"))

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
