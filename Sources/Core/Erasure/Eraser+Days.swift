import Postgres
import Readings
import Schema

/// The tables of days, live, packed and copied, and the rows in them.
extension Eraser {
    /// A table that holds one day of one kind.
    struct Day {
        /// With the schema's name, quoted.
        let table: String
        /// The table whose partition it is or was.
        let parent: String
        let timeColumn: String
        /// Where it is.
        var place = Place.partition
        /// Made by `sluice archive restore --into`, in a schema of the operator's choice.
        var isCopy: Bool { place == .copy }

        /// Where a table is, and what a row of it is.
        enum Place {
            /// A day's partition, attached or not; a row is a reading, or a sum.
            case partition
            /// The packed form of a sealed day; a row is a chunk of readings.
            case packed
            /// A form of a day that is still being made. The day's readings are counted elsewhere.
            case unfinished
            /// A copy of an archived day in another schema.
            case copy
        }

        /// How many readings its rows have, as SQL.
        var readings: String { place == .packed ? "coalesce(sum(readings), 0)" : "count(*)" }

        /// Whether `device_state.readings` counts its rows.
        var isCounted: Bool {
            (place == .partition || place == .packed)
                && ReadingKind.allCases.contains { "sluice." + $0.name == parent }
        }
    }

    /// Rows of some devices in one day table.
    private struct DayPart {
        let day: Day
        var keys: [Int64]
        /// Start included, end excluded; nil: all rows.
        var range: (start: Int64, end: Int64)?

        /// - Returns: for each device its key, how many readings are gone and their bytes.
        var removal: String {
            let time = day.timeColumn
            let condition = range == nil ? "" : " and d.\(time) >= $2 and d.\(time) < $3"
            return """
                with gone as (
                    delete from \(day.table) d where d.device_key = any ($1)\(condition)
                    returning d.*)
                select device_key, (\(day.readings))::bigint,
                    coalesce(sum(pg_column_size(gone.*)), 0)::bigint
                from gone group by 1
                """
        }

        var parameters: Parameters {
            var parameters = Parameters()
            parameters.append(int8s: keys)
            if let range {
                parameters.append(timestamptz: range.start)
                parameters.append(timestamptz: range.end)
            }
            return parameters
        }
    }

    /// All day tables, including detached days that still exist, packed forms of sealed days, forms
    /// that are not complete yet, and copies of archived days.
    func days() throws(PostgresError) -> [Day] {
        startStatement()
        let rows = try connection.query(
            """
            select format('%I.%I', n.nspname, c.relname),
                regexp_replace(
                    c.relname, '^(leaving_\\d+|packed|unsealed)_|_\\d{8}.*$', '', 'g'),
                (select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attname in ('t', 't0', 'hour', 'minute')
                     and not a.attisdropped),
                case when n.nspname = 'sluice_partitions' then 0
                    when n.nspname <> 'sluice_sealed' then 3
                    when exists (select from sluice.sealed_day s
                        where s.state in ('sealed', 'unsealing')
                        and to_regclass(sluice.sealed_name('packed', s.kind, s.day)) = c.oid) then 1
                    else 2 end
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind = 'r' and (n.nspname in ('sluice_partitions', 'sluice_sealed')
                    or obj_description(c.oid, 'pg_class') like '\(DayTable.copyMark)%')
                and exists (select from pg_attribute a where a.attrelid = c.oid
                    and a.attname = 'device_key' and not a.attisdropped)
            order by c.relname
            """)
        return (0..<rows.count).compactMap { row in
            rows.isNull(row, 2)
                ? nil
                : Day(
                    table: rows.string(row, 0), parent: "sluice." + rows.string(row, 1),
                    timeColumn: rows.string(row, 2),
                    place: [.partition, .packed, .unfinished, .copy][Int(rows.int32(row, 3))])
        }
    }

