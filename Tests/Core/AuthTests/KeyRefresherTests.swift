import Auth
import Logging
import Postgres
import Readings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct KeyRefresherTests {
    let settings: ConnectionSettings
    let connection: Connection
    let ring: KeyRing

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "refresher")
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
        ring = KeyRing(configured: try ConfiguredKeys("fixed")) { Timestamp(microseconds: 7) }
    }

    private func refresher(_ database: Database) -> KeyRefresher {
        KeyRefresher(
            ring: ring, database: database, interval: .milliseconds(20),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Waits until the answer is `expected`.
    private func becomes(_ expected: Bool, _ key: APIKey) async throws -> Bool {
        try await eventually {
            (ring.authenticate(key.revealed(), for: .ingest) != nil) == expected
        }
    }

    @Test func `a key works soon after it is created and stops soon after it is revoked`()
        async throws
    {
        let database = Database(settings)
        defer { database.close() }
        let refresher = refresher(database)
        let running = Task { try await refresher.run() }
        let (_, key) = try KeyStore.create(
            name: "phones", scopes: [.ingest], expiresAt: nil, on: connection)
        #expect(try await becomes(true, key))
        _ = try KeyStore.revoke(name: "phones", on: connection)
        #expect(try await becomes(false, key))
        // Whoever still uses it can be named.
        #expect(ring.id(of: key.revealed())?.name == "phones")
        #expect(ring.id(of: "sk_never") == nil)
        #expect(ring.authenticate("fixed", for: .ingest) != nil)
        running.cancel()
        try await running.value
    }

    @Test func `the last known keys stay in force while the database is unreachable`() async throws
    {
        let database = Database(settings)
        let refresher = refresher(database)
        let (_, key) = try KeyStore.create(
            name: "phones", scopes: [.ingest], expiresAt: nil, on: connection)
        try await refresher.refresh()
        database.close()
        await #expect(throws: PostgresError.self) { try await refresher.refresh() }
        let running = Task { try await refresher.run() }
        try await Task.sleep(for: .milliseconds(100))
        #expect(ring.authenticate(key.revealed(), for: .ingest)?.id.name == "phones")
        running.cancel()
        try await running.value
    }

    @Test func `last uses are written when the refresher ends`() async throws {
        let database = Database(settings)
        defer { database.close() }
        let refresher = refresher(database)
        let (_, key) = try KeyStore.create(
            name: "phones", scopes: [.ingest], expiresAt: nil, on: connection)
        try await refresher.refresh()
        #expect(ring.authenticate(key.revealed(), for: .ingest) != nil)
        let running = Task { try await refresher.run() }
        running.cancel()
        try await running.value
        let records = try KeyStore.list(on: connection)
        #expect(records.first?.lastUsedAt == Timestamp(microseconds: 7))
    }
}
