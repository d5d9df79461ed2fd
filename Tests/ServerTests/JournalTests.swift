import Foundation
import Postgres
import TestSupport
import Testing

/// The journal from end to end: the real binary, clients made of other libraries, real files.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: JournalClient.isThere, "no Python or ffmpeg: deploy/install-dependencies test"))
struct JournalTests {
    @Test(arguments: ["kinds", "records", "lying", "thumbnails", "places"])
    func `a client of the journal observes the contract`(scenario: String) async throws {
        let (environment, _) = try Fixtures.environment("journal")
        let server = try await RunningServer.start(environment: environment)
        try await JournalClient.run(scenario, server.url)
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test(
        .enabled(if: JournalClient.isInstalled("chromium"), "no chromium: apt-get install chromium")
    )
    func `a browser sends a form and shows its pictures`() async throws {
        let (environment, _) = try Fixtures.environment("browser")
        let server = try await RunningServer.start(environment: environment)
        try await JournalClient.run("browser", server.url)
        #expect(try await server.end() == 0)
    }

    @Test func `curl sends a mood and gets its picture`() async throws {
        let (environment, _) = try Fixtures.environment("curl")
        let server = try await RunningServer.start(environment: environment)
        let path = TestCluster.freshDirectory() + ".png"
        let made = try await Subprocess.run(
            "/usr/bin/ffmpeg",
            [
                "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-frames:v", "1",
                path,
            ])
        #expect(made.status == 0, "\(made.err)")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let answer = try await Answer.curl([
            server.url + "/api/users/user/kim/moods/swift", "-F", "mood=happy", "-F",
            "tags=a,b", "-F", "file=@\(path);type=image/jpeg", "-F", "image=@\(path)",
        ])
        #expect(answer.status == 200, "\(answer.body)")
        let urls = try #require(try answer.json["imageUrls"] as? [String])
        #expect(urls.count == 2)
        for url in urls {
            let back = path + ".back"
            defer { try? FileManager.default.removeItem(atPath: back) }
            let got = try await Subprocess.run(
                "/usr/bin/curl", ["--silent", "--fail", "--output", back, url])
            #expect(got.status == 0)
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: back))
                    == Data(contentsOf: URL(fileURLWithPath: path)))
        }
        // curl copies the name from the disk into the header unchanged.
        let head = try await Answer.curl(["--head", urls[0]])
        let name = URL(fileURLWithPath: path).lastPathComponent
        #expect(head.headers["content-disposition"] == "inline; filename=\"\(name)\"")
        #expect(try await server.end() == 0)
    }

    @Test func `it works the same over TLS and HTTP2`() async throws {
        let directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func file(_ name: String) -> String { directory.appendingPathComponent(name).path }
        let made = try await Subprocess.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj",
                "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file("key.pem"),
                "-out", file("chain.pem"),
            ])
        #expect(made.status == 0, "\(made.err)")
        let sound = try await Subprocess.run(
            "/usr/bin/ffmpeg",
            [
                "-loglevel", "error", "-f", "lavfi", "-i", "sine=d=2", "-fflags", "+bitexact",
                "-flags:a", "+bitexact", file("voice.wav"),
            ])
        #expect(sound.status == 0, "\(sound.err)")
        let (environment, _) = try Fixtures.environment(
            "journal_tls",
            ["SLUICE_TLS_CERT": file("chain.pem"), "SLUICE_TLS_KEY": file("key.pem")])
        let server = try await RunningServer.start(environment: environment)
        for version in ["--http2", "--http1.1"] {
            let answer = try await Answer.curl([
                "--cacert", file("chain.pem"), version,
                server.url + "/api/users/user/kim/moods/swift", "-F", "mood=m", "-F",
                "voiceNote=@\(file("voice.wav"));type=audio/wav",
            ])
            #expect(answer.status == 200, "\(answer.body)")
            let mood = try #require(try answer.json["mood"] as? [String: Any])
            let url = try #require(mood["voiceNote"] as? String)
            #expect(url.hasPrefix("https://"))
            let got = try await Subprocess.run(
                "/usr/bin/curl",
                [
                    "--silent", "--fail", "--cacert", file("chain.pem"), version, "--output",
                    file("back"), url,
                ])
            #expect(got.status == 0)
            #expect(
                try Data(contentsOf: directory.appendingPathComponent("back"))
                    == Data(contentsOf: directory.appendingPathComponent("voice.wav")))
        }
        #expect(try await server.end() == 0)
    }
}
