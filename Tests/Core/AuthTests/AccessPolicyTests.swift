import Foundation
import Readings
import Synchronization
import Testing

@testable import Auth

@Suite(.timeLimit(.minutes(10))) struct AccessPolicyTests {
    private let now = Timestamp(unixSeconds: Int64(TokenMaker.now))

    /// - Parameter issued: nil: the table has not been read.
    private func ring(
        ingest: String? = nil, application: String? = nil, issued: [IssuedKey]?
    ) throws -> KeyRing {
        let now = now
        let ring = KeyRing(
            configured: try ConfiguredKeys(ingest), application: try ConfiguredKeys(application)
        ) { now }
        if let issued { ring.replaceIssued(with: issued) }
        return ring
    }

    private static let mealKey = IssuedKey(
        id: KeyID(name: "meals", id: 1), digest: KeyDigest(of: "m"), scopes: [.meals],
        expiresAt: nil)

    private func policy(
        host: String = "0.0.0.0", ring: KeyRing? = nil,
        configure: (inout AccessConfiguration) -> Void = { $0.tokenSecret = TokenMaker.secret }
    ) async throws -> AccessPolicy {
        var configuration = AccessConfiguration()
        configure(&configuration)
        let now = now
        return try await AccessPolicy(
            configuration, host: host, keys: try ring ?? self.ring(issued: [])
        ) { now }
    }

    /// The decision as a short word.
    private func answer(
        _ policy: AccessPolicy, _ token: String?, _ user: String? = "po-lin",
        _ scope: KeyScope = .captures, origin: String? = nil, authority: String? = nil,
        isForwarded: Bool = false
    ) async -> String {
        let credentials = Credentials(
            token: token, origin: origin, authority: authority, isForwarded: isForwarded)
        return switch await policy.admit(credentials, user: user, scope: scope) {
        case .admitted(.anybody): "anybody"
        case .admitted(.user(let name, _)): "user \(name)"
        case .admitted(.key(let account)): "key \(account.id.name)"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .scopeMissing: "scope missing"
        case .otherSite: "other site"
        case .unknown: "unknown"
        }
    }

    @Test func `the status is open to this machine if keys are remembered, and none is for apps`()
        async throws
    {
        for (remembered, expected) in [
            (nil, "unknown"), ([], "anybody"), ([Self.mealKey], "unauthorized"),
        ] as [([IssuedKey]?, String)] {
            let ring = try ring(issued: nil)
            if let remembered { ring.remember(remembered) }
            let policy = try await policy(host: "127.0.0.1", ring: ring) { _ in }
            #expect(await answer(policy, nil, nil, .status) == expected)
            #expect(policy.isOpen(for: .status) == (expected == "anybody"))
            #expect(await answer(policy, nil, nil, .meals) == "unknown")
        }
    }

    @Test func `a token reaches its own user's data and nobody else's`() async throws {
        let policy = try await policy()
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
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
        let token = TokenMaker.secret().token(#""sub":"é""#)
        #expect("é" == "e\u{301}")
        #expect(await answer(policy, token, "\u{E9}") == "user é")
        #expect(await answer(policy, token, "e\u{301}") == "forbidden")
    }

    @Test func `if the path names no user, the user is that of the token`() async throws {
        let policy = try await policy()
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
        guard
            case .admitted(let caller) = await policy.admit(
                Credentials(token: token, origin: nil, authority: nil), user: nil,
                scope: .captures)
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
        let ring = try ring(
            ingest: "device", application: "app, both", issued: [Self.mealKey])
        let policy = try await policy(ring: ring) { $0.applicationKeys = "app, both" }
        #expect(await answer(policy, "app", "anyone") == "key application-1")
        #expect(await answer(policy, "both", nil, .media) == "key application-2")
        #expect(await answer(policy, "app", "anyone", .ingest) == "scope missing")
        #expect(await answer(policy, "device") == "scope missing")
        #expect(await answer(policy, "m") == "scope missing")
        #expect(await answer(policy, "n") == "unauthorized")
        #expect(await answer(policy, "m", "anyone", .meals) == "key meals")
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.1", "localhost", "LOCALHOST", "::1", "[::1]"])
    func `on loopback no credentials are needed until a secret or key is configured`(host: String)
        async throws
    {
        let open = try await policy(host: host) { _ in }
        #expect(open.isOpen)
        #expect(await answer(open, nil) == "anybody")
        #expect(await answer(open, "nonsense") == "anybody")
        let closed = try await policy(host: host)
        #expect(!closed.isOpen)
        #expect(await answer(closed, nil) == "unauthorized")
        #expect(try await !policy(host: host) { $0.applicationKeys = "k" }.isOpen)
    }

    @Test func `the first issued key ends open access, and revoking it does not restore it`()
        async throws
    {
        let ring = try ring(issued: [])
        let policy = try await policy(host: "::1", ring: ring) { _ in }
        #expect(await answer(policy, nil) == "anybody")
        ring.replaceIssued(with: [Self.mealKey])
        #expect(!policy.isOpen)
        #expect(await answer(policy, nil) == "unauthorized")
        #expect(await answer(policy, "m", nil, .meals) == "key meals")
        ring.replaceIssued(with: [])
        #expect(await answer(policy, "m", nil, .meals) == "unauthorized")
        #expect(await answer(policy, nil) == "unauthorized")
        try await policy.replace(with: AccessConfiguration())
        #expect(!policy.isOpen)
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"])
    func `before a server has read the issued keys it is not open and calls no key wrong`(
        host: String
    ) async throws {
        let ring = try ring(issued: nil)
        let unsaid = try await policy(host: host, ring: ring) { _ in }
        let said = try await policy(host: host, ring: ring)
        #expect(!unsaid.isOpen)
        #expect(await answer(unsaid, nil) == (host == "0.0.0.0" ? "unauthorized" : "unknown"))
        #expect(await answer(unsaid, "m", nil, .meals) == "unknown")
        #expect(await answer(said, nil) == "unauthorized")
        #expect(await answer(said, "m", nil, .meals) == "unknown")
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
        #expect(await answer(said, token) == "user po-lin")
        ring.replaceIssued(with: [])
        #expect(unsaid.isOpen == (host == "127.0.0.1"))
        #expect(await answer(said, "m", nil, .meals) == "unauthorized")
    }

    @Test(
        arguments: [
            // Programs send no origin; pages from this server are allowed.
            (nil, "127.0.0.1:8080", true), (nil, nil, true),
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true),
            ("https://LOCALHOST", "localhost:443", true), ("http://[::1]:81", "[::1]:81", true),
            ("http://a.localhost", "a.localhost:80", true),
            // Pages of other sites; of no site ("null"); of another port, which is another
            // program.
            ("http://evil.example", "127.0.0.1:8080", false), ("null", "127.0.0.1:8080", false),
            ("", "127.0.0.1:8080", false), ("http://127.0.0.1:8081", "127.0.0.1:8080", false),
            ("http://127.0.0.1:8080.evil.example", "127.0.0.1:8080", false),
            ("http://evil.example", nil, false),
            // Another site's name that resolves to this machine, with and without an origin
            // header.
            ("http://evil.example:8080", "evil.example:8080", false),
            (nil, "evil.example:8080", false), (nil, "127.0.0.1.evil.example", false),
            (nil, "evil-localhost", false), (nil, "1.2.3.4.5", false),
        ] as [(String?, String?, Bool)])
    func `pages of other sites are rejected where no credentials are needed`(
        _ origin: String?, _ authority: String?, _ isAdmitted: Bool
    ) async throws {
        let open = try await policy(host: "127.0.0.1") { _ in }
        let expected = isAdmitted ? "anybody" : "other site"
        #expect(await answer(open, nil, origin: origin, authority: authority) == expected)
        // With a token only the token counts: no page has another site's token.
        let closed = try await policy()
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
        #expect(
            await answer(closed, token, origin: origin, authority: authority) == "user po-lin")
    }

    @Test
    func
        `open access allows any host name, but no pages of other sites`()
        async throws
    {
        let open = try await policy { $0.isOpenAllowed = true }
        #expect(await answer(open, nil, authority: "box.example:8080") == "anybody")
        let own = "http://box.example"
        #expect(await answer(open, nil, origin: own, authority: "box.example:80") == "anybody")
        #expect(await answer(open, nil, origin: own, authority: "box.example:8080") == "other site")
    }

    /// Who is admitted to the apps and to the status: with no credentials, and with a key for it.
    @Test(
        arguments: [
            ("127.0.0.1", false, "localhost:80", false, "anybody", "anybody"),
            ("127.0.0.1", false, "box.example", false, "other site", "other site"),
            ("127.0.0.1", false, "localhost:80", true, "anybody", "unauthorized"),
            ("127.0.0.1", true, "127.0.0.1:80", false, "anybody", "anybody"),
            ("127.0.0.1", true, "box.example", false, "anybody", "unauthorized"),
            ("127.0.0.1", true, "127.0.0.1:80", true, "anybody", "unauthorized"),
            ("0.0.0.0", true, "127.0.0.1:80", false, "anybody", "unauthorized"),
            ("0.0.0.0", true, "box.example", true, "anybody", "unauthorized"),
        ] as [(String, Bool, String, Bool, String, String)])
    func `open access opens the apps, and the status to this machine only`(
        _ host: String, _ isAllowed: Bool, _ authority: String, _ isForwarded: Bool,
        _ apps: String, _ status: String
    ) async throws {
        let key = IssuedKey(
            id: KeyID(name: "ops", id: 1), digest: KeyDigest(of: "o"), scopes: [.status],
            expiresAt: nil)
        let policy = try await policy(host: host, ring: ring(issued: [key])) {
            $0.isOpenAllowed = isAllowed
        }
        func answer(_ token: String?, _ scope: KeyScope) async -> String {
            await self.answer(
                policy, token, nil, scope, authority: authority, isForwarded: isForwarded)
        }
        for scope in KeyScope.application { #expect(await answer(nil, scope) == apps) }
        #expect(await answer(nil, .status) == status)
        #expect(await answer("wrong", .status) == status)
        #expect(
            await answer("o", .status) == (status == "unauthorized" ? "key ops" : status))
        #expect(policy.isOpen && policy.isOpen(for: .status) == (host == "127.0.0.1"))
    }

    @Test(arguments: [
        "0.0.0.0", "::", "", "10.0.0.1", "example.org", "127.0.0", "127.0.0.256",
        "127.0.0.1.example",
        "127.evil.example.org", "localhost.example.org", "::ffff:127.0.0.1", "127.+1.0.1",
    ])
    func `on every other address a server without keys does not start`(host: String) async throws {
        var configuration = AccessConfiguration()
        #expect(configuration.faults(host: host) == [.open(host: host)])
        let message = try #require(configuration.faults(host: host).first).sentence
        #expect(message.contains("SLUICE_JWT_SECRET") && message.contains("--allow-open"))
        await #expect(throws: AccessFault.open(host: host)) {
            try await policy(host: host) { _ in }
        }
        #expect(configuration.faults(host: host, mayHaveIssuedKeys: true).isEmpty)
        configuration.isOpenAllowed = true
        #expect(configuration.faults(host: host).isEmpty)
        #expect(try await policy(host: host) { $0.isOpenAllowed = true }.isOpen)
        configuration = AccessConfiguration()
        configuration.applicationKeys = " , "
        #expect(configuration.faults(host: host) == [.open(host: host)])
        configuration.applicationKeys = "key"
        #expect(configuration.faults(host: host).isEmpty)
    }

    @Test func `allowing open access has no effect once there is a secret`() async throws {
        let policy = try await policy {
            $0.tokenSecret = TokenMaker.secret
            $0.isOpenAllowed = true
        }
        #expect(await answer(policy, nil) == "unauthorized")
    }

    @Test func `where paths are trusted a caller without credentials is admitted only by the path`()
        async throws
    {
        let ring = try ring(issued: [Self.mealKey])
        let policy = try await policy(ring: ring) {
            $0.tokenSecret = TokenMaker.secret
            $0.trustsPathUser = true
        }
        #expect(policy.openness == .userInPath && !policy.isOpen)
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
        for scope in KeyScope.allCases {
            let isByPath = scope == .captures || scope == .media
            #expect(
                await answer(policy, nil, nil, scope) == (isByPath ? "anybody" : "unauthorized"))
            // Credentials that are sent are checked.
            #expect(await answer(policy, token + "x", "po-lin", scope) == "unauthorized")
            #expect(await answer(policy, "", "po-lin", scope) == "unauthorized")
            #expect(await answer(policy, token, "po-lin", scope) == "user po-lin")
            #expect(await answer(policy, token, "ann", scope) == "forbidden")
        }
        #expect(await answer(policy, "m", nil, .meals) == "key meals")
        // A server behind a proxy may have any name; pages of other sites stay rejected.
        #expect(await answer(policy, nil, authority: "box.example") == "anybody")
        #expect(
            await answer(policy, nil, origin: "http://evil.example", authority: "box.example")
                == "other site")
        var strict = AccessConfiguration()
        strict.tokenSecret = TokenMaker.secret
        try await policy.replace(with: strict)
        #expect(await answer(policy, nil) == "unauthorized")
    }

    @Test func `a pass is in force as long as its credentials would be admitted again`()
        async throws
    {
        func pass(_ policy: AccessPolicy, _ token: String?, _ scope: KeyScope) async -> Pass? {
            let credentials = Credentials(token: token, origin: nil, authority: nil)
            guard
                case .admitted(let caller) = await policy.admit(
                    credentials, user: nil, scope: scope)
            else { return nil }
            return Pass(caller, credentials)
        }
        let time = Mutex(now)
        let ring = try ring(issued: [Self.mealKey])
        var configuration = AccessConfiguration()
        configuration.tokenSecret = TokenMaker.secret
        configuration.trustsPathUser = true
        let policy = try await AccessPolicy(configuration, host: "0.0.0.0", keys: ring) {
            time.withLock { $0 }
        }
        let maker = TokenMaker.secret()
        let ending = maker.token(#""sub":"ann","exp":\#(TokenMaker.now + 60)"#)
        let token = try #require(await pass(policy, ending, .meals))
        let key = try #require(await pass(policy, "m", .meals))
        let path = try #require(await pass(policy, nil, .captures))
        let endless = try #require(
            await pass(policy, maker.token(#""sub":"ann","exp":1e300"#), .meals))
        // One minute, and thirty seconds of tolerance for clocks that differ.
        for (seconds, holds) in [(0, true), (89, true), (90, false), (1_000_000, false)] {
            time.withLock { $0 = Timestamp(unixSeconds: Int64(TokenMaker.now + seconds)) }
            #expect(policy.isInForce(token, for: .meals) == holds)
            #expect(
                await answer(policy, ending, "ann", .meals) == (holds ? "user ann" : "unauthorized")
            )
            #expect(policy.isInForce(endless, for: .meals))
        }
        #expect(policy.isInForce(key, for: .meals) && policy.isInForce(path, for: .captures))
        ring.replaceIssued(with: [])
        #expect(!policy.isInForce(key, for: .meals))
        configuration.trustsPathUser = false
        try await policy.replace(with: configuration)
        #expect(!policy.isInForce(path, for: .captures))
    }

    @Test func `trusted paths alone don't allow a server to start on a public address`()
        async throws
    {
        var configuration = AccessConfiguration()
        configuration.trustsPathUser = true
        #expect(configuration.faults(host: "0.0.0.0") == [.open(host: "0.0.0.0")])
    }

    @Test func `a short secret and a key that no header can carry are faults`() {
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

    @Test func `no part of a secret appears in a description`() async throws {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = TokenMaker.secret
        configuration.applicationKeys = "application key"
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        #expect(!text.contains("secret of more") && !text.contains("application key"))
    }

    @Test func `a key file that can't be used stops the start`() async throws {
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
