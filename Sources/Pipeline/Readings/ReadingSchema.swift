/// The vocabulary of telemetry: what a reading is, whose it is, when it is valid, and why one is
/// quarantined. Values only, no I/O; every other module uses these terms.
///
/// A *batch* is one request body: an envelope (`metadata`) and its *readings* (`data`).
/// A reading is of one kind and belongs to one device. Its identity is its device, kind, time and
/// values, which is exactly the bytes of its COPY BINARY tuple: two readings are the same when those
/// bytes are.
///
/// To add a kind: a case of ``ReadingKind``, its ``ReadingSchema``, its reasons in
/// ``QuarantineReason``, a migration and its part of the OpenAPI document. All else follows from the
/// schema. The compiler asks for the first two; tests compare the others with the schema.

/// The kind of a reading, one table each.
public enum ReadingKind: UInt8, CaseIterable, Sendable, Codable {
    case gps = 0
    case vital = 1
    case event = 2

    /// Its fields and their rules.
    public var schema: ReadingSchema {
        switch self {
        case .gps: .gps
        case .vital: .vital
        case .event: .event
        }
    }

    /// The name in the `type` field of the wire format, and of the table.
    public var name: String { schema.name }
}

/// A value for each kind of readings, in place.
@frozen
public struct ByKind<Element: ~Copyable>: ~Copyable {
    // If the kind is known, these cost least.
    /// The value for positions.
    public var gps: Element
    /// The value for measurements.
    public var vital: Element
    /// The value for events.
    public var event: Element

    /// - Parameter make: called once for each kind.
    @inlinable
    public init(_ make: (ReadingKind) -> Element) {
        gps = make(.gps)
        vital = make(.vital)
        event = make(.event)
    }

    /// The value of that kind.
    @inlinable @inline(__always)
    public subscript(kind: ReadingKind) -> Element {
        _read {
            switch kind {
            case .gps: yield gps
            case .vital: yield vital
            case .event: yield event
            }
        }
        _modify {
            switch kind {
            case .gps: yield &gps
            case .vital: yield &vital
            case .event: yield &event
            }
        }
    }
}

extension ByKind: Copyable where Element: Copyable {
    /// The same for all kinds.
    @inlinable
    public init(repeating element: Element) { self.init { _ in element } }
}

extension ByKind: Sendable where Element: Sendable & ~Copyable {}

/// What a kind of readings consists of. The scanner's rules, columns of tuples, statements, the
/// text form, days, export, erasure and retention follow from it.
///
/// A tuple has `device_key`, `t` and then these fields, as columns of the table and keys of the wire
/// format alike. `device_state` has the columns `…_until`, `…_before` and `…_late_by_us` for it.
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

/// A value of a reading: a key of the wire format, and the column of that name.
public struct ReadingField: Sendable {
    /// What a value may be, and the type of its column.
    public enum Rule: Sendable {
        /// `float8` in a range; a subnormal one counts as 0.
        case number(ClosedRange<Double>)
        /// `float8`: 0, or of a magnitude in ``ReadingField/magnitudes``.
        case measure
        /// `float8`, and finite. A negative one means unknown and is stored as NULL.
        case amount
        /// `int2`.
        case integer
        /// `text` of at most `bytesMax` bytes, without NUL.
        case text(bytesMax: @Sendable (ReadingLimits) -> Int, mayBeEmpty: Bool)
        /// `jsonb`, an object.
        case object
        /// `timestamptz`.
        case time
    }

    /// What can be wrong with a value, as the end of a reason's name.
    public enum Fault: String, Error {
        case missing, invalid
        case outOfRange = "out_of_range"
        case tooLong = "too_long"
        case containsNul = "contains_nul"
        case numberOutOfRange = "number_out_of_range"
    }

    /// Key and column.
    public let name: String
    /// What a value may be.
    public let rule: Rule
    /// It may be absent or null.
    public let isOptional: Bool
    /// The column of the view in `analytics`.
    public let viewColumn: String

    init(_ name: String, _ rule: Rule, isOptional: Bool = false, column: String? = nil) {
        self.name = name
        self.rule = rule
        self.isOptional = isOptional
        viewColumn = column ?? name
    }

    /// Of a measurement other than 0: sums, squares and means of any number of them are doubles.
    public static let magnitudes = 1e-100...1e100

    /// The column as SQL, where a key may be a reserved word.
    public var quotedName: String { "\"\(name)\"" }

    /// Everything that can be wrong with it, in the order in which it is checked.
    public var faults: [Fault] {
        let ofValue: [Fault] =
            switch rule {
            case .number, .measure, .amount, .integer: [.invalid, .outOfRange]
            case .text: [.invalid, .tooLong, .containsNul]
            case .object: [.invalid, .tooLong, .containsNul, .numberOutOfRange]
            case .time: [.invalid]
            }
        return (isOptional ? [] : [.missing]) + ofValue
    }

    /// The reason for which a reading with that fault is quarantined.
    public func reason(_ fault: Fault) -> QuarantineReason {
        guard let reason = QuarantineReason(rawValue: "\(name)_\(fault.rawValue)") else {
            preconditionFailure("BUG: no reason for \(name), \(fault)")
        }
        return reason
    }
}

/// A table partitioned by day: a kind's readings, or their sums.
public struct DayTable: Hashable, Comparable, Sendable, CaseIterable {
    /// The kind of the readings.
    public let kind: ReadingKind
    /// Sums, not what devices sent.
    public let isRollup: Bool

    /// The table of the readings themselves.
    public init(_ kind: ReadingKind) { self.init(kind, isRollup: false) }

    private init(_ kind: ReadingKind, isRollup: Bool) {
        self.kind = kind
        self.isRollup = isRollup
    }

    /// Readings first.
    public static let allCases: [DayTable] =
        ReadingKind.allCases.map { DayTable($0) }
        + ReadingKind.allCases.filter(\.schema.hasRollup).map { DayTable($0, isRollup: true) }

    /// In the schema `sluice`.
    public var name: String { isRollup ? "\(kind.name)_rollup" : kind.name }

    /// The column by which the table is partitioned.
    public var timeColumn: String { isRollup ? "hour" : "t" }

    /// The beginning of the comment on a day's copy that `sluice archive restore --into` made in
    /// another schema; an erasure finds it by that.
    public static let copyMark = "Copy by sluice archive restore:"

    /// In the order of ``allCases``.
    public static func < (left: Self, right: Self) -> Bool {
        (left.isRollup ? 1 : 0, left.kind.rawValue) < (right.isRollup ? 1 : 0, right.kind.rawValue)
    }
}

/// By name, as in files and on the command line.
extension DayTable: RawRepresentable, Codable {
    /// Nil unless it is the ``name`` of a table.
    public init?(rawValue: String) {
        guard let table = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
        self = table
    }

    /// See ``name``.
    public var rawValue: String { name }
}
