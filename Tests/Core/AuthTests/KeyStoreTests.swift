import Auth
import Postgres
import Readings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct KeyStoreTests {
    let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "keys")
    }

    private func create(_ name: String, expiresAt: Timestamp? = nil) throws -> APIKey {
        try KeyStore.create(name: name, scopes: [.ingest], expiresAt: expiresAt, on: connection).key
    }

    @Test func `a new key is in force, and only its digest is stored`() throws {
        let (record, key) = try KeyStore.create(
            name: "phones", scopes: [.ingest], expiresAt: nil, on: connection)
        #expect(record.name == "phones")
        #expect(record.scopes == ["ingest"])
        #expect(record.prefix == String(key.revealed().prefix(8)))
        #expect(record.lastUsedAt == nil && record.revokedAt == nil)
        let inForce = try KeyStore.inForce(on: connection)
        #expect(
            inForce == [
                IssuedKey(
                    id: KeyID(name: "phones", id: record.id), digest: key.digest,
                    scopes: [.ingest], expiresAt: nil)
            ])
        let rows = try connection.query("select k::text from sluice.api_key k")
        #expect(!rows.string(0, 0).contains(key.revealed().dropFirst(8)))
    }

    @Test func `a name is free again once its key is revoked`() throws {
        _ = try create("phones")
        #expect(throws: KeyStoreError.nameTaken("phones")) { try create("phones") }
        #expect(try KeyStore.revoke(name: "phones", on: connection)?.name == "phones")
        #expect(try KeyStore.inForce(on: connection).isEmpty)
        #expect(try KeyStore.revoke(name: "phones", on: connection) == nil)
        let second = try create("phones")
        #expect(try KeyStore.inForce(on: connection).map(\.digest) == [second.digest])
        let all = try KeyStore.list(on: connection)
        #expect(all.map { $0.revokedAt == nil } == [false, true])
    }

    @Test func `an expired key is not in force`() throws {
        let soon = Timestamp(microseconds: 0)
        let late = Timestamp(unixSeconds: 4_000_000_000)
        _ = try create("past", expiresAt: soon)
        let key = try create("future", expiresAt: late)
        let inForce = try KeyStore.inForce(on: connection)
        #expect(inForce.map(\.digest) == [key.digest])
        #expect(inForce.first?.expiresAt == late)
        #expect(try KeyStore.list(on: connection).map(\.expiresAt) == [soon, late])
    }

    @Test func `last use only moves forward`() throws {
        let (record, _) = try KeyStore.create(
            name: "phones", scopes: [.ingest], expiresAt: nil, on: connection)
        func lastUse() throws -> Int64? {
            try KeyStore.list(on: connection).first?.lastUsedAt?.microseconds
        }
        for (noted, expected) in [(5, 5), (9, 9), (7, 9)] as [(Int64, Int64)] {
            try KeyStore.noteUses(
                [(record.id, Timestamp(microseconds: noted)), (-1, Timestamp(microseconds: 1))],
                on: connection)
            #expect(try lastUse() == expected)
        }
        try KeyStore.noteUses([], on: connection)
    }

    @Test func `a scope that this version doesn't know grants nothing`() throws {
        let key = try create("phones")
        try connection.execute("update sluice.api_key set scopes = '{admin,ingest_all}'")
        let ring = KeyRing(configured: try ConfiguredKeys(nil)) { Timestamp(microseconds: 0) }
        ring.replaceIssued(with: try KeyStore.inForce(on: connection))
        #expect(ring.issuedCount == 1)
        #expect(ring.authenticate(key.revealed(), for: .ingest) == nil)
    }

    @Test func `a database error names no key`() throws {
        try connection.execute("drop table sluice.api_key")
        let error = #expect(throws: KeyStoreError.self) { try create("phones") }
        #expect(error.map { !"\($0)".contains("slk_") && !"\($0)".contains("phones") } == true)
    }
}
