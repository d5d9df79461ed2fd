extension Examination {
    /// Nodes of a Citus cluster, and how lanes connect to them; empty on plain PostgreSQL.
    static func cluster(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        guard let citus = database.citus else { return [] }
        return [versions(citus)] + nodes(citus) + lanes(citus, facts) + recovery(citus)
            + [shardMoves(citus)]
    }

    private static func names(_ nodes: [CitusFacts.Node]) -> String {
        nodes.map(\.name).joined(separator: ", ")
    }

    private static func versions(_ citus: CitusFacts) -> Finding {
        var nodesOf: [String: [CitusFacts.Node]] = [:]
        for node in citus.nodes {
            guard let report = node.report else { continue }
            let postgres = "\(report.version / 10_000).\(report.version % 10_000)"
            nodesOf["PostgreSQL \(postgres), Citus \(report.citusVersion)", default: []]
                .append(node)
        }
        let kinds = nodesOf.sorted { $0.key < $1.key }
        guard kinds.count > 1 else {
            return .ok(.database, "Citus", kinds.first?.key ?? "versions are unknown")
        }
        return .not(
            .warning, .database, "Citus",
            kinds.map { "\($0.key) on \(names($0.value))" }.joined(separator: "; "),
            why: "Queries across different versions may fail, or get different plans.",
            fix: "install the same packages on all nodes, restart PostgreSQL, then on each node:",
            "ALTER EXTENSION citus UPDATE;")
    }

    private static func nodes(_ citus: CitusFacts) -> [Finding] {
        var findings: [Finding] = []
        let inactive = citus.nodes.filter { !$0.isActive }
        if let first = inactive.first {
            let place = first.name.split(separator: ":")
            findings.append(
                .not(
                    .problem, .database, "inactive nodes", names(inactive),
                    why: "Rows of their shards can be neither read nor written.",
                    fix: "SELECT citus_activate_node('\(place.first ?? "")', "
                        + "\(place.last ?? "5432"));   -- on the coordinator"))
        }
        let silent = citus.nodes.filter { $0.isActive && $0.report == nil }
        if let first = silent.first {
            findings.append(
                .not(
                    .problem, .database, "unreachable nodes", names(silent),
                    why: "The coordinator can't log in there: the server is down, it lacks this "
                        + "role or database, or .pgpass lacks the password.",
                    fix: "psql -h \(first.name.replacing(":", with: " -p "))   "
                        + "# on the coordinator, as the servers' system user"))
        } else if citus.partings?.isEmpty != true {
            let partings = citus.partings ?? ["no answer within 20 s"]
            findings.append(
                .not(
                    .problem, .database, "logins of nodes", partings.joined(separator: ", "),
                    why: "If nodes can't log in to each other, queries over all devices fail, and "
                        + "nodes can't forward rows.",
                    fix: "on each node: .pgpass of the servers' system user, or pg_hba.conf"))
        }
        guard citus.nodes.contains(where: \.hasShards) else {
            findings.append(
                .not(
                    .notice, .database, "shards", "none",
                    why: "Nothing is distributed: all rows are on the coordinator.",
                    fix: "sluice migrate --citus"))
            return findings
        }
        if findings.isEmpty {
            findings.append(.ok(.database, "nodes", "\(names(citus.nodes)) reach each other"))
        }
        return findings
    }

    /// What the running server does, and only without one what the configuration says.
    private static func lanes(_ citus: CitusFacts, _ facts: Facts) -> [Finding] {
        let nodes = citus.nodes.count { $0.hasShards }
        guard nodes > 0 else { return [] }
        guard facts.demand.lanesGoToNodes else {
            return [
                .ok(.database, "lanes", "through DATABASE_URL, as set by SLUICE_LANES_TO_NODES")
            ]
        }
        if let lanes = facts.demand.rowLanes, lanes < nodes {
            return [
                .not(
                    .warning, .database, "lanes", "\(lanes) for rows, \(nodes) nodes have shards",
                    why: "All rows go through DATABASE_URL, at about a third of the speed.",
                    fix: "SLUICE_LANES=0   # about three a node")
            ]
        }
        guard let server = facts.server else {
            return [
                .ok(
                    .database, "lanes",
                    "no server runs here; one would take enough for \(nodes) nodes")
            ]
        }
        guard let lanes = server.lanes, let notDirect = server.lanesNotDirect else {
            return [
                .not(
                    .notice, .database, "lanes", "the running server does not show its status",
                    why: "Whether its rows go straight to \(nodes) nodes is unknown.",
                    fix: "SLUICE_STATUS_KEY=… sluice doctor",
                    "sluice keys create NAME --scope status   # makes such a key")
            ]
        }
        guard notDirect == 0 else {
            return [
                .not(
                    .warning, .database, "lanes",
                    "\(notDirect) of \(lanes) do not write straight to the nodes of their rows",
                    why:
                        "Their rows go through DATABASE_URL, at about a third of the speed, or to the "
                        + "spool.", fix: "journalctl -u sluice | grep -i lanes   # names the cause")
            ]
        }
        return [
            .ok(.database, "lanes", "\(lanes) of the running server, directly to \(nodes) nodes")
        ]
    }

    /// Prepared transactions that were never resolved, and settings about them.
    private static func recovery(_ citus: CitusFacts) -> [Finding] {
        var findings: [Finding] = []
        func tell(
            _ severity: Severity, _ name: String, _ found: (CitusFacts.Report) -> String?,
            ok: String, why: String, fix: String...
        ) {
            let some = citus.nodes.compactMap { node in
                node.report.flatMap(found).map { "\(node.name): \($0)" }
            }
            findings.append(
                some.isEmpty
                    ? .ok(.settings, name, ok)
                    : Finding(
                        area: .settings, name: name, severity: severity,
                        found: some.joined(separator: ", "), reason: why, fix: fix))
        }
        tell(
            .warning, "prepared transactions", { $0.prepared > 0 ? "\($0.prepared)" : nil },
            ok: "none is older than 1 min",
            why: "A commit across nodes was interrupted. Until it is resolved, its devices are "
                + "locked and vacuum is held back.",
            fix:
                "SELECT recover_prepared_transactions();   -- a superuser, on the coordinator; then",
            "SELECT gid, prepared FROM pg_prepared_xacts;   -- on that node: ROLLBACK PREPARED")
        tell(
            .notice, "citus.recover_2pc_interval",
            {
                (0...10).contains($0.recoverySeconds)
                    ? nil
                    : $0.recoverySeconds < 0 ? "never" : Figures.seconds($0.recoverySeconds)
            }, ok: "at most 10 s",
            why: "If a node dies during a commit, its devices stay locked for this long.",
            fix: "ALTER SYSTEM SET citus.recover_2pc_interval = '2s'; SELECT pg_reload_conf();")
        tell(
            .warning, "max_prepared_transactions",
            { $0.preparedMax < $0.connectionsMax ? "\($0.preparedMax)" : nil },
            ok: "as many as connections",
            why: "When they are used up, commits across nodes fail.",
            fix: "ALTER SYSTEM SET max_prepared_transactions = "
                + "\(2 * (citus.nodes.compactMap(\.report?.connectionsMax).max() ?? 100));"
                + "   -- then restart PostgreSQL")
        if citus.replicationFactor > 1 {
            findings.append(
                .not(
                    .warning, .settings, "citus.shard_replication_factor",
                    "\(citus.replicationFactor)",
                    why: "Tables that are distributed from now on get each shard twice: commits "
                        + "take two phases, and lanes can't follow the shards of such a table.",
                    fix: "ALTER SYSTEM SET citus.shard_replication_factor = 1; "
                        + "SELECT pg_reload_conf();   -- use PostgreSQL's own replication"))
        } else {
            findings.append(.ok(.settings, "citus.shard_replication_factor", "1"))
        }
        return findings
    }

    /// A table without a replica identity is no fault, but it decides how shards can move. All
    /// modes but `block_writes` need logical replication between the nodes.
    private static func shardMoves(_ citus: CitusFacts) -> Finding {
        let physical = citus.nodes.filter { $0.report.map { $0.walLevel != "logical" } ?? false }
        if let first = physical.first {
            return .not(
                .notice, .tables, "shard moves",
                "only with shard_transfer_mode => 'block_writes': wal_level is "
                    + "\(first.report?.walLevel ?? "") on \(names(physical))",
                why: "All other modes copy by logical replication. While shards move in this mode, "
                    + "their devices' readings wait in the spool.",
                fix: "ALTER SYSTEM SET wal_level = logical;   -- on each node; then restart "
                    + "PostgreSQL")
        }
        return .ok(
            .tables, "shard moves",
            citus.withoutIdentity > 0
                ? "with shard_transfer_mode => 'force_logical': \(citus.withoutIdentity) tables have "
                    + "no replica identity" : "with any shard_transfer_mode")
    }
}
