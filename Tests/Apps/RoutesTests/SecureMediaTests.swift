import Foundation
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Uploads and downloads over TLS, where the kernel can't send bytes straight from the file to the
/// socket.
@Suite(.timeLimit(.minutes(10))) struct SecureMediaTests {
    @Test(arguments: ["--http1.1", "--http2"])
    func `a downloaded file equals the uploaded one`(version: String) async throws {
        let certificate = try TestCertificate()
        try await AppServer.with { configuration in
            configuration.tls = certificate.configuration
        } _: { server in
            let photo = FormBody.jpeg(3 << 20)
            let sent = server.directory + "/sent.jpg"
            let received = server.directory + "/received.jpg"
            try Data(photo).write(to: URL(filePath: sent))
            let base = "https://localhost:\(server.port)"
            func curl(_ arguments: String...) async throws -> String {
                try await onThread {
                    try Shell.run(
                        "curl",
                        ["-sSk", "--max-time", "30", version]
                            + ["-H", "X-API-Key: \(AppServer.key)"] + arguments
                    ).output
                }
            }
            let answer = try await curl("-F", "file=@\(sent)", base + "/upload/a")
            #expect(
                answer
                    == #"{"status":"success","url":"\#(base)/media/memories/a/photo.jpg","#
                    + #""captureId":"a"}"#)
            for _ in 0..<2 {
                _ = try await curl("-o", received, base + "/media/memories/a/photo.jpg")
                #expect(FileManager.default.contents(atPath: received) == Data(photo))
            }
            let part = try await curl(
                "-r", "100000-299999", "-o", received, "-w", "%{http_code}",
                base + "/media/memories/a/photo.jpg")
            #expect(part == "206")
            #expect(
                FileManager.default.contents(atPath: received) == Data(photo[100_000..<300_000]))
        }
    }
}
