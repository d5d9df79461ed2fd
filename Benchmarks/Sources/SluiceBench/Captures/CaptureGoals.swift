import Foundation
import Load
import Oracle

/// The rows of `captures` that measure WebSockets.
struct CaptureGoals {
    let server: ServerUnderTest
    let sockets: Int
    let outstanding: Int
    let seconds: Double
    let pairs: Int
    let key: String
    let name: String
    /// Whether the server analyses captures while they are counted.
    let analyses: Bool

    /// The number of lanes that Sluice has on this machine.
    private static var lanes: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 2), 8) }

    private func plan(_ sockets: Int) -> SocketPlan {
        var plan = SocketPlan(port: server.port)
        plan.headLines = "Authorization: Bearer \(key)\r\n"
        plan.sockets = sockets
        plan.outstanding = outstanding
        plan.durationNanoseconds = UInt64(seconds * 1e9)
        return plan
    }

    /// The result of one run over WebSockets.
    private struct Leg {
        let report: SocketReport
        let sent: [Int]
        /// The average number of captures that a lane committed together.
        let group: Double
        let fault: String?
    }

    /// Acknowledgements a second ÷ the same commits by libpq in groups of the same size. There is
    /// a row for each way of making the commits.
    func rateRows() throws -> [GoalOutcome] {
        let session = try Session(url: server.database)
        try RawCopy(session: session).wearIn()
        let tables = CaptureTables(session: session)
        let ways = RawCaptures.Way.allCases
        var served: [Double] = []
        var raw = [[Double]](repeating: [], count: ways.count)
        var groups: [Double] = []
        var latencies: [Double] = []
        // One run to warm up, and to learn the size of groups.
        try tables.clear()
        var last = try leg("warm", tables)
        var void = last.fault
        for pair in 0..<pairs where void == nil {
            // Side 0 is Sluice. Each pair begins with another side.
            for turn in 0...ways.count where void == nil {
                let side = (pair + turn) % (ways.count + 1)
                try tables.clear()
                if side == 0 {
                    last = try leg("p\(pair)", tables)
                    void = last.fault
                    served.append(last.report.acknowledgedPerSecond)
                    groups.append(last.group)
                    latencies.append(milliseconds(last.report.latency, at: 99))
                } else {
                    let model = CaptureModel(run: "\(name)r\(pair)")
                    let captures = RawCaptures(
                        database: server.database, connections: Self.lanes,
                        group: max(1, Int(last.group.rounded())), way: ways[side - 1])
                    raw[side - 1].append(try captures.store(model, sent: last.sent))
                    void = try tables.fault(model, sent: last.sent)
                }
            }
        }
        try tables.clear()
        return zip(ways, raw).map { way, raw in
            let remark =
                served.isEmpty || raw.isEmpty
                ? ""
                : "\(Figures.short(Figures.median(served))) against "
                    + "\(Figures.short(Figures.median(raw))) a second, groups of "
                    + "\(Figures.short(Figures.median(groups))), p99 "
                    + "\(Figures.milliseconds(Figures.median(latencies))), "
                    + (analyses ? "analysed meanwhile" : "not analysed")
            let what = way == .statement ? "the same statement" : "INSERTs of the same rows"
            return GoalOutcome(
                name: "captures/s, \(outstanding) under way on each of \(sockets) sockets "
                    + "÷ \(what) by libpq", unit: "×",
                direction: .atLeast, goal: 0.5, values: zip(served, raw).map { $0 / $1 },
                remark: remark, void: void)
        }
    }

    private func leg(_ label: String, _ tables: CaptureTables) throws -> Leg {
        let model = CaptureModel(run: "\(name)\(label)")
        let talk = CaptureTalk(model, sockets: sockets)
        let generator = SocketGenerator(plan: plan(sockets), workload: talk)
        try generator.open()
        let before = groupTotals()
        let report = generator.run()
        let after = groupTotals()
        var fault: String?
        if report.lost > 0 || report.refused > 0 || report.socketsLost > 0 {
            fault =
                "\(report.lost) lost, \(report.refused) refused, \(report.socketsLost) sockets lost"
                + (talk.complaint.map { ": \($0)" } ?? "")
        } else {
            fault = try tables.fault(model, sent: talk.sent)
        }
        return Leg(
            report: report, sent: talk.sent,
            group: (after.units - before.units) / max(1, after.groups - before.groups),
            fault: fault)
    }

    private func groupTotals() -> (units: Double, groups: Double) {
        let probe = NodeProbe(port: server.port)
        return (
            probe.sample("sluice_group_units_sum") ?? 0,
            probe.sample("sluice_group_units_count") ?? 0
        )
    }

    /// Resident memory of an idle socket. Three times, `sockets` more sockets are opened and the
    /// memory is measured.
    ///
    /// The server must have done nothing else, because it would reuse memory that earlier work
    /// has freed.
    func idleRow() throws -> GoalOutcome {
        let warm = try opened(sockets / 5, "i0")
        var last = settledBytes()
        var held: [SocketGenerator] = [warm]
        var values: [Double] = []
        for step in 1...3 {
            held.append(try opened(sockets, "i\(step)"))
            let now = settledBytes()
            values.append(Double(now - last) / Double(sockets) / 1024)
            last = now
        }
        let all = sockets / 5 + 3 * sockets
        return withExtendedLifetime(held) {
            GoalOutcome(
                name: "memory of an idle socket", unit: "KiB", direction: .atMost, goal: 24,
                values: values,
                remark: "\(all) open, server at \(last / 1_048_576) MiB")
        }
    }

    private func opened(_ count: Int, _ label: String) throws -> SocketGenerator {
        let talk = CaptureTalk(CaptureModel(run: "\(name)\(label)"), sockets: count)
        let generator = SocketGenerator(plan: plan(count), workload: talk)
        try generator.open()
        generator.idle(seconds: 0.5)
        return generator
    }

    /// Resident memory once the server has finished its work for the new connections.
    private func settledBytes() -> Int {
        usleep(1_000_000)
        return server.residentBytes
    }
}
