import Ingest
import Postgres
import TestSupport

/// Two plain PostgreSQL servers, each with the whole schema, in place of the workers of a Citus
/// cluster. Neither knows of the other or of shards, so only the lanes decide which server gets a
/// row.
final class WorkerServers {
    private let directories: [String]
    private let servers: [PrivateCluster]
    static let database = "routed"

    init() throws {
        directories = [
            TestCluster.freshDirectory(isServers: true),
            TestCluster.freshDirectory(isServers: true),
        ]
        servers = try directories.map { try TestCluster.startServer(dataDirectory: $0) }
        for server in servers {
            let first = try Connection.open(server.settings, deadline: .now + .seconds(30))
            try first.execute("CREATE DATABASE \(Self.database)")
            first.close()
            var settings = server.settings
            settings.database = Self.database
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            _ = try Migrator().run(on: connection)
            try connection.execute(ShardSchema.heartbeats)
            try connection.execute(ShardSchema.days)
            connection.close()
        }
    }

    deinit {
        for server in servers { try? server.stop(limit: .zero) }
        for directory in directories { TestCluster.discard(directory) }
    }

    func settings(_ number: Int) -> ConnectionSettings {
        var settings = servers[number].settings
        settings.database = Self.database
        return settings
    }

    /// Leads nowhere: a lane reaches a server only through the table of shards.
    var nowhere: ConnectionSettings {
        ConnectionSettings(
            socketDirectory: "/nowhere", user: servers[0].settings.user ?? "",
            database: Self.database)
    }

    func owner(_ number: Int) -> ShardOwner {
        let settings = servers[number].settings
        return .worker(host: settings.host ?? "", port: Int(settings.port ?? "") ?? 5432)
    }

    var owners: [ShardOwner] { [owner(0), owner(1)] }

    /// Makes the server unreachable from now on.
    func stop(_ number: Int) throws { try servers[number].stop(limit: .zero) }

    /// The first two columns of a query.
    func pairs(_ number: Int, _ sql: String) throws -> [(String, String)] {
        let connection = try Connection.open(settings(number), deadline: .now + .seconds(30))
        defer { connection.close() }
        let rows = try connection.query(sql)
        return (0..<rows.count).map { (rows.string($0, 0), rows.string($0, 1)) }
    }
}
