import Auth
import Readings
import Synchronization
import Testing

@Suite struct KeyRingTests {
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_000)
        var now: Timestamp {
            Timestamp(microseconds: seconds.load(ordering: .relaxed) * 1_000_000)
        }
    }

    private let clock = Clock()

    private func ring() throws -> KeyRing {
        let clock = clock
        return KeyRing(configured: try ConfiguredKeys("fixed")) { clock.now }
    }

    private func issued(
        _ id: Int64, _ key: String, scopes: Set<KeyScope> = [.ingest], expires: Int64? = nil
    ) -> IssuedKey {
        IssuedKey(
            id: KeyID(name: "key \(id)", id: id), digest: KeyDigest(of: key), scopes: scopes,
            expiresAt: expires.map { Timestamp(microseconds: $0 * 1_000_000) })
    }

    @Test func `a ring knows all keys once it has been filled, even with none`() throws {
        let ring = try ring()
        #expect(!ring.knowsAllKeys)
        ring.replaceIssued(with: [])
        #expect(ring.knowsAllKeys)
    }

    @Test func `remembered keys work until the table is read, and are not all`() throws {
        let ring = try ring()
        #expect(!ring.remembersKeys)
        ring.remember([issued(1, "one"), issued(2, "two", scopes: [.meals], expires: 1_001)])
        #expect(ring.remembersKeys && !ring.knowsAllKeys && ring.hasIssuedApplicationKey)
        #expect(ring.authenticate("one", for: .ingest)?.id == KeyID(name: "key 1", id: 1))
        clock.seconds.store(1_001, ordering: .relaxed)
        #expect(ring.authenticate("two", for: .meals) == nil)
        ring.replaceIssued(with: [])
        #expect(ring.authenticate("one", for: .ingest) == nil)
        ring.remember([issued(1, "one")])
        #expect(ring.authenticate("one", for: .ingest) == nil)
    }

    @Test func `a key works from one replacement to the next`() throws {
        let ring = try ring()
        #expect(ring.authenticate("one", for: .ingest) == nil)
        ring.replaceIssued(with: [issued(1, "one"), issued(2, "two")])
        #expect(ring.authenticate("one", for: .ingest)?.id == KeyID(name: "key 1", id: 1))
        #expect(ring.authenticate("two", for: .ingest)?.id == KeyID(name: "key 2", id: 2))
        ring.replaceIssued(with: [issued(2, "two")])
        #expect(ring.authenticate("one", for: .ingest) == nil)
        #expect(ring.authenticate("two", for: .ingest) != nil)
        #expect(ring.authenticate("fixed", for: .ingest) != nil)
    }

    @Test func `a key expires exactly at its expiry time`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one", expires: 1_001)])
        #expect(ring.authenticate("one", for: .ingest) != nil)
        clock.seconds.store(1_001, ordering: .relaxed)
        #expect(ring.authenticate("one", for: .ingest) == nil)
    }

    @Test func `a key without the scope is rejected`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one", scopes: [])])
        #expect(ring.authenticate("one", for: .ingest) == nil)
        #expect(ring.takeUses().isEmpty)
    }

    @Test func `a key is in force for whatever scope until it expires or is revoked`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one", scopes: [.meals], expires: 1_001)])
        #expect(ring.isInForce("one") && ring.isInForce("fixed"))
        #expect(!ring.isInForce("two") && !ring.isInForce(""))
        #expect(ring.takeUses().isEmpty)
        clock.seconds.store(1_001, ordering: .relaxed)
        #expect(!ring.isInForce("one"))
        clock.seconds.store(1_000, ordering: .relaxed)
        ring.replaceIssued(with: [])
        #expect(!ring.isInForce("one") && ring.isInForce("fixed"))
    }

    @Test func `a key that is refused still has its name, and gets no access by that`() throws {
        let ring = try ring()
        let old = KeyID(name: "old", id: 3)
        ring.replaceIssued(
            with: [
                issued(1, "one", scopes: [.meals]), issued(2, "two", expires: 999),
            ], departed: [KeyDigest(of: "three"): old])
        #expect(ring.id(of: "one")?.name == "key 1" && ring.id(of: "two")?.name == "key 2")
        #expect(ring.id(of: "three") == old && ring.id(of: "fixed")?.name == "configured-1")
        #expect(ring.id(of: "four") == nil && ring.id(of: "") == nil)
        #expect(ring.authenticate("three", for: .ingest) == nil && !ring.isInForce("three"))
        #expect(ring.takeUses().isEmpty)
        ring.replaceIssued(with: [])
        #expect(ring.id(of: "three") == nil)
    }

    @Test func `each use is returned once, the latest of each key`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one"), issued(2, "two")])
        _ = ring.authenticate("one", for: .ingest)
        clock.seconds.store(2_000, ordering: .relaxed)
        _ = ring.authenticate("one", for: .ingest)
        _ = ring.authenticate("fixed", for: .ingest)
        let uses = ring.takeUses()
        #expect(uses.map(\.id) == [1])
        #expect(uses.map(\.at.microseconds) == [2_000_000_000])
        #expect(ring.takeUses().isEmpty)
    }

    @Test func `a use just before an unchanged replacement is not lost`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one")])
        _ = ring.authenticate("one", for: .ingest)
        ring.replaceIssued(with: [issued(1, "one")])
        #expect(ring.takeUses().count == 1)
    }

    @Test func `the last use of a revoked key is not lost either`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one"), issued(2, "two")])
        _ = ring.authenticate("one", for: .ingest)
        ring.replaceIssued(with: [issued(2, "two")])
        #expect(ring.takeUses().map(\.id) == [1])
        #expect(ring.takeUses().isEmpty)
    }

    @Test func `a token longer than any key is not hashed`() throws {
        let ring = try ring()
        let long = String(repeating: "k", count: 257)
        ring.replaceIssued(with: [issued(1, long)])
        #expect(ring.authenticate(long, for: .ingest) == nil)
    }

    @Test func `neither a description nor a dump shows a key or digest`() throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "one")])
        var dumped = ""
        dump(ring, to: &dumped)
        #expect("\(ring)" == "KeyRing(configured: 1, issued: 1)")
        #expect(!dumped.contains("fixed") && !dumped.contains("digest"))
        #expect(!String(reflecting: issued(1, "one")).contains("one\""))
    }

    @Test(.timeLimit(.minutes(10)))
    func `replacing keys under load never makes a lasting key fail`() async throws {
        let ring = try ring()
        ring.replaceIssued(with: [issued(1, "lasting")])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<2_000 {
                    ring.replaceIssued(with: [
                        issued(1, "lasting"), issued(Int64(round) + 2, "round \(round)"),
                    ])
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<2_000 {
                        #expect(ring.authenticate("lasting", for: .ingest)?.id.id == 1)
                    }
                }
            }
        }
    }
}

