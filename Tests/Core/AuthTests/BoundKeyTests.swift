import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Auth

/// Keys and tokens that bring one user's or one device's readings.
@Suite(.timeLimit(.minutes(10))) struct BoundKeyTests {
    private let now = Timestamp(unixSeconds: Int64(TokenMaker.now))

    private func policy(
        _ keys: [IssuedKey] = [], bytesPerSecond: Int? = nil
    ) async throws -> AccessPolicy {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = TokenMaker.secret
        let now = now
        let ring = KeyRing(
            configured: .none, bytesPerSecond: bytesPerSecond, now: { now })
        ring.replaceIssued(with: keys)
        return try await AccessPolicy(
            configuration, host: "0.0.0.0", keys: ring, now: { now })
    }

    private static func key(_ name: String, _ scopes: Set<KeyScope>, _ binding: KeyBinding?)
        -> IssuedKey
    {
        IssuedKey(
            id: KeyID(name: name, id: 1), digest: KeyDigest(of: name), scopes: scopes,
            expiresAt: nil, binding: binding)
    }

    @Test func `the table keeps whom a key is bound to`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "bound")
        let bindings = [
            nil, KeyBinding(user: "ann", device: nil), KeyBinding(user: nil, device: "Watch"),
            KeyBinding(user: "ann", device: "watch"),
        ]
        for (index, binding) in bindings.enumerated() {
            _ = try KeyStore.create(
                name: "key \(index)", scopes: [.ingest], expiresAt: nil, binding: binding,
                on: connection)
        }
        #expect(try KeyStore.list(on: connection).map(\.binding) == bindings)
        #expect(
            Set(try KeyStore.inForce(on: connection).map(\.binding)) == Set(bindings))
        #expect(bindings[2]?.device == "watch")
        #expect(KeyBinding(user: nil, device: nil) == nil)
    }

    @Test func `a key whose binding changes is another key at once`() async throws {
        let ring = KeyRing(configured: .none, now: { Timestamp(microseconds: 0) })
        for user in [nil, "ann", "bob"] {
            ring.replaceIssued(
                with: [Self.key("k", [.ingest], KeyBinding(user: user, device: nil))])
            #expect(ring.authenticate("k", for: .ingest)?.binding?.user == user)
        }
    }

    @Test func `a key that is bound to a user reaches that user's data only`() async throws {
        let policy = try await policy([
            Self.key("k", [.captures, .status], KeyBinding(user: "ann", device: nil)),
            Self.key("d", [.captures], KeyBinding(user: nil, device: "watch")),
        ])
        func answer(_ key: String, _ user: String?, _ scope: KeyScope = .captures) async -> String {
            let credentials = Credentials(token: key, origin: nil, authority: nil)
            return switch await policy.admit(credentials, user: user, scope: scope) {
            case .admitted(let caller): caller.user ?? "anybody"
            case .forbidden: "forbidden"
            case .scopeMissing: "scope"
            default: "no"
            }
        }
        #expect(await answer("k", "ann") == "ann")
        #expect(await answer("k", nil) == "ann")
        #expect(await answer("k", "bob") == "forbidden")
        #expect(await answer("k", nil, .status) == "scope")
        #expect(await answer("d", "ann") == "scope")
    }

    @Test func `a token is the account of its user`() async throws {
        let policy = try await policy(bytesPerSecond: 1000)
        let maker = TokenMaker.secret()
        let ann = try #require(policy.sender(maker.token(#""sub":"ann""#)))
        #expect(ann.binding == KeyBinding(user: "ann", device: nil))
        #expect(ann.bytesPerSecond == 1000)
        #expect(policy.sender(maker.token(#""sub":"ann","x":1"#)) === ann)
        #expect(policy.sender(maker.token(#""sub":"bob""#)) !== ann)
        #expect(policy.sender(maker.token(#""sub":"ann","exp":1"#)) == nil)
        #expect(policy.sender("a.b.c") == nil && policy.sender("") == nil)
        #expect(
            policy.sender(
                TokenMaker.secret("another secret of more than 32 bytes").token(#""sub":"ann""#))
                == nil)
    }

    @Test func `the accounts of users are bounded, and those in use stay`() {
        let senders = TokenSenders()
        let busy = senders.account(of: "busy", bytesPerSecond: nil)
        #expect(busy.reserve(10, free: 100))
        for number in 0..<2 * TokenSenders.countMax {
            _ = senders.account(of: "user \(number)", bytesPerSecond: nil)
        }
        #expect(senders.account(of: "busy", bytesPerSecond: nil) === busy)
        // Two spellings of one letter are two users.
        let composed = senders.account(of: "\u{E9}", bytesPerSecond: nil)
        #expect(senders.account(of: "e\u{301}", bytesPerSecond: nil) !== composed)
    }

    @Test(arguments: [
        ("Basic YW5uOnNlY3JldA==", "ann", "secret"), ("basic  YW5uOnNlY3JldA", "ann", "secret"),
        ("Basic OmE6Yg==", "", "a:b"),
    ])
    func `user and password of Basic authentication`(
        field: String, user: String, password: String
    ) {
        let basic = BasicCredentials(authorization: field)
        #expect(basic?.user == user && basic?.password == password)
        #expect(PresentedToken.inAuthorization(field) == password)
        #expect("\(basic as Any)".contains(password) == false)
    }

    @Test(arguments: ["", "Basic", "Basic ", "Basic ?", "Basic YW5u", "Basic /w==", "Digest YTpi"])
    func `what is no Basic authentication`(field: String) {
        #expect(BasicCredentials(authorization: field) == nil)
        #expect(PresentedToken.inAuthorization(field) == nil)
    }
}
