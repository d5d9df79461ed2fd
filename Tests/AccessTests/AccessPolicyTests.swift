import Foundation
import JWTKit
import Readings
import Testing

@testable import Access

@Suite(.timeLimit(.minutes(1))) struct AccessPolicyTests {
    private let now = Timestamp(unixSeconds: Int64(TokenMaker.now))

    private func ring(ingest: String? = nil, application: String? = nil) throws -> KeyRing {
        let now = now
        return KeyRing(
            configured: try ConfiguredKeys(ingest), application: try ConfiguredKeys(application)
        ) { now }
    }

    private func policy(
        host: String = "0.0.0.0", ring: KeyRing? = nil, hasIssuedKeys: Bool = false,
        configure: (inout AccessConfiguration) -> Void = { $0.tokenSecret = TokenMaker.secret }
    ) async throws -> AccessPolicy {
        var configuration = AccessConfiguration()
        configure(&configuration)
        let now = now
        return try await AccessPolicy(
            configuration, host: host, hasIssuedKeys: hasIssuedKeys,
            keys: try ring ?? self.ring()
        ) { now }
    }

    /// A short word for what was decided.
    private func answer(
        _ policy: AccessPolicy, _ token: String?, _ user: String? = "po-lin",
        _ scope: KeyScope = .captures
    ) async -> String {
        switch await policy.admit(token: token, user: user, scope: scope) {
        case .admitted(.anybody): "anybody"
        case .admitted(.user(let name)): "user \(name)"
        case .admitted(.key(let account)): "key \(account.id.name)"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        }
    }

    @Test func `a token reaches its own user's data and nobody else's`() async throws {
        let policy = try await policy()
        let token = try await TokenMaker.secret().token(#""sub":"po-lin""#)
        for scope in KeyScope.application {
            #expect(await answer(policy, token, "po-lin", scope) == "user po-lin")
            #expect(await answer(policy, token, "po-lin2", scope) == "forbidden")
            #expect(await answer(policy, token, "PO-LIN", scope) == "forbidden")
        }
        #expect(await answer(policy, nil) == "unauthorized")
        #expect(await answer(policy, "") == "unauthorized")
        #expect(await answer(policy, token + "x") == "unauthorized")
    }

    @Test func `two spellings of one letter are two users`() async throws {
        let policy = try await policy()
        let token = try await TokenMaker.secret().token(#""sub":"é""#)
        #expect("é" == "e\u{301}")
        #expect(await answer(policy, token, "\u{E9}") == "user é")
        #expect(await answer(policy, token, "e\u{301}") == "forbidden")
    }

    @Test func `where the path names no user the route asks the caller`() async throws {
        let policy = try await policy()
        let token = try await TokenMaker.secret().token(#""sub":"po-lin""#)
        guard
            case .admitted(let caller) = await policy.admit(
                token: token, user: nil, scope: .captures)
        else {
            Issue.record("not admitted")
            return
        }
        #expect(caller.mayReach("po-lin"))
        #expect(!caller.mayReach("somebody"))
        #expect(caller.user == "po-lin")
        #expect(Caller.anybody.mayReach("somebody") && Caller.anybody.user == nil)
    }

    @Test func `a key acts for any user within its scopes`() async throws {
        let ring = try ring(ingest: "device", application: "app, both")
        ring.replaceIssued(
            with: [
                IssuedKey(
                    id: KeyID(name: "meals", id: 1), digest: KeyDigest(of: "m"), scopes: [.meals],
                    expiresAt: nil)
            ])
        let policy = try await policy(ring: ring) { $0.applicationKeys = "app, both" }
        #expect(await answer(policy, "app", "anyone") == "key application-1")
        #expect(await answer(policy, "both", nil, .media) == "key application-2")
        #expect(await answer(policy, "app", "anyone", .ingest) == "unauthorized")
        #expect(await answer(policy, "device") == "unauthorized")
        #expect(await answer(policy, "m") == "unauthorized")
        #expect(await answer(policy, "m", "anyone", .meals) == "key meals")
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.1", "localhost", "LOCALHOST", "::1", "[::1]"])
    func `on loopback nobody has to show anything until something is set`(host: String) async throws
    {
        let open = try await policy(host: host) { _ in }
        #expect(open.isOpen)
        #expect(await answer(open, nil) == "anybody")
        #expect(await answer(open, "nonsense") == "anybody")
        let closed = try await policy(host: host)
        #expect(!closed.isOpen)
        #expect(await answer(closed, nil) == "unauthorized")
        #expect(try await !policy(host: host, hasIssuedKeys: true) { _ in }.isOpen)
        #expect(try await !policy(host: host) { $0.applicationKeys = "k" }.isOpen)
    }

    @Test(arguments: [
        "0.0.0.0", "::", "", "10.0.0.1", "example.org", "127.0.0", "127.0.0.256",
        "127.0.0.1.example",
        "127.evil.example.org", "localhost.example.org", "::ffff:127.0.0.1", "127.+1.0.1",
    ])
    func `on every other address a server without keys must not start`(host: String) async throws {
        var configuration = AccessConfiguration()
        #expect(configuration.faults(host: host) == [.open(host: host)])
        let message = try #require(configuration.faults(host: host).first).message
        #expect(message.contains("SLUICE_JWT_SECRET") && message.contains("--allow-open"))
        await #expect(throws: AccessFault.open(host: host)) {
            try await policy(host: host) { _ in }
        }
        #expect(configuration.faults(host: host, hasIssuedKeys: true).isEmpty)
        configuration.isOpenAllowed = true
        #expect(configuration.faults(host: host).isEmpty)
        #expect(try await policy(host: host) { $0.isOpenAllowed = true }.isOpen)
        configuration = AccessConfiguration()
        configuration.applicationKeys = " , "
        #expect(configuration.faults(host: host) == [.open(host: host)])
        configuration.applicationKeys = "key"
        #expect(configuration.faults(host: host).isEmpty)
    }

    @Test func `leave to be open opens nothing once there is a secret`() async throws {
        let policy = try await policy {
            $0.tokenSecret = TokenMaker.secret
            $0.isOpenAllowed = true
        }
        #expect(await answer(policy, nil) == "unauthorized")
    }

    @Test func `a short secret and a key that no header carries are faults`() {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = String(repeating: "x", count: 31)
        configuration.applicationKeys = "good,bäd"
        #expect(
            configuration.faults(host: "::1") == [
                .secretTooShort(bytesMin: 32), .applicationKey(.notPrintable(position: 2)),
            ])
        configuration.tokenSecret = String(repeating: "x", count: 32)
        configuration.applicationKeys = String(repeating: "k", count: 257)
        #expect(configuration.faults(host: "::1") == [.applicationKey(.tooLong(position: 1))])
    }

    @Test func `nothing of a secret gets into a description`() async throws {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = TokenMaker.secret
        configuration.applicationKeys = "application key"
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        #expect(!text.contains("secret of more") && !text.contains("application key"))
    }

    @Test func `a file that can't be used stops the start`() async throws {
        try await withKeyFile { path in
            func fault() async -> AccessFault? {
                do throws(AccessFault) {
                    var configuration = AccessConfiguration()
                    configuration.tokenKeysPath = path
                    _ = try await AccessPolicy(
                        configuration, host: "::1", keys: KeyRing(configured: .none) { now }
                    ) { now }
                    return nil
                } catch {
                    return error
                }
            }
            let now = now
            #expect(await fault() == .keysUnreadable(path: path))
            try "no JSON".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await fault() == .keysMalformed(path: path))
            try #"{"keys":[]}"#.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await fault() == .noUsableKey(path: path))
            try String(repeating: " ", count: (1 << 20) + 1)
                .write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await fault() == .keysUnreadable(path: path))
        }
    }

    private func withKeyFile(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "sluice-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.appending(path: "keys.json").path)
    }
}
