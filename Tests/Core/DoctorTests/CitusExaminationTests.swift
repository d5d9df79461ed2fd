import Doctor
import Postgres
import TestSupport
import Testing

@Suite struct CitusExaminationTests {
    /// A coordinator without shards and two workers.
    private static func healthy() -> CitusFacts {
        var report = CitusFacts.Report()
        (report.version, report.citusVersion) = (150_020, "13.2-1")
        (report.preparedMax, report.connectionsMax) = (400, 200)
        report.walLevel = "logical"
        var facts = CitusFacts(
            nodes: ["c:5432", "a:5432", "b:5433"].map { name in
                var node = CitusFacts.Node(name)
                node.report = report
                return node
            })
        facts.nodes[0].hasShards = false
        facts.withoutIdentity = 5
        return facts
    }

    /// The findings about the cluster.
    private static func findings(
        _ citus: CitusFacts?, _ change: (inout Facts) -> Void = { _ in }
    ) -> [Finding] {
        var database = DatabaseFacts(version: 150_020, binaryVersion: 26)
        let plain = Examination.findings(Facts(database: .reached(database), isPrivate: false))
        database.citus = citus
        var facts = Facts(database: .reached(database), isPrivate: false)
        change(&facts)
        return Examination.findings(facts).filter { !plain.contains($0) }
    }

    @Test func `a healthy cluster has no faults, and plain PostgreSQL has no cluster findings`() {
        let findings = Self.findings(Self.healthy())
        #expect(findings.allSatisfy { $0.severity == .ok })
        #expect(
            findings.map(\.name) == [
                "Citus", "nodes", "lanes", "prepared transactions", "citus.recover_2pc_interval",
                "max_prepared_transactions", "citus.shard_replication_factor", "shard moves",
            ])
        #expect(findings[0].found == "PostgreSQL 15.20, Citus 13.2-1")
        #expect(findings[7].found.contains("force_logical"))
        #expect(Self.findings(nil) == [])
    }

    /// A healthy cluster with one thing changed.
    private struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let severity: Severity
        let found: String
        let fix: String
        let change: @Sendable (inout CitusFacts) -> Void

        init(
            _ name: String, _ severity: Severity, _ found: String, _ fix: String,
            _ change: @escaping @Sendable (inout CitusFacts) -> Void
        ) {
            (self.name, self.severity, self.found, self.fix) = (name, severity, found, fix)
            self.change = change
        }

        var testDescription: String { "\(name) \(found)" }
    }

    private static let faults: [Fault] = [
        Fault("Citus", .warning, "PostgreSQL 15.21", "same packages") {
            $0.nodes[1].report?.version = 150_021
        },
        Fault("Citus", .warning, "Citus 13.1-1 on b:5433", "same packages") {
            $0.nodes[2].report?.citusVersion = "13.1-1"
        },
        Fault("inactive nodes", .problem, "b:5433", "citus_activate_node('b', 5433)") {
            $0.nodes[2].isActive = false
            $0.nodes[2].report = nil
        },
        Fault("unreachable nodes", .problem, "a:5432", "psql -h a -p 5432") {
            $0.nodes[1].report = nil
        },
        Fault("logins of nodes", .problem, "a:5432 to b:5433", ".pgpass") {
            $0.partings = ["a:5432 to b:5433"]
        },
        Fault("logins of nodes", .problem, "no answer", ".pgpass") { $0.partings = nil },
        Fault("shards", .notice, "none", "sluice migrate --citus") { citus in
            for index in citus.nodes.indices { citus.nodes[index].hasShards = false }
        },
        Fault(
            "prepared transactions", .warning, "b:5433: 2", "recover_prepared_transactions()"
        ) { $0.nodes[2].report?.prepared = 2 },
        Fault("citus.recover_2pc_interval", .notice, "c:5432: 60 s", "= '2s'") {
            $0.nodes[0].report?.recoverySeconds = 60
        },
        Fault("citus.recover_2pc_interval", .notice, "c:5432: never", "= '2s'") {
            $0.nodes[0].report?.recoverySeconds = -1
        },
        Fault("max_prepared_transactions", .warning, "a:5432: 0", "= 400") {
            $0.nodes[1].report?.preparedMax = 0
        },
        Fault(
            "shard moves", .notice, "'block_writes': wal_level is replica on a:5432, b:5433",
            "wal_level = logical"
        ) { for node in 1...2 { $0.nodes[node].report?.walLevel = "replica" } },
        Fault("citus.shard_replication_factor", .warning, "2", "= 1") {
            $0.replicationFactor = 2
        },
    ]

    @Test(arguments: faults)
    private func `a single fault of a cluster is found, and nothing else`(
        _ fault: Fault
    ) throws {
        var citus = Self.healthy()
        fault.change(&citus)
        let bad = Self.findings(citus).filter { $0.severity != .ok }
        let finding = try #require(bad.first)
        #expect(bad.count == 1, "\(bad)")
        #expect(finding.name == fault.name && finding.severity == fault.severity)
        #expect(finding.found.contains(fault.found), "\(finding.found)")
        #expect(finding.fix.first?.contains(fault.fix) == true, "\(finding.fix)")
        #expect(finding.reason?.hasSuffix(".") == true)
    }

    @Test func `fewer lanes than nodes are a warning, unless lanes don't go to nodes`() {
        func lanes(_ count: Int?, goToNodes: Bool = true) -> Severity? {
            Self.findings(Self.healthy()) {
                ($0.demand.rowLanes, $0.demand.lanesGoToNodes) = (count, goToNodes)
            }.first { $0.name == "lanes" }?.severity
        }
        #expect(lanes(nil) == .ok && lanes(2) == .ok)
        #expect(lanes(1) == .warning)
        #expect(lanes(1, goToNodes: false) == .ok)
    }

    @Test func `on a cluster the nodes need the passwords of analysts`() throws {
        var database = DatabaseFacts(version: 150_020, binaryVersion: 26)
        database.schemaVersion = 26
        database.analysts.names = ["ann", "bob"]
        func finding(_ name: String) -> Finding? {
            Examination.findings(Facts(database: .reached(database), isPrivate: false))
                .first { $0.name == name }
        }
        #expect(finding("analysts' passwords") == nil && finding("analysts")?.severity == .ok)
        database.citus = Self.healthy()
        let passwords = try #require(finding("analysts' passwords"))
        #expect(passwords.severity == .notice && passwords.found.contains("ann, bob"))
        #expect(passwords.fix.first?.hasPrefix("*:*:*:ann:PASSWORD   # in .pgpass") == true)
    }

    /// The configuration may be right while the server runs with what it once found.
    @Test func `lanes are said to be direct only if the running server says so`() {
        func lanes(_ count: Int?, _ notDirect: Int?) -> (Severity?, String?) {
            let finding = Self.findings(Self.healthy()) {
                var server = ServerFacts()
                (server.lanes, server.lanesNotDirect) = (count, notDirect)
                $0.server = server
            }.first { $0.name == "lanes" }
            return (finding?.severity, finding?.found)
        }
        #expect(lanes(5, 0) == (.ok, "5 of the running server, directly to 2 nodes"))
        #expect(
            lanes(2, 1) == (.warning, "1 of 2 do not write straight to the nodes of their rows"))
        #expect(lanes(nil, nil).0 == .notice && lanes(2, nil).0 == .notice)
    }

    @Test func `plain PostgreSQL is no cluster`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "diagnosis")
        #expect(try DatabaseFacts.gather(on: connection, daysAhead: 4).citus == nil)
    }
}
