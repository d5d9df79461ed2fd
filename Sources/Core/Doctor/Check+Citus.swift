import Postgres

extension Check {
    /// Nodes of a Citus cluster, and how lanes connect to them; nothing on plain PostgreSQL. The
    /// first of these asks for all.
    static let citus = [
        Check(
            .database, "Citus",
            asks: { (facts, interview) throws(PostgresError) in try facts.askCitus(interview) },
            judges: { database, _ in database.citus.map(versions) }),
        ofCluster(.database, "nodes") { citus, _ in nodes(citus) },
        ofCluster(.database, "lanes") { [lanes($0, $1)].compactMap { $0 } },
        ofCluster(.settings, "prepared transactions") { citus, _ in recovery(citus) },
        ofCluster(.settings, "citus.shard_replication_factor") { citus, _ in
            [replicationFactor(citus)]
        },
        ofCluster(.tables, "shard moves") { citus, _ in [shardMoves(citus)] },
    ]

    private static func ofCluster(
        _ area: Finding.Area, _ name: String,
        finds judgement: @escaping @Sendable (CitusFacts, Facts) -> [Verdict]
    ) -> Check {
        Check(
            area, name,
            finds: { database, facts in database.citus.map { judgement($0, facts) } ?? [] })
    }

    private static func names(_ nodes: [CitusFacts.Node]) -> String {
        nodes.map(\.name).joined(separator: ", ")
    }

    private static func versions(_ citus: CitusFacts) -> Verdict {
        var nodesOf: [String: [CitusFacts.Node]] = [:]
        for node in citus.nodes {
            guard let report = node.report else { continue }
            let postgres = "\(report.version / 10_000).\(report.version % 10_000)"
            nodesOf["PostgreSQL \(postgres), Citus \(report.citusVersion)", default: []]
                .append(node)
        }
        let kinds = nodesOf.sorted { $0.key < $1.key }
        guard kinds.count > 1 else {
            return .ok(kinds.first?.key ?? "versions are unknown")
        }
        return .warning(
            kinds.map { "\($0.key) on \(names($0.value))" }.joined(separator: "; "),
            why: "Queries across different versions may fail, or get different plans.",
            fix: "install the same packages on all nodes, restart PostgreSQL, then on each node:",
            "ALTER EXTENSION citus UPDATE;")
    }

    private static func nodes(_ citus: CitusFacts) -> [Verdict] {
        var verdicts: [Verdict] = []
        let inactive = citus.nodes.filter { !$0.isActive }
        if let first = inactive.first {
            let place = first.name.split(separator: ":")
            verdicts.append(
                .problem(
                    names(inactive),
                    why: "Rows of their shards can be neither read nor written.",
                    fix: "SELECT citus_activate_node('\(place.first ?? "")', "
                        + "\(place.last ?? "5432"));   -- on the coordinator"
                ).named("inactive nodes"))
        }
        let silent = citus.nodes.filter { $0.isActive && $0.report == nil }
        if let first = silent.first {
            verdicts.append(
                .problem(
                    names(silent),
                    why: "The coordinator can't log in there: the server is down, it lacks this "
                        + "role or database, or .pgpass lacks the password.",
                    fix: "psql -h \(first.name.replacing(":", with: " -p "))   "
                        + "# on the coordinator, as the servers' system user"
                ).named("unreachable nodes"))
        } else if citus.partings?.isEmpty != true {
            let partings = citus.partings ?? ["no answer within 20 s"]
            verdicts.append(
                .problem(
                    partings.joined(separator: ", "),
                    why: "If nodes can't log in to each other, queries over all devices fail, and "
                        + "nodes can't forward rows.",
                    fix: "on each node: .pgpass of the servers' system user, or pg_hba.conf"
                ).named("logins of nodes"))
        }
        guard citus.nodes.contains(where: \.hasShards) else {
            verdicts.append(
                .notice(
                    "none",
                    why: "Nothing is distributed: all rows are on the coordinator.",
                    fix: "sluice migrate --citus"
                ).named("shards"))
            return verdicts
        }
        if verdicts.isEmpty {
            verdicts.append(.ok("\(names(citus.nodes)) reach each other"))
        }
        return verdicts
    }

