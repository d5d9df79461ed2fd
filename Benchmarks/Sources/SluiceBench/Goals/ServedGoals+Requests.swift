import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

/// Small bodies: requests a second that are answered after COMMIT.
extension ServedGoals {
    func requestRows() throws -> [GoalOutcome] {
        [
            try discardRow(batch: 3, goal: 0.50), try discardRow(batch: 1, goal: 0.50),
            try insertRow(), try handWrittenRow(),
        ]
    }

    /// Beside a NIO handler that discards the bodies.
    private func discardRow(batch: Int, goal: Double) throws -> GoalOutcome {
        let discard = try DiscardProcess()
        defer { discard.stop() }
        return try requestRow(
            "\(batch)-reading requests/s ÷ NIO discard, 512 conns", batch: batch, connections: 512,
            goal: goal
        ) { fleet, seconds in
            try self.leg(fleet, batch: batch, seconds: seconds, toPort: discard.port) {
                $0.connections = 512
            }.requestsPerSecond
        }
    }

    /// Beside `pgbench`, whose every transaction inserts one row into a table with the columns and
    /// the index of `sluice.vital`.
    private func insertRow() throws -> GoalOutcome {
        try session.execute(
            """
            create table inserted (device_key bigint, t timestamptz, code int2, val float8);
            create index on inserted (device_key, t)
            """)
        defer { try? session.execute("drop table inserted") }
        return try requestRow(
            "3-reading requests/s ÷ pgbench INSERTs, 16 conns", batch: 3, connections: 16,
            goal: 0.40
        ) { _, seconds in
            try self.session.execute("truncate inserted; checkpoint")
            return try PgBench.transactionsPerSecond(
                of: """
                    \\set device random(1, \(Self.devices))
                    insert into inserted values (:device, now(), 1, :device)
                    """, clients: 16, seconds: Int(seconds), database: self.server.database)
        }
    }

    /// Beside a service for the same tables as one would write it by hand.
    private func handWrittenRow() throws -> GoalOutcome {
        // All of its processes run before the warm-up has ended.
        let service = try HandWrittenService(database: server.database, key: server.key)
        defer { service.stop() }
        return try requestRow(
            "3-reading requests/s ÷ Starlette + asyncpg, 16 conns", batch: 3, connections: 16,
            goal: 2.7
        ) { fleet, seconds in
            try self.copy.clear()
            let leg = try self.leg(fleet, batch: 3, seconds: seconds, toPort: service.port) {
                $0.connections = 16
            }
            if let fault = try self.fault(of: leg) { throw ValidationError(fault) }
            return leg.requestsPerSecond
        }
    }

    private func requestRow(
        _ name: String, batch: Int, connections: Int, goal: Double,
        other: (FleetModel, _ seconds: Double) throws -> Double
    ) throws -> GoalOutcome {
        let seconds = isQuick ? 3.0 : 6.0
        var ratios: [Double] = []
        var served: [Double] = []
        var others: [Double] = []
        var void = try warmUp(batch: batch, connections: connections, readings: 20_000 * batch)
        for pair in 0..<pairs where void == nil {
            let fleet = nextFleet()
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] {
                if side == 0 {
                    try copy.clear()
                    let leg = try leg(fleet, batch: batch, seconds: seconds) {
                        $0.connections = connections
                    }
                    void = try void ?? fault(of: leg)
                    served.append(leg.requestsPerSecond)
                } else {
                    do {
                        others.append(try other(fleet, seconds))
                    } catch let failure as ValidationError {
                        void = void ?? failure.message
                    }
                }
            }
            if let one = served.last, let other = others.last { ratios.append(one / other) }
        }
        return GoalOutcome(
            name: name, unit: "×", direction: .atLeast, goal: goal, values: ratios,
            remark: absolute(served, others, "a second"), void: void)
    }
}

/// PostgreSQL's own load generator.
private enum PgBench {
    /// - Parameter database: the connection string.
    static func transactionsPerSecond(
        of script: String, clients: Int, seconds: Int, database: String
    ) throws -> Double {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-\(getpid()).sql")
        try script.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "pgbench", "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=2",
            "--time=\(seconds)", "--file=\(file.path)", database,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst("tps = ".count).prefix { $0 != " " })
        else {
            throw ValidationError("pgbench: \(text.isEmpty ? "not found, or it failed" : text)")
        }
        return rate
    }
}
