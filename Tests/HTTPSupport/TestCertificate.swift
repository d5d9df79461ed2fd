import Foundation

@testable import HTTP

/// A self-signed certificate and its key, in two files in a directory of their own.
final class TestCertificate: Sendable {
    let directory: URL
    var certificatePath: String { directory.appending(path: "chain.pem").path }
    var keyPath: String { directory.appending(path: "key.pem").path }

    init(name: String = "localhost") throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "sluice-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try issue(name: name)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    var configuration: TLSConfiguration {
        TLSConfiguration(certificatePath: certificatePath, keyPath: keyPath)
    }

    /// Replaces the old pair by a new one.
    func issue(name: String) throws {
        let result = try Shell.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days", "30", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", keyPath, "-out", certificatePath,
            ])
        guard result.status == 0 else { throw Shell.Failed(output: result.output) }
    }

    func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
