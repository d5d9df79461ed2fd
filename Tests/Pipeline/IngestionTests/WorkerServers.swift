import Ingestion
import Postgres
import TestSupport

/// Two plain PostgreSQL servers with the whole schema each, in the place of the workers of a Citus
/// cluster. Neither knows of the other or of shards: which of them gets a row is the lanes' doing
/// alone.
final class WorkerServers {
    private let directories: [String]
    private let servers: [PrivateCluster]
    static let database = "routed"

    init() throws {
        directories = [TestCluster.freshDirectory(), TestCluster.freshDirectory()]
        servers = try directories.map { try TestCluster.startServer(dataDirectory: $0) }
        for server in servers {
            let first = try Connection.open(server.settings, deadline: .now + .seconds(30))
            try first.execute("CREATE DATABASE \(Self.database)")
            first.close()
            var settings = server.settings
            settings.database = Self.database
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            _ = try Migrator().run(on: connection)
            try connection.execute(ShardSchema.beats)
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

    /// Leads nowhere: only what a lane finds in the table of shards leads to a server.
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

    /// Nobody answers there from now on.
    func stop(_ number: Int) throws { try servers[number].stop(limit: .zero) }

    /// The first two columns of a query.
    func pairs(_ number: Int, _ sql: String) throws -> [(String, String)] {
        let connection = try Connection.open(settings(number), deadline: .now + .seconds(30))
        defer { connection.close() }
        let rows = try connection.query(sql)
        return (0..<rows.count).map { (rows.string($0, 0), rows.string($0, 1)) }
    }
}
