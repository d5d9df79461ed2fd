import Readings
public import Postgres

/// One partition of readings, and the form that it has.
public struct DayForm: Sendable, Equatable {
    /// How its readings are stored. The raw values are for people and for JSON.
    public enum Form: String, Sendable, CaseIterable {
        /// A row for each reading.
        case live
        /// Live; its readings are being packed.
        case sealing
        /// Packed.
        case sealed
        /// Packed; its readings are being unpacked.
        case unsealing
        /// On its way out of the tables, into a file.
        case leaving
        /// In a file.
        case archived
        /// Neither in the tables nor in a file.
        case dropped
    }

    /// The table and the first day.
    public let partition: DayPartition
    /// Where its readings are.
    public let form: Form
    /// Of a live day an estimate; of a sealed day when it was sealed; nil: unknown.
    public let readings: Int?
    /// Of tables and indexes, or of the file.
    public let bytes: Int?

    /// The first packed row that is not what was written, by its device and first time; nil: none.
    ///
    /// Reads the whole day, which must be sealed.
    public func damage(on connection: Connection) throws(PostgresError) -> String? {
        let rows = try connection.query(
            "SELECT sluice.damaged_row($1, $2)", ArchiveCatalog.key(of: partition))
        return rows.isNull(0, 0) ? nil : rows.string(0, 0)
    }
}

extension DayForm {
    /// Smaller days stay live. Tables of their own take some 64 KiB for a packed day of one device,
    /// which was 24 KiB before.
    public static let liveBytesMin = 256 << 10

    /// Bytes for each reading; nil if either is unknown or there are none.
    public var bytesPerReading: Double? {
        guard let readings, let bytes, readings > 0 else { return nil }
        return Double(bytes) / Double(readings)
    }

    /// The partitions of readings, in the tables or archived, oldest first.
    ///
    /// - Parameter selection: which days and tables; sums are not listed.
    public static func all(
        _ selection: ArchiveSelection = ArchiveSelection(), on connection: Connection
    ) throws(PostgresError) -> [DayForm] {
        let rows = try connection.query(
            """
            SELECT p.relname::text, to_date(right(c.relname, 8), 'YYYYMMDD') - date '2000-01-01',
                CASE WHEN c.relname LIKE 'leaving%' THEN 'leaving'
                    ELSE coalesce(s.state, 'live') END,
                CASE WHEN s.state IN ('sealed', 'unsealing') THEN s.readings
                    ELSE greatest(c.reltuples, pg_stat_get_live_tuples(c.oid))::bigint END,
                pg_total_relation_size(CASE WHEN s.state IN ('sealed', 'unsealing')
                    THEN to_regclass(sluice.sealed_name('packed', s.kind, s.day)) ELSE c.oid END),
                sluice.partition_days()
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
            JOIN pg_class p ON p.oid = i.inhparent
            LEFT JOIN sluice.sealed_day s
                ON s.kind = p.relname AND s.day = to_date(right(c.relname, 8), 'YYYYMMDD')
            WHERE p.relnamespace = 'sluice'::regnamespace
                AND p.relname IN (\(ReadingKind.allCases.map { "'\($0.name)'" }.joined(separator: ", ")))
                AND c.relname ~ '_[0-9]{8}$'
            """)
        var days = (0..<rows.count).compactMap { row -> DayForm? in
            guard let kind = DayTable(rawValue: rows.string(row, 0)),
                let form = Form(rawValue: rows.string(row, 2))
            else { return nil }
            let partition = DayPartition(kind, Day(number: rows.int32(row, 1)))
            let last = Day(number: rows.int32(row, 1) + rows.int32(row, 5) - 1)
            guard selection.contains(partition, last: last) else { return nil }
            return DayForm(
                partition: partition, form: form, readings: Int(rows.int64(row, 3)),
                bytes: rows.isNull(row, 4) ? nil : Int(rows.int64(row, 4)))
        }
        let present = Set(days.map(\.partition))
        for part in try ArchiveCatalog.parts(
            selection, states: [.leaving, .detached, .gone], on: connection)
        where !part.partition.kind.isRollup && !present.contains(part.partition) {
            days.append(
                DayForm(
                    partition: part.partition,
                    form: part.state != .gone ? .leaving : part.file == nil ? .dropped : .archived,
                    readings: part.rows, bytes: part.bytes))
        }
        return days.sorted { $0.partition < $1.partition }
    }
}
