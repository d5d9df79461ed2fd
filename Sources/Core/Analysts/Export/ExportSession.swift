import Postgres
import Readings

/// The database side of an export: one connection and the queries that both kinds of export use.
struct ExportSession {
    let connection: Connection
    let stop: ExportStop

    /// Configures the session so that texts do not depend on the role's settings.
    init(_ connection: Connection, _ stop: ExportStop) throws(ExportFault) {
        self.connection = connection
        self.stop = stop
        let found = try query("SELECT to_regclass('analytics.stored_day') IS NOT NULL")
        guard found.bool(0, 0) else { throw .schemaOlder }
        do throws(PostgresError) {
            connection.deadline = .now + Export.statementLimit
            try connection.execute(
                """
                SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601';
                SET extra_float_digits = 1; SET standard_conforming_strings = on;
                SET statement_timeout = 0
                """)
        } catch {
            throw .database(error)
        }
    }

    func query(
        _ sql: String, _ parameters: Parameters = Parameters()
    ) throws(ExportFault) -> Rows {
        connection.deadline = .now + Export.statementLimit
        let connection = connection
        return try stop.guarding(connection.canceller) { () throws(ExportFault) in
            do throws(PostgresError) {
                return try connection.query(sql, parameters)
            } catch {
                throw stop.isAsked ? .interrupted : .database(error)
            }
        }
    }

    /// Runs a COPY … TO STDOUT. If `body` throws, the statement is cancelled and the data that
    /// still arrives is dropped.
    func copy(
        _ sql: String, _ body: (UnsafeRawBufferPointer) throws(ExportFault) -> Void
    ) throws(ExportFault) {
        connection.deadline = .now + Export.statementLimit
        let connection = connection
        try stop.guarding(connection.canceller) { () throws(ExportFault) in
            var failure: ExportFault?
            do throws(PostgresError) {
                try connection.copyOut(sql) { piece in
                    guard failure == nil else { return }
                    do throws(ExportFault) {
                        try body(piece)
                    } catch {
                        failure = error
                        connection.canceller.cancel()
                    }
                }
            } catch {
                throw failure ?? (stop.isAsked ? .interrupted : .database(error))
            }
            if let failure { throw failure }
        }
    }

    /// The days of a kind that are in the tables and that the scope touches, in order.
    func days(of kind: ReadingKind, in scope: ExportScope) throws(ExportFault) -> [Int32] {
        var parameters = Parameters()
        parameters.append(text: kind.name)
        let rows = try query(
            "SELECT day - date '2000-01-01' FROM analytics.stored_day WHERE kind = $1 ORDER BY 1",
            parameters)
        return (0..<rows.count).map { rows.int32($0, 0) }.filter { scope.touches(day: $0) }
    }

    /// Throws for an unknown device or user: a typing error is more likely than a wish for an empty
    /// file.
    func demandKnown(_ scope: ExportScope) throws(ExportFault) {
        guard scope.namesDevices else { return }
        var parameters = Parameters()
        parameters.append(texts: scope.devices.lazy.map { $0 })
        // A device id whose key clashes with another device's is only in the quarantine.
        let rows = try query(
            """
            SELECT n.name FROM unnest($1::text[]) n (name)
            WHERE n.name NOT IN (
                SELECT device_id FROM analytics.device WHERE device_id = ANY ($1)
                UNION ALL
                SELECT device_id FROM analytics.quarantine WHERE device_id = ANY ($1))
            """, parameters)
        let devices = (0..<rows.count).map { rows.string($0, 0) }
        let users = try unknownUsers(of: scope.users)
        guard devices.isEmpty, users.isEmpty else {
            throw .unknown(devices: devices, users: users)
        }
        if !scope.devices.isEmpty, try self.devices(in: scope).isEmpty { throw .noneOfUsers }
    }

    /// Those of whom no view has anything. Most users have a device, so the other views are asked only
    /// for the rest, one view after the other.
    private func unknownUsers(of names: [String]) throws(ExportFault) -> [String] {
        var left = names
        let views = ["device"] + ExportTable.allCases.filter { $0.owner == .user }.map(\.rawValue)
        for view in views where !left.isEmpty {
            var parameters = Parameters()
            parameters.append(texts: left.lazy.map { $0 })
            let rows = try query(
                """
                SELECT n.name FROM unnest($1::text[]) n (name)
                CROSS JOIN LATERAL (
                    SELECT FROM analytics.\(view) v WHERE v.user_id = n.name LIMIT 1) v
                """, parameters)
            let known = Set((0..<rows.count).map { rows.string($0, 0) })
            left.removeAll { known.contains($0) }
        }
        return left
    }

    /// The devices that the scope names; the devices of its users are looked up.
    func devices(in scope: ExportScope) throws(ExportFault) -> [String] {
        guard !scope.users.isEmpty else { return scope.devices }
        var parameters = Parameters()
        parameters.append(texts: scope.users.lazy.map { $0 })
        let rows = try query(
            "SELECT DISTINCT device_id FROM analytics.device WHERE user_id = ANY ($1)", parameters)
        let ofUsers = (0..<rows.count).map { rows.string($0, 0) }
        return scope.devices.isEmpty
            ? ofUsers : Array(Set(ofUsers).intersection(scope.devices))
    }
}

extension String {
    /// An SQL literal, for statements that take no parameters. The text must not contain U+0000; no
    /// stored text does.
    var sqlLiteral: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