extension KeyRingTests {
    @Test func `a configured key is valid for the scopes of its setting only`() throws {
        let ring = KeyRing(
            configured: try ConfiguredKeys("device, both"),
            application: try ConfiguredKeys("app, both")
        ) { Timestamp(microseconds: 0) }
        for scope in KeyScope.allCases {
            let isIngest = scope == .ingest
            #expect((ring.authenticate("device", for: scope) != nil) == isIngest)
            #expect((ring.authenticate("app", for: scope) != nil) == !isIngest)
            #expect(ring.authenticate("both", for: scope)?.id.name == "configured-2")
        }
        #expect(ring.configuredCount == 3)
        ring.replaceConfigured(
            with: try ConfiguredKeys("device"), application: try ConfiguredKeys("device"),
            bytesPerSecond: nil)
        #expect(ring.authenticate("app", for: .meals) == nil)
        #expect(ring.authenticate("device", for: .meals) != nil)
    }

    @Test func `the ring knows whether apps have been issued a key`() throws {
        let ring = KeyRing(configured: .none) { Timestamp(microseconds: 0) }
        func issue(_ scopes: Set<KeyScope>) {
            ring.replaceIssued(
                with: [
                    IssuedKey(
                        id: KeyID(name: "k", id: 1), digest: KeyDigest(of: "k"), scopes: scopes,
                        expiresAt: nil)
                ])
        }
        issue([.ingest])
        #expect(!ring.hasIssuedApplicationKey)
        issue([.ingest, .media])
        #expect(ring.hasIssuedApplicationKey)
        // Revoking a key must not reopen the access that it had ended.
        ring.replaceIssued(with: [])
        #expect(ring.hasIssuedApplicationKey)
    }
}