    /// What the running server does, and only without one what the configuration says.
    private static func lanes(_ citus: CitusFacts, _ facts: Facts) -> Verdict? {
        let nodes = citus.nodes.count { $0.hasShards }
        guard nodes > 0 else { return nil }
        guard facts.demand.lanesGoToNodes else {
            return .ok("through SLUICE_DATABASE_URL, as set by SLUICE_LANES_TO_NODES")
        }
        if let lanes = facts.demand.rowLanes, lanes < nodes {
            return .warning(
                "\(lanes) for rows, \(nodes) nodes have shards",
                why: "All rows go through SLUICE_DATABASE_URL, at about a third of the speed.",
                fix: "SLUICE_LANES=0   # about three a node")
        }
        guard let server = facts.server else {
            return .ok(
                "no server runs here; one would take enough for \(nodes) nodes")
        }
        guard let lanes = server.lanes, let notDirect = server.lanesNotDirect else {
            return .notice(
                "the running server does not show its status",
                why: "Whether its rows go straight to \(nodes) nodes is unknown.",
                fix: "SLUICE_STATUS_KEY=… sluice doctor",
                "sluice keys create NAME --scope status   # makes such a key")
        }
        guard notDirect == 0 else {
            return .warning(
                "\(notDirect) of \(lanes) do not write straight to the nodes of their rows",
                why:
                    "Their rows go through SLUICE_DATABASE_URL, at about a third of the speed, or to the "
                    + "spool.", fix: "journalctl -u sluice | grep -i lanes   # names the cause")
        }
        return .ok("\(lanes) of the running server, directly to \(nodes) nodes")
    }

    /// Prepared transactions that were never resolved, and settings about them.
    private static func recovery(_ citus: CitusFacts) -> [Verdict] {
        var verdicts: [Verdict] = []
        func add(
            _ severity: Severity, _ name: String, _ found: (CitusFacts.Report) -> String?,
            ok: String, why: String, fix: String...
        ) {
            let some = citus.nodes.compactMap { node in
                node.report.flatMap(found).map { "\(node.name): \($0)" }
            }
            let verdict =
                some.isEmpty
                ? Verdict.ok(ok)
                : Verdict(
                    severity: severity, found: some.joined(separator: ", "), reason: why, fix: fix)
            verdicts.append(verdict.named(name))
        }
        add(
            .warning, "prepared transactions", { $0.prepared > 0 ? "\($0.prepared)" : nil },
            ok: "none is older than 1 min",
            why: "A commit across nodes was interrupted. Until it is resolved, its devices are "
                + "locked and vacuum is held back.",
            fix:
                "SELECT recover_prepared_transactions();   -- a superuser, on the coordinator; then",
            "SELECT gid, prepared FROM pg_prepared_xacts;   -- on that node: ROLLBACK PREPARED")
        add(
            .notice, "citus.recover_2pc_interval",
            {
                (0...10).contains($0.recoverySeconds)
                    ? nil
                    : $0.recoverySeconds < 0 ? "never" : Figures.seconds($0.recoverySeconds)
            }, ok: "at most 10 s",
            why: "If a node dies during a commit, its devices stay locked for this long.",
            fix: "ALTER SYSTEM SET citus.recover_2pc_interval = '2s'; SELECT pg_reload_conf();")
        add(
            .warning, "max_prepared_transactions",
            { $0.preparedMax < $0.connectionsMax ? "\($0.preparedMax)" : nil },
            ok: "as many as connections",
            why: "When they are used up, commits across nodes fail.",
            fix: "ALTER SYSTEM SET max_prepared_transactions = "
                + "\(2 * (citus.nodes.compactMap(\.report?.connectionsMax).max() ?? 100));"
                + "   -- then restart PostgreSQL")
        return verdicts
    }

    private static func replicationFactor(_ citus: CitusFacts) -> Verdict {
        guard citus.replicationFactor > 1 else { return .ok("1") }
        return .warning(
            "\(citus.replicationFactor)",
            why: "Tables that are distributed from now on get each shard twice: commits take two "
                + "phases, and lanes can't follow the shards of such a table.",
            fix: "ALTER SYSTEM SET citus.shard_replication_factor = 1; "
                + "SELECT pg_reload_conf();   -- use PostgreSQL's own replication")
    }

    /// A table without a replica identity is no fault, but it decides how shards can move. All
    /// modes but `block_writes` need logical replication between the nodes.
    private static func shardMoves(_ citus: CitusFacts) -> Verdict {
        let physical = citus.nodes.filter { $0.report.map { $0.walLevel != "logical" } ?? false }
        if let first = physical.first {
            return .notice(
                "only with shard_transfer_mode => 'block_writes': wal_level is "
                    + "\(first.report?.walLevel ?? "") on \(names(physical))",
                why: "All other modes copy by logical replication. While shards move in this mode, "
                    + "their devices' readings wait in the spool.",
                fix: "ALTER SYSTEM SET wal_level = logical;   -- on each node; then restart "
                    + "PostgreSQL")
        }
        return .ok(
            citus.withoutIdentity > 0
                ? "with shard_transfer_mode => 'force_logical': \(citus.withoutIdentity) tables have "
                    + "no replica identity" : "with any shard_transfer_mode")
    }
}
