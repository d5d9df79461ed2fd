import TestSupport
import Testing

/// `sluice-ingest`: the core without any app.
@Suite(.timeLimit(.minutes(10))) struct CoreAloneTests {
    private static let program = BuiltProgram.path("sluice-ingest")

    @Test func `the core alone takes batches, shows its status, and has no route of an app`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("core_alone")
        let server = try await RunningServer.start(
            environment: environment, program: Self.program)
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try Fixtures.count("sluice.gps", settings) == 1)
        for (path, status) in [
            ("/health", 200), ("/metrics", 200), ("/status", 200), ("/docs", 404),
            ("/upload/a", 404), ("/api/v1/foods", 404), ("/api/users/user/a/moods", 404),
        ] {
            let answer = try await Answer.curl(["--max-time", "20", server.url + path])
            #expect(answer.status == status, "\(path)")
        }
        #expect(!server.output.contains("/ws/"), "\(server.output)")
        #expect(try await server.end() == 0)
    }

    @Test func `the core alone has no setting of an app, and still its own`() async throws {
        let shown = try await Subprocess.run(Self.program, ["config"])
        #expect(shown.out.contains("\n#SLUICE_LANES="))
        for key in ["MEDIA_STORE", "MEAL_PARSER", "SLUICE_JOBS_CONCURRENCY"] {
            #expect(!shown.out.contains(key), "\(key)")
        }
        let refused = try await Subprocess.run(
            Self.program, ["config", "show", "--set", "SLUICE_MEAL_PARSER=local"])
        #expect(
            refused.status == 64 && refused.err.contains("SLUICE_MEAL_PARSER: there is no such"))
        let jobs = try await Subprocess.run(Self.program, ["jobs"])
        #expect(jobs.status == 64, "\(jobs.err)")
    }
}
