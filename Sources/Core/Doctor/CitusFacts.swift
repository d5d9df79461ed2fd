import Postgres

/// What the coordinator of a Citus cluster reports about its nodes.
public struct CitusFacts: Sendable {
    /// What a node reports about itself.
    public struct Report: Sendable {
        /// 150004 stands for 15.4.
        public var version = 0
        /// Version of the extension in the database.
        public var citusVersion = ""
        /// Prepared transactions older than a minute, in all databases.
        public var prepared = 0
        /// Interval at which Citus resolves its own; negative: never.
        public var recoverySeconds = 2.0
        /// `max_prepared_transactions`.
        public var preparedMax = 0
        /// `max_connections`.
        public var connectionsMax = 0
        /// `wal_level`.
        public var walLevel = ""

        /// A report with default values.
        public init() {}
    }

    /// A node, as the coordinator sees it.
    public struct Node: Sendable {
        /// Host and port.
        public var name: String
        /// Citus uses the node.
        public var isActive = true
        /// The node holds shards of device tables.
        public var hasShards = true
        /// nil: the coordinator got no answer from it.
        public var report: Report?

        /// An active node about which nothing else is known.
        public init(_ name: String) { self.name = name }
    }

    /// All nodes, including the coordinator.
    public var nodes: [Node]
    /// Pairs of nodes of which the first can't reach the second; nil: no answer in time.
    public var partings: [String]? = []
    /// `citus.shard_replication_factor`.
    public var replicationFactor = 1
    /// Distributed tables without a replica identity: their shards can't be moved during writes,
    /// except with `force_logical`.
    public var withoutIdentity = 0

    /// A cluster without faults.
    public init(nodes: [Node]) { self.nodes = nodes }
}

extension DatabaseFacts {
    /// Without Citus, runs only the first query.
    mutating func askCitus(_ interview: Interview) throws(PostgresError) {
        guard try interview.ask("select from pg_extension where extname = 'citus'") != nil else {
            return
        }
        // An unreachable node must not block the examination, or cause a notice.
        let limits = """
            select set_config('citus.node_connection_timeout', '3s', false),
                set_config('client_min_messages', 'error', false)
            """
        _ = try interview.ask(limits)
        let nodes = """
            select n.nodename || ':' || n.nodeport, n.isactive,
                exists (select from pg_dist_shard s join pg_dist_placement p using (shardid)
                    where s.logicalrelid = to_regclass('sluice.device_state')
                        and p.groupid = n.groupid),
                case when r.success then r.result end
            from pg_dist_node n
            left join run_command_on_all_nodes($$
                select concat_ws(' ', current_setting('server_version_num'),
                    (select coalesce(max(extversion), 'none') from pg_extension
                        where extname = 'citus'),
                    (select count(*) from pg_prepared_xacts
                        where prepared < now() - interval '1 min'),
                    (select setting from pg_settings where name = 'citus.recover_2pc_interval'),
                    current_setting('max_prepared_transactions'),
                    current_setting('max_connections'), current_setting('wal_level'))
                $$) r using (nodeid)
            where n.noderole = 'primary' order by n.nodeid
            """
        guard let rows = try interview.ask(nodes) else { return }
        var facts = CitusFacts(nodes: (0..<rows.count).map { Self.node(rows, $0) })
        // Otherwise the nodes without an answer are reported already.
        if facts.nodes.allSatisfy({ $0.report != nil || !$0.isActive }) {
            let partings = """
                select coalesce(array_to_string(array_agg(from_nodename || ':' || from_nodeport
                    || ' to ' || to_nodename || ':' || to_nodeport), ', '), '')
                from citus_check_cluster_node_health() where result is distinct from true
                """
            facts.partings = try interview.ask(partings).map { rows in
                rows.string(0, 0).split(separator: ", ").map(String.init)
            }
        }
        let rest = """
            select current_setting('citus.shard_replication_factor')::integer, count(*)
            from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
            where p.partmethod = 'h' and not c.relispartition and (c.relreplident = 'n'
                or c.relreplident = 'd' and not exists (
                    select from pg_index i where i.indrelid = c.oid and i.indisprimary))
            """
        if let rows = try interview.ask(rest) {
            facts.replicationFactor = Int(rows.int32(0, 0))
            facts.withoutIdentity = Int(rows.int64(0, 1))
        }
        citus = facts
    }

    private static func node(_ rows: Rows, _ row: Int) -> CitusFacts.Node {
        var node = CitusFacts.Node(rows.string(row, 0))
        node.isActive = rows.bool(row, 1)
        node.hasShards = rows.bool(row, 2)
        guard !rows.isNull(row, 3) else { return node }
        let words = rows.string(row, 3).split(separator: " ")
        guard words.count == 7 else { return node }
        var report = CitusFacts.Report()
        report.version = Int(words[0]) ?? 0
        report.citusVersion = String(words[1])
        report.prepared = Int(words[2]) ?? 0
        report.recoverySeconds = (Double(words[3]) ?? 0) / 1000
        report.preparedMax = Int(words[4]) ?? 0
        report.connectionsMax = Int(words[5]) ?? 0
        report.walLevel = String(words[6])
        node.report = report
        return node
    }
}