    /// Removes the rows of all days, together those of many devices and days that have few.
    ///
    /// - Returns: the copies that may still hold rows, and why.
    mutating func removeDays(
        of devices: ArraySlice<UserDevice>
    ) throws -> [String] {
        var left: [String] = []
        var parts: [DayPart] = []
        var rows = 0
        let days = try days()
        for (day, counts) in zip(days, try rowCounts(in: days, of: devices)) {
            progress(day.table)
            guard let counts else {
                try removeAlone(day, of: devices, &left)
                continue
            }
            for row in 0..<counts.count {
                let (key, count) = (counts.int64(row, 0), Int(counts.int64(row, 1)))
                guard count <= limits.batchRows else {
                    try attempt(day, &left) { try $0.removeInSteps(day, of: key) }
                    continue
                }
                let isNext = parts.last?.day.table != day.table
                if rows + count > limits.batchRows
                    || isNext && parts.count == Self.daysTogether
                {
                    try removeTogether(parts, of: devices, &left)
                    (parts, rows) = ([], 0)
                }
                rows += count
                if isNext || parts.isEmpty {
                    parts.append(DayPart(day: day, keys: [key]))
                } else {
                    parts[parts.count - 1].keys.append(key)
                }
            }
        }
        try removeTogether(parts, of: devices, &left)
        return left
    }

    /// Removes parts in one transaction; if the database refuses, day by day.
    private mutating func removeTogether(
        _ parts: [DayPart], of devices: ArraySlice<UserDevice>, _ left: inout [String]
    ) throws {
        guard !parts.isEmpty else { return }
        do {
            try removeRows(parts)
        } catch let error as PostgresError where error.kind == .refused && connection.isOpen {
            for part in parts { try removeAlone(part.day, of: devices, &left) }
        }
    }

    /// Removes one day's rows, device by device.
    private mutating func removeAlone(
        _ day: Day, of devices: ArraySlice<UserDevice>, _ left: inout [String]
    ) throws {
        try attempt(day, &left) { eraser in
            eraser.startStatement()
            let counts = try eraser.connection.query(
                Self.rowCounts(in: day), Self.keys(devices))
            for row in 0..<counts.count {
                try eraser.removeInSteps(day, of: counts.int64(row, 0))
            }
        }
    }

    /// Goes on past a day that the database refuses, and notes it.
    private mutating func attempt(
        _ day: Day, _ left: inout [String], _ work: (inout Eraser) throws -> Void
    ) throws {
        do {
            try work(&self)
        } catch let error as PostgresError {
            switch error.sqlState {
            // Detached and dropped meanwhile, so there is nothing to remove.
            case "42P01": try connection.rollback()
            // The copy's owner revoked our rights, or made it read-only.
            case let state? where day.isCopy && error.kind == .refused:
                try connection.rollback()
                left.append("\(day.table): refused with \(state), drop that table")
            case .some where error.kind == .refused:
                try connection.rollback()
                report.failures.append("\(day.table): \(error)")
            default: throw error
            }
        }
    }

    /// How many rows each device has in each day, by one round trip for many days: most days have
    /// none.
    ///
    /// - Returns: nil for days of which one can't be read, for whatever reason.
    private func rowCounts(
        in days: [Day], of devices: ArraySlice<UserDevice>
    ) throws(PostgresError) -> [Rows?] {
        var counts: [Rows?] = []
        for days in days.chunks(of: Self.daysTogether) {
            startStatement()
            do throws(PostgresError) {
                counts += try connection.together { pipeline throws(PostgresError) in
                    for day in days {
                        try pipeline.add(Self.rowCounts(in: day), Self.keys(devices))
                    }
                }
            } catch {
                guard error.kind == .refused, connection.isOpen else { throw error }
                counts += days.map { _ in nil }
            }
        }
        return counts
    }

    /// A transaction has a few locks for each, and a server some thousands for all transactions.
    private static let daysTogether = 100

