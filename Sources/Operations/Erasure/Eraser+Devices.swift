import Postgres
import Readings
import Schema

/// Devices and the rows that are found by their keys.
extension Eraser {
    /// A table that holds one day of one kind.
    struct Day {
        /// With the schema's name, quoted.
        let table: String
        /// The table whose partition it is or was.
        let parent: String
        let timeColumn: String
        /// Made by `sluice archive restore --into`, in a schema of the operator's choice.
        var isCopy = false

        /// Whether `device_state.readings` counts its rows.
        var isCounted: Bool {
            !isCopy && ReadingKind.allCases.contains { "sluice." + $0.name == parent }
        }
    }

    /// How often one chunk of devices is processed while new readings keep arriving.
    private static let roundsMax = 10

    /// The devices whose last batch named the user.
    func devices() throws(PostgresError) -> [UserDevice] {
        startStatement()
        let rows = try connection.query(
            "select device_key, device_id from sluice.device where user_id = $1 order by 1",
            userParameter)
        return (0..<rows.count).map { UserDevice(key: rows.int64($0, 0), id: rows.string($0, 1)) }
    }

    /// All day tables, including detached days that still exist, and copies of archived days.
    private func days() throws(PostgresError) -> [Day] {
        startStatement()
        let rows = try connection.query(
            """
            select format('%I.%I', n.nspname, c.relname),
                regexp_replace(c.relname, '^leaving_\\d+_|_\\d{8}.*$', '', 'g'),
                (select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attname in ('t', 'hour', 'minute') and not a.attisdropped),
                n.nspname <> 'sluice_partitions'
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind = 'r' and (n.nspname = 'sluice_partitions'
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
                    timeColumn: rows.string(row, 2), isCopy: rows.bool(row, 3))
        }
    }

    /// Counts the rows of a chunk of devices, for a dry run.
    mutating func count(_ table: Schema.Table, of devices: ArraySlice<UserDevice>) throws {
        let (name, keys) = (table.qualifiedName, Self.keys(devices))
        switch table.owner {
        case .day:
            for day in try days() where day.parent == name {
                startStatement()
                try count(
                    day.table, where: "r.device_key = any ($1)", keys,
                    as: day.isCopy ? day.table : name)
            }
        case .quarantined:
            try count(name, where: Self.quarantineCondition, Self.keysAndPattern(devices))
        case .device: try count(name, where: "r.device_key = any ($1)", keys)
        default: preconditionFailure("BUG: \(name) is not known by devices")
        }
    }

    mutating func removeDevices(_ removeArchived: ArchiveRemoval) throws {
        for chunk in try devices().chunks(of: limits.deviceBatch) {
            let archived = try removeArchived(Set(chunk.map(\.key)))
            report.archives.filesRewritten += archived.filesRewritten
            report.archives.rowsRemoved += archived.rowsRemoved
            report.archives.failures += archived.failures
            var (round, isGone) = (0, false)
            let before = report.failures.count
            while !isGone, round < Self.roundsMax {
                round += 1
                let left = try removeDays(of: chunk)
                for table in Schema.tables where table.owner == .quarantined {
                    try attempt(table.qualifiedName) { eraser in
                        try eraser.remove(
                            table, where: Self.quarantineCondition, Self.keysAndPattern(chunk))
                    }
                }
                report.archives.failures += left
                // The devices stay registered, so that the next run finds the remaining rows.
                if !archived.failures.isEmpty || !left.isEmpty || report.failures.count > before {
                    break
                }
                isGone = try removeRegistrations(of: chunk)
            }
        }
    }

    /// - Returns: the copies that may still hold rows, and why.
    private mutating func removeDays(
        of devices: ArraySlice<UserDevice>
    ) throws -> [String] {
        var left: [String] = []
        for day in try days() {
            progress(day.table)
            do {
                try removeDay(day, of: devices)
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
        return left
    }

    /// Removes a device's rows in ranges of time, which works for distributed tables too.
    private mutating func removeDay(
        _ day: Day, of devices: ArraySlice<UserDevice>
    ) throws {
        startStatement()
        let found = try connection.query(
            """
            select device_key, count(*) from \(day.table)
            where device_key = any ($1) group by 1 order by 1
            """, Self.keys(devices))
        for row in 0..<found.count {
            let key = found.int64(row, 0)
            if found.int64(row, 1) <= limits.batchRows {
                try removeRows(day, of: key)
            } else {
                // In ascending order, so that no step scans rows that earlier steps removed.
                var start: Int64?
                while let end = try batchEnd(day, of: key, after: start) {
                    try removeRows(day, of: key, in: (start ?? Int64.min, end))
                    start = end
                }
                try removeRows(day, of: key)
            }
            touchedDays.insert(day.table)
        }
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

    /// Removes rows and reduces the device's count of readings in one transaction, so the count is
    /// right whenever a run ends. These are two statements because on Citus one statement can't
    /// change both tables.
    ///
    /// - Parameter range: start included, end excluded; nil: all remaining rows.
    private mutating func removeRows(
        _ day: Day, of key: Int64, in range: (Int64, Int64)? = nil
    ) throws {
        var parameters = Parameters()
        parameters.append(int8: key)
        var condition = "d.device_key = $1"
        if let (start, end) = range {
            parameters.append(timestamptz: start)
            parameters.append(timestamptz: end)
            condition += " and d.\(day.timeColumn) >= $2 and d.\(day.timeColumn) < $3"
        }
        let removed = try connection.transaction(attempts: Self.attemptsMax) {
            startStatement()
            let rows = try connection.query(
                Self.removal(from: day.table, where: condition), parameters)
            if day.isCounted { try uncount(rows.int64(0, 0), of: key) }
            return rows
        }
        gone(day.isCopy ? day.table : day.parent, removed)
    }

    /// Subtracts removed readings from their device's count.
    private func uncount(_ readings: Int64, of key: Int64) throws(PostgresError) {
        startStatement()
        var parameters = Parameters()
        parameters.append(int8: key)
        parameters.append(int8: readings)
        try connection.query(
            "update sluice.device_state set readings = readings - $2 where device_key = $1",
            parameters)
    }

    /// Removes the devices that have no other rows left. A writer of their readings waits
    /// meanwhile, and then registers them anew. A device that is registered only now is left alone:
    /// its row is not locked.
    ///
    /// - Returns: false if some of the devices have new rows.
    /// - Returns: false when something has come in between, for some of them.
    private mutating func removeRegistrations(
        of devices: ArraySlice<UserDevice>
    ) throws -> Bool {
        startStatement()
        let keys = Self.keys(devices)
        let tables = Schema.tables.filter { $0.owner == .device }.map(\.qualifiedName)
        var busy: Set<Int64> = []
        let counts = try connection.transaction(attempts: Self.attemptsMax) {
            // In key order, as all writers; one by one, because Citus locks rows of one shard only.
            let held = try devices.filter { device in
                try connection.query(
                    """
                    select device_key from sluice.device_state where device_key = any ($1)
                    for update
                    """, Self.keys([device])
                ).count > 0
            }
            busy.removeAll()
            for table in Schema.tables where table.owner == .day || table.owner == .quarantined {
                let rows = try connection.query(
                    """
                    select distinct device_key from \(table.qualifiedName)
                    where device_key = any ($1)
                    """, keys)
                for row in 0..<rows.count { busy.insert(rows.int64(row, 0)) }
            }
            let quiet = Self.keys(held.filter { !busy.contains($0.key) }[...])
            return try tables.map { table in
                try connection.query(
                    Self.removal(from: table, where: "d.device_key = any ($1)"), quiet)
            }
        }
        var removed = 0
        for (table, rows) in zip(tables, counts) { removed = gone(table, rows) }
        report.devices += removed
        return busy.isEmpty
    }

    // MARK: Parameters

    private static let quarantineCondition =
        "(r.device_key = any ($1) or encode(r.body, 'escape') ~* $2)"

    private static func keys(_ devices: ArraySlice<UserDevice>) -> Parameters {
        var parameters = Parameters()
        parameters.append(int8s: devices.map(\.key))
        return parameters
    }

    private static func keysAndPattern(_ devices: ArraySlice<UserDevice>) -> Parameters {
        var parameters = keys(devices)
        parameters.append(text: devices.map(\.pattern).joined(separator: "|"))
        return parameters
    }
}
