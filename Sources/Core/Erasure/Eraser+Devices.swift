import Postgres
import Readings
import Schema

/// Devices and the rows that are found by their keys.
extension Eraser {
    /// How often one chunk of devices is processed while new readings keep arriving.
    private static let roundsMax = 10

    /// The user's devices: their rows are the user's, and nobody else's.
    func devices() throws(PostgresError) -> [UserDevice] {
        startStatement()
        let rows = try connection.query(
            "select device_key, device_id from sluice.device where user_id = $1 order by 1",
            userParameter)
        return (0..<rows.count).map { UserDevice(key: rows.int64($0, 0), id: rows.string($0, 1)) }
    }

    /// Counts the rows of a chunk of devices, for a dry run.
    mutating func count(_ table: Schema.Table, of devices: ArraySlice<UserDevice>) throws {
        let (name, keys) = (table.qualifiedName, Self.keys(devices))
        switch table.owner {
        case .day:
            for day in try days() where day.parent == name {
                startStatement()
                guard day.place != .unfinished else { continue }
                try count(
                    day.table, where: "r.device_key = any ($1)", keys,
                    as: day.isCopy ? day.table : name, readings: day.readings)
            }
        case .quarantined:
            try count(name, where: Self.quarantineCondition, Self.keysAndPattern(devices))
        case .device: try count(name, where: "r.device_key = any ($1)", keys)
        case .deviceKeys: try count(name, where: "r.keys <@ $1", keys)
        default: preconditionFailure("BUG: \(name) is not known by devices")
        }
    }

    mutating func removeDevices(_ removeArchived: ArchiveRemoval) throws {
        for table in Schema.tables where table.owner == .quarantined {
            try attempt(table.qualifiedName) { eraser in
                try eraser.remove(table, where: "r.user_id = $1", eraser.userParameter)
            }
        }
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
                    report.devicesLeft += chunk.count
                    break
                }
                isGone = try removeRegistrations(of: chunk)
            }
        }
    }

    /// Removes the devices that have no other rows left. A writer of their readings waits
    /// meanwhile, and then registers them anew. A device that is registered only now is left alone:
    /// its row is not locked.
    ///
    /// - Returns: false if some of the devices have new rows.
    private mutating func removeRegistrations(
        of devices: ArraySlice<UserDevice>
    ) throws -> Bool {
        startStatement()
        let keys = Self.keys(devices)
        let tables = Schema.tables.filter { $0.owner == .device }.map(\.qualifiedName)
        var busy: Set<Int64> = []
        let keyTables = Schema.tables.filter { $0.owner == .deviceKeys }.map(\.qualifiedName)
        let counts = try connection.transaction(attempts: Self.attemptsMax) {
            // As a registration, which locks these rows first.
            var all = Set(devices.map(\.key))
            all.formUnion(try lockKeys(of: devices))
            // With the rows of the devices' other users, which are to forget this one.
            let locked = try lockStates(of: all)
            let held = devices.filter { locked.contains($0.key) }
            busy.removeAll()
            for table in Schema.tables where table.owner == .day || table.owner == .quarantined {
                // A quarantined reading of another user has this key if the two keys clash.
                let condition =
                    table.owner == .day ? "" : " and (user_id is null or user_id = $2)"
                var parameters = keys
                if table.owner != .day { parameters.append(text: user) }
                let rows = try connection.query(
                    """
                    select distinct device_key from \(table.qualifiedName)
                    where device_key = any ($1)\(condition)
                    """, parameters)
                for row in 0..<rows.count { busy.insert(rows.int64(row, 0)) }
            }
            let quiet = held.filter { !busy.contains($0.key) }
            let keysGone = try removeKeys(of: quiet)
            return try keysGone
                + tables.map { table in
                    try connection.query(
                        Self.removal(from: table, where: "d.device_key = any ($1)"),
                        Self.keys(quiet[...]))
                }
        }
        var removed = 0
        let names = counts.dropLast(tables.count).flatMap { _ in keyTables } + tables
        for (table, rows) in zip(names, counts) { removed = gone(table, rows) }
        report.devices += removed
        return busy.isEmpty
    }

    /// The device ids with their keys, in the order in which registrations lock their rows.
    private static func ids(_ devices: ArraySlice<UserDevice>) -> [(String, Int64)] {
        Set(devices.map(\.id)).map { ($0, DeviceIDKey(of: $0).value) }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }

    /// - Returns: all keys of the device ids.
    private func lockKeys(of devices: ArraySlice<UserDevice>) throws(PostgresError) -> [Int64] {
        let found = try connection.together { pipeline throws(PostgresError) in
            for (id, idKey) in Self.ids(devices) {
                var parameters = Parameters()
                parameters.append(int8: idKey)
                parameters.append(text: id)
                try pipeline.add(
                    """
                    select keys from sluice.device_keys where device_key = $1 and device_id = $2
                    for update
                    """, parameters)
            }
        }
        return found.flatMap { $0.count == 0 ? [] : $0.int64s(0, 0) }
    }

    /// Locks rows in key order, as all writers; one by one, because Citus locks rows of one shard
    /// only.
    ///
    /// - Returns: those that exist.
    private func lockStates(of keys: Set<Int64>) throws(PostgresError) -> Set<Int64> {
        let found = try connection.together { pipeline throws(PostgresError) in
            for key in keys.sorted() {
                var parameters = Parameters()
                parameters.append(int8: key)
                try pipeline.add(
                    "select device_key from sluice.device_state where device_key = $1 for update",
                    parameters)
            }
        }
        return Set(found.lazy.filter { $0.count > 0 }.map { $0.int64(0, 0) })
    }

    /// Takes the devices' keys out of those of their device ids. The other users' rows forget them
    /// too.
    ///
    /// - Returns: for each device what ``gone(_:_:)`` reads about `device_keys`.
    private func removeKeys(of devices: [UserDevice]) throws(PostgresError) -> [Rows] {
        func parameters(_ device: UserDevice) -> Parameters {
            var parameters = Parameters()
            parameters.append(int8: DeviceIDKey(of: device.id).value)
            parameters.append(text: device.id)
            return parameters
        }
        let left = try connection.together { pipeline throws(PostgresError) in
            for device in devices {
                var withKey = parameters(device)
                withKey.append(int8: device.key)
                try pipeline.add(
                    """
                    update sluice.device_keys set keys = array_remove(keys, $3)
                    where device_key = $1 and device_id = $2
                    returning keys
                    """, withKey)
            }
        }
        var results = try connection.together { pipeline throws(PostgresError) in
            for keys in left where keys.count > 0 {
                let others = Set(keys.int64s(0, 0)).sorted()
                var siblings = Parameters()
                siblings.append(int8s: others)
                try pipeline.add(
                    """
                    update sluice.device_state
                    set family = \(others.count > 1 ? "$1" : "null")
                    where device_key = any ($1)
                    """, siblings)
            }
            for device in devices {
                try pipeline.add(
                    Self.removal(
                        from: "sluice.device_keys",
                        where: "d.device_key = $1 and d.device_id = $2 and d.keys = '{}'"),
                    parameters(device))
            }
        }
        results.removeFirst(results.count - devices.count)
        return results
    }

    // MARK: Parameters

    private static let quarantineCondition = UserRows.quarantined(keys: "$1", pattern: "$2")

    static func keys(_ devices: ArraySlice<UserDevice>) -> Parameters {
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
