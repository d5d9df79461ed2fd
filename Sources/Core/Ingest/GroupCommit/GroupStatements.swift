import Postgres
import Readings
import Scanner

/// The statements that name the devices of a group, for its destination.
struct GroupStatements: Sendable {
    let claim: KeptStatement
    let storedRows: ByKind<String>
    let insertRows: ByKind<KeptStatement>
    let updateAttributes: String
    let subtractDuplicates: String
    let noteLateReadings: String
    let lowerWatermarks: String

    static let plain = GroupStatements(StoredRows.statement) { text, _ in text }
    /// On the node that has the shard.
    static let ofShard = GroupStatements(StoredRows.statement, ShardStatements.narrowed)
    /// On the coordinator, which sends them to the shard.
    static let forCoordinator = GroupStatements(
        StoredRows.statementForCoordinator, ShardStatements.narrowed)

    private init(
        _ storedRows: (ReadingKind) -> String,
        _ form: (_ text: String, _ keyColumn: String) -> String
    ) {
        claim = KeptStatement(
            "claim", form(ClaimStatements.claimText, "s.device_key"),
            types: ClaimStatements.claimTypes)
        self.storedRows = ByKind { form(storedRows($0), "r.device_key") }
        insertRows = ByKind(Self.insert)
        updateAttributes = form(ClaimStatements.updateAttributes, "d.device_key")
        subtractDuplicates = form(ClaimStatements.subtractDuplicates, "s.device_key")
        noteLateReadings = form(ClaimStatements.noteLateReadings, "s.device_key")
        lowerWatermarks = form(ClaimStatements.lowerWatermarks, "s.device_key")
    }
}

/// How a group's rows get into their tables.
///
/// A COPY can't be sent together with other statements: libpq waits for the server once for each.
/// INSERTs of arrays can, and need no round trip of their own. Fewer than a hundred rows cost less
/// processor time that way, and more rows up to a fifth more of the server's. So a few rows are
/// always inserted; and if the database is on another machine, as many as cost less than the round
/// trips.
extension GroupStatements {
    /// - Parameter trip: how long a round trip to the database takes; nil: not known.
    /// - Returns: the most bytes of tuples that a group inserts; more are copied.
    static func insertBytesMax(_ trip: Duration?) -> Int {
        (trip ?? .zero) < .microseconds(150) ? 4 * 1024 : 128 * 1024
    }

    /// The types of a tuple's fields, in order.
    static func types(of kind: ReadingKind) -> [(element: OID, array: OID)] {
        [(.int8, .int8Array), (.timestamptz, .timestamptzArray)]
            + kind.schema.fieldColumns.map { type(of: $0.fields[0].rule) }
    }

    private static func type(of rule: ReadingField.Rule) -> (element: OID, array: OID) {
        switch rule {
        case .number, .measure, .amount, .finite: (.float8, .float8Array)
        case .share: (.int8, .int8Array)
        case .integer: (.int2, .int2Array)
        case .text: (.text, .textArray)
        case .object: (.jsonb, .jsonbArray)
        case .time: (.timestamptz, .timestamptzArray)
        }
    }

    /// Its parameters are the columns, as arrays; see ``columns(of:into:)``.
    static func insert(_ kind: ReadingKind) -> KeptStatement {
        let types = types(of: kind)
        let arrays = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return KeptStatement(
            "rows", "INSERT INTO \(target(kind)) SELECT * FROM unnest(\(arrays))",
            types: types.map(\.array))
    }

    /// The rows as one array for each column, for ``insert(_:)``. A field of a tuple and an element
    /// of an array have the same binary form.
    ///
    /// - Complexity: O(bytes × columns).
    static func columns(of rows: GroupChanges.Rows, into parameters: inout Parameters) {
        parameters.removeAll()
        for (column, type) in types(of: rows.kind).enumerated() {
            parameters.append(array: type.array, of: type.element, count: rows.count) { bytes in
                rows.forEachRun { TupleBuffer.append(field: column, of: $0, to: &bytes) }
            }
        }
    }

    /// Takes the tuples themselves.
    static func copy(_ kind: ReadingKind) -> String {
        "COPY \(target(kind)) FROM STDIN (FORMAT binary)"
    }

    private static func target(_ kind: ReadingKind) -> String {
        "sluice.\(kind.name) (\(kind.schema.columns.joined(separator: ", ")))"
    }
}
