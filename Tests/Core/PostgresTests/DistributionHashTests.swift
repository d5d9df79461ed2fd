import Postgres
import Readings
import TestSupport
import Testing

/// The hash must equal PostgreSQL's own, so the tests ask a real server.
struct DistributionHashTests {
    private static let edges: [Int64] = [
        0, 1, -1, 2, -2, .max, .min, .max - 1, .min + 1, Int64(Int32.max), Int64(Int32.min),
        Int64(Int32.max) + 1, Int64(Int32.min) - 1, Int64(UInt32.max), -Int64(UInt32.max), 1 << 32,
        -(1 << 32), 1 << 62, -(1 << 62), 0x0123_4567_89AB_CDEF, -0x0123_4567_89AB_CDEF,
    ]

    @Test func `hashes equal the server's, for edge cases and random keys`() throws {
        var dice = Dice(seed: 0x5EED_0F_5A1D)
        var keys = Self.edges
        for _ in 0..<20_000 { keys.append(Int64(bitPattern: dice.next())) }
        for _ in 0..<2000 { keys.append(Int64(Int32(truncatingIfNeeded: dice.next()))) }
        let connection = try TestCluster.shared.freshConnection(named: "hash", migrated: false)
        defer { connection.close() }
        var parameters = Parameters()
        parameters.append(int8s: keys)
        let rows = try connection.query(
            """
            SELECT hashint8(key) FROM unnest($1::bigint[]) WITH ORDINALITY AS k(key, place)
            ORDER BY place
            """, parameters)
        #expect(rows.count == keys.count)
        for (row, key) in keys.enumerated() where DistributionHash.hash(key) != rows.int32(row, 0) {
            Issue.record("hash of \(key): \(DistributionHash.hash(key)), not \(rows.int32(row, 0))")
        }
    }

    /// So all of a device's rows are in one shard, however many shards there are.
    @Test func `the server hashes the keys of a device id alike, whoever its users are`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "hash", migrated: false)
        defer { connection.close() }
        var keys: [Int64] = []
        let (devices, users) = (200, 10)
        for device in 0..<devices {
            keys.append(DeviceIDKey(of: "device \(device)").value)
            for user in 1..<users {
                keys.append(DeviceKey(of: "device \(device)", user: "user \(user)").value)
            }
        }
        var parameters = Parameters()
        parameters.append(int8s: keys)
        let rows = try connection.query(
            """
            SELECT count(DISTINCT hash), count(DISTINCT key), count(DISTINCT (device, hash)),
                count(*) FILTER (WHERE key < 0)
            FROM (SELECT key, hashint8(key) AS hash, (place - 1) / \(users) AS device
                FROM unnest($1::bigint[]) WITH ORDINALITY AS k(key, place)) h
            """, parameters)
        #expect(rows.int64(0, 0) == devices && rows.int64(0, 2) == devices)
        #expect(rows.int64(0, 1) == devices * users)
        #expect((500..<1500).contains(rows.int64(0, 3)))
    }

    @Test func `small integers hash as they do in smaller types`() throws {
        // Compares with the server's hashint4: an integer key must find the rows of the same
        // bigint key.
        let connection = try TestCluster.shared.freshConnection(named: "hash", migrated: false)
        defer { connection.close() }
        let rows = try connection.query("SELECT hashint4(-7), hashint4(7)")
        #expect(DistributionHash.hash(-7) == rows.int32(0, 0))
        #expect(DistributionHash.hash(7) == rows.int32(0, 1))
    }
}
