import Foundation
import Logging
import Readings
import ServiceLifecycle
import TestSupport
import Testing

@testable import Auth

@Suite(.timeLimit(.minutes(10))) struct KeyRotationTests {
    private let now = Timestamp(unixSeconds: Int64(TokenMaker.now))
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func isAdmitted(_ policy: AccessPolicy, _ token: String) async -> Bool {
        let credentials = Credentials(token: token, origin: nil, authority: nil)
        return if case .admitted = await policy.admit(credentials, user: "a", scope: .meals) {
            true
        } else {
            false
        }
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "sluice-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private func policy(_ path: String, secret: String? = nil) async throws -> AccessPolicy {
        var configuration = AccessConfiguration()
        configuration.tokenKeysPath = path
        configuration.tokenSecret = secret
        let now = now
        return try await AccessPolicy(
            configuration, host: "0.0.0.0", keys: KeyRing(configured: .none) { now }
        ) { now }
    }

    @Test func `keys change with their file and stay when the file is missing`() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "keys.json").path
            let (old, new) = (SigningKey(), SigningKey())
            let oldToken = TokenMaker.ellipticCurve(old).token(#""sub":"a""#)
            let newToken = TokenMaker.ellipticCurve(new).token(#""sub":"a""#)
            try TestKeys.document(TestKeys.entry(old, name: "old"))
                .write(toFile: path, atomically: true, encoding: .utf8)
            let policy = try await policy(path, secret: TokenMaker.secret)
            #expect(try await !policy.refreshKeys())
            #expect(await isAdmitted(policy, oldToken))
            #expect(await !isAdmitted(policy, newToken))

            try TestKeys.document(
                TestKeys.entry(old, name: "old"), TestKeys.entry(new, name: "new")
            )
            .write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try await policy.refreshKeys())
            #expect(try await !policy.refreshKeys())
            #expect(await isAdmitted(policy, oldToken))
            #expect(await isAdmitted(policy, newToken))

            for wrong in ["{", #"{"keys":[]}"#] {
                try wrong.write(toFile: path, atomically: true, encoding: .utf8)
                await #expect(throws: AccessFault.self) { try await policy.refreshKeys() }
                await #expect(throws: AccessFault.self) { try await policy.refreshKeys() }
            }
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: AccessFault.keysUnreadable(path: path)) {
                try await policy.refreshKeys()
            }
            #expect(await isAdmitted(policy, newToken))

            try TestKeys.document(TestKeys.entry(new, name: "new"))
                .write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try await policy.refreshKeys())
            #expect(await !isAdmitted(policy, oldToken))
            #expect(await isAdmitted(policy, newToken))
            let secret = TokenMaker.secret().token(#""sub":"a""#)
            #expect(await isAdmitted(policy, secret))
        }
    }

    /// As Kubernetes mounts secrets: a link to a directory that is replaced.
    @Test func `a link to another directory is a change`() async throws {
        try await withDirectory { directory in
            let files = FileManager.default
            let link = directory.appending(path: "keys.json").path
            var tokens: [String] = []
            for name in ["one", "two"] {
                let key = SigningKey()
                tokens.append(TokenMaker.ellipticCurve(key).token(#""sub":"a""#))
                try TestKeys.document(TestKeys.entry(key, name: "same")).write(
                    toFile: directory.appending(path: name).path, atomically: true, encoding: .utf8)
            }
            try files.createSymbolicLink(
                atPath: link, withDestinationPath: directory.appending(path: "one").path)
            let policy = try await policy(link)
            #expect(await isAdmitted(policy, tokens[0]))
            try files.removeItem(atPath: link)
            try files.createSymbolicLink(
                atPath: link, withDestinationPath: directory.appending(path: "two").path)
            #expect(try await policy.refreshKeys())
            #expect(await !isAdmitted(policy, tokens[0]))
            #expect(await isAdmitted(policy, tokens[1]))
        }
    }

    @Test func `the refresher finds a new key by itself and stops on shutdown`() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "keys.json").path
            try TestKeys.document(TestKeys.entry(SigningKey(), name: "old"))
                .write(toFile: path, atomically: true, encoding: .utf8)
            let policy = try await policy(path)
            let refresher = TokenKeyRefresher(
                policy: policy, interval: .milliseconds(10), logger: logger)
            let group = ServiceGroup(configuration: .init(services: [refresher], logger: logger))
            let running = Task { try await group.run() }
            let key = SigningKey()
            let token = TokenMaker.ellipticCurve(key).token(#""sub":"a""#)
            try TestKeys.document(TestKeys.entry(key, name: "new"))
                .write(toFile: path, atomically: true, encoding: .utf8)
            while await !isAdmitted(policy, token) { try await Task.sleep(for: .milliseconds(5)) }
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }

    @Test func `a new configuration applies at once, a faulty one not at all`() async throws {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = TokenMaker.secret
        let now = now
        let policy = try await AccessPolicy(
            configuration, host: "0.0.0.0", keys: KeyRing(configured: .none) { now }
        ) { now }
        let token = TokenMaker.secret().token(#""sub":"a""#)
        configuration.tokenSecret = "short"
        await #expect(throws: AccessFault.self) { try await policy.replace(with: configuration) }
        #expect(await isAdmitted(policy, token))
        configuration.tokenSecret = "another secret of more than 32 bytes"
        try await policy.replace(with: configuration)
        #expect(await !isAdmitted(policy, token))
    }
}