    private static func rowCounts(in day: Day) -> String {
        """
        select device_key, (\(day.readings))::bigint from \(day.table)
        where device_key = any ($1) group by 1 order by 1
        """
    }

    /// Removes a device's rows in ranges of time, which works for distributed tables too.
    private mutating func removeInSteps(_ day: Day, of key: Int64) throws {
        // In ascending order, so that no step scans rows that earlier steps removed.
        var start: Int64?
        while let end = try batchEnd(day, of: key, after: start) {
            try removeRows([DayPart(day: day, keys: [key], range: (start ?? Int64.min, end))])
            start = end
        }
        try removeRows([DayPart(day: day, keys: [key])])
    }

    /// - Returns: the end of the next batch, excluded; nil if the rest is one batch, or all at one
    ///   time.
    private func batchEnd(
        _ day: Day, of key: Int64, after start: Int64?
    ) throws(PostgresError) -> Int64? {
        startStatement()
        let time = day.timeColumn
        var parameters = Parameters()
        parameters.append(int8: key)
        parameters.append(timestamptz: start)
        let rows = try connection.query(
            """
            select \(time) from \(day.table)
            where device_key = $1 and \(time) > coalesce(
                $2, (select min(\(time)) from \(day.table) where device_key = $1))
            order by 1 offset \(limits.batchRows) limit 1
            """, parameters)
        return rows.count == 0 ? nil : rows.timestamp(0, 0)
    }

    /// Only notes of sealed days are removed. While a day is being sealed or unsealed, a step may write
    /// rows that it read before they were removed here; devices with a note are copied again.
    private static let forgetLate = """
        delete from sluice_sealed.changed c using sluice.sealed_day s
        where c.device_key = any ($1) and s.kind = c.kind and s.day = c.day and s.state = 'sealed'
        """
    private static let noteUnsealing = """
        insert into sluice_sealed.changed (kind, day, device_key)
        select s.kind, s.day, k from sluice.sealed_day s, unnest($1) k where s.state = 'unsealing'
        """

    /// Removes rows and reduces the devices' counts of readings in one transaction, so the counts
    /// are right whenever a run ends. They are changed by other statements because on Citus one
    /// statement can't change both tables.
    ///
    /// - Complexity: four round trips.
    private mutating func removeRows(_ parts: [DayPart]) throws {
        let removed = try connection.transaction(attempts: Self.attemptsMax) {
            startStatement()
            let removed = try connection.together { pipeline throws(PostgresError) in
                for part in parts { try pipeline.add(part.removal, part.parameters) }
            }
            var counts: [Int64: Int64] = [:]
            for (part, rows) in zip(parts, removed) where part.day.isCounted {
                for row in 0..<rows.count {
                    counts[rows.int64(row, 0), default: 0] += rows.int64(row, 1)
                }
            }
            startStatement()
            // In key order, as all writers, and one by one, as in ``removeRegistrations(of:)``.
            try connection.together { pipeline throws(PostgresError) in
                for (key, readings) in counts.sorted(by: { $0.key < $1.key }) {
                    var parameters = Parameters()
                    parameters.append(int8: key)
                    parameters.append(int8: readings)
                    try pipeline.add(
                        """
                        update sluice.device_state set readings = readings - $2
                        where device_key = $1
                        """, parameters)
                }
                for part in parts where part.day.place == .packed {
                    var keys = Parameters()
                    keys.append(int8s: part.keys)
                    try pipeline.add(Self.forgetLate, keys)
                    try pipeline.add(Self.noteUnsealing, keys)
                }
            }
            return removed
        }
        for (part, rows) in zip(parts, removed) {
            touchedDays.insert(part.day.table)
            guard part.day.place != .unfinished else { continue }
            for row in 0..<rows.count {
                gone(
                    part.day.isCopy ? part.day.table : part.day.parent,
                    Int(rows.int64(row, 1)), bytes: Int(rows.int64(row, 2)))
            }
        }
    }
}
