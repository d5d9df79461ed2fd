import Foundation
import Postgres
import TestSupport
import Testing

/// Meal logs from end to end: the real binary, and a client made of other libraries.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: CaptureClient.python != nil, "no Python: deploy/install-dependencies test"))
struct MealLogsTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func isEverythingDone(_ settings: ConnectionSettings) async throws -> Bool {
        try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("sluice.job where kind = 'meal.parse'", settings) == 0
        }
    }

    /// Two servers on one new database.
    private func nodes(_ name: String) async throws -> (RunningServer, RunningServer) {
        let (environment, _) = try Fixtures.environment(name, ["SLUICE_NODE": "first"])
        var other = environment
        other["SLUICE_NODE"] = "second"
        other["SLUICE_DATA_DIR"] = TestCluster.freshDirectory()
        return try await (
            .start(environment: environment), .start(environment: other)
        )
    }

    @Test(arguments: ["samples", "batch", "consultation", "faults", "foods", "unnamed"])
    func `a client observes the contract, and its models can decode every frame`(
        scenario: String
    ) async throws {
        let (environment, _) = try Fixtures.environment("meals")
        let server = try await RunningServer.start(environment: environment)
        let frames = try await MealClient.run(scenario, server.url)
        for frame in frames { try MealModels.decode(frame) }
        if scenario == "samples" {
            let types = try frames.map { try MealModels.decode($0) }
            let results = [String](repeating: "meal_log.completed", count: 3)
            #expect(types == ["connected"] + results + ["meal_log.failed", "pong"])
        }
        if scenario == "consultation", let first = frames.first {
            try MealModels.decode(first, consultation: true)
        }
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test
    func `a token gives access to its user's logs, and a key to those of the user that it names`()
        async throws
    {
        let (environment, _) = try Fixtures.environment(
            "mealaccess", ["SLUICE_JWT_SECRET": Self.secret])
        let created = try await Subprocess.sluice(
            "keys", "create", "x", "--scope", "meals", environment: environment)
        #expect(created.status == 0, "\(created.err)")
        let key = created.out.trimmingCharacters(in: .newlines)
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("access", server.url, Self.secret, key)
        let captures = try await Subprocess.sluice(
            "keys", "create", "y", "--scope", "captures", environment: environment)
        let bearer = "Authorization: Bearer " + captures.out.trimmingCharacters(in: .newlines)
        let path = server.url + "/api/v1/meal-logs?user_id=ann"
        #expect(try await Answer.curl(["-H", bearer, path]).status == 401)
        #expect(try await server.end() == 0)
        #expect(!server.log.contains(key) && !server.log.contains(Self.secret))
    }

    @Test func `a socket is closed when its token expires`() async throws {
        let (environment, _) = try Fixtures.environment(
            "mealexpiry", ["SLUICE_JWT_SECRET": Self.secret])
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("expires", server.url, Self.secret)
        #expect(try await server.end() == 0)
    }

    @Test func `a result reaches all of a user's sockets on two nodes, each once`() async throws {
        let (first, second) = try await nodes("mealnodes")
        try await MealClient.run("nodes", first.url, second.url)
        for node in [first, second] {
            #expect(try await node.end() == 0)
            #expect(!node.log.contains("level=error"), "\(node.log)")
        }
    }

    @Test func `results for an offline user are delivered to the next socket on any node`()
        async throws
    {
        let (first, second) = try await nodes("mealaway")
        try await MealClient.run("away", first.url, second.url)
        for node in [first, second] { #expect(try await node.end() == 0) }
    }

    @Test func `an answer waits for a socket of its consultation, and for no other socket`()
        async throws
    {
        var (environment, settings) = try Fixtures.environment("mealconsult")
        environment["SLUICE_JOBS_CONCURRENCY"] = "0"
        let idle = try await RunningServer.start(environment: environment)
        try await MealClient.run("consult", idle.url, "kim", "zzqx vvkt")
        #expect(try await idle.end() == 0)
        environment["SLUICE_JOBS_CONCURRENCY"] = "4"
        let server = try await RunningServer.start(environment: environment)
        #expect(try await isEverythingDone(settings))
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        let id = try connection.query("select consultation_id::text from sluice.consultation")
            .string(0, 0)
        connection.close()
        try await MealClient.run("answered", server.url, "kim", id, "PARSING_FAILED")
        #expect(try await server.end() == 0)
        #expect(try await Fixtures.isDelivered(settings))
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test(arguments: ["tunnel", "resets", "beside"])
    func `a result is delivered once a client has it, not when it was sent`(scenario: String)
        async throws
    {
        let (environment, settings) = try Fixtures.environment("mealtunnel")
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run(scenario, server.url)
        #expect(try await Fixtures.isDelivered(settings))
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test(arguments: [0, 4])
    func `a log that was acknowledged before a kill has its result after it`(jobs: Int) async throws
    {
        var (environment, settings) = try Fixtures.environment("mealkill")
        environment["SLUICE_JOBS_CONCURRENCY"] = String(jobs)
        environment["SLUICE_JOB_LEASE"] = "2s"
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("send", server.url, "kim", "2 eggs and a cup of coffee", "30")
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        #expect(try Fixtures.count("sluice.meal_log", settings) == 30)
        if jobs == 0 {
            #expect(
                try Fixtures.count("sluice.meal_log where status = 'processing'", settings) == 30)
        }
        environment["SLUICE_JOBS_CONCURRENCY"] = "4"
        let again = try await RunningServer.start(environment: environment)
        #expect(try await isEverythingDone(settings), "\(again.log)")
        try await MealClient.run("collect", again.url, "kim", "30")
        #expect(try await Fixtures.isDelivered(settings))
        #expect(try Fixtures.count("sluice.meal_log_item", settings) == 60)
        #expect(try await again.end() == 0)
    }

    @Test func `a log that is deleted while it is processed is gone, and sends no notice`()
        async throws
    {
        var (environment, settings) = try Fixtures.environment("mealdelete")
        environment["SLUICE_JOBS_CONCURRENCY"] = "0"
        let idle = try await RunningServer.start(environment: environment)
        try await MealClient.run("delete", idle.url, "kim")
        #expect(try await idle.end() == 0)
        environment["SLUICE_JOBS_CONCURRENCY"] = "4"
        let server = try await RunningServer.start(environment: environment)
        #expect(try await isEverythingDone(settings))
        try await MealClient.run("silent", server.url, "kim")
        #expect(try Fixtures.count("sluice.meal_log", settings) == 0)
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test func `logs are accepted while the database is stopped, and parsed when it recovers`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let environment = [
            "DATABASE_URL": cluster.settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key", "SLUICE_DATA_DIR": directory + "-server",
            "SLUICE_PATIENCE": "5s", "SLUICE_BACKOFF_MAX": "200ms", "SLUICE_APP_KEYS": "app",
        ]
        // A configured key: issued keys are known only with the database.
        let kim = "kim=app"
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("send", server.url, kim, "2 eggs", "3")
        try await MealClient.run("collect", server.url, kim, "3")
        try cluster.stop()
        try await MealClient.run("send", server.url, kim, "2 eggs", "5", "202")
        // Spooled logs also survive a kill.
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        let again = try await RunningServer.start(environment: environment)
        try await MealClient.run("send", again.url, kim, "2 eggs", "2", "202")

        let back = try TestCluster.startServer(dataDirectory: directory)
        let isThere = try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("sluice.meal_log where status = 'completed'", back.settings) == 10
        }
        #expect(isThere, "\(again.log)")
        try await MealClient.run("collect", again.url, kim, "7")
        #expect(try await again.end() == 0)
        try back.stop()
    }

    @Test func `if the model does not answer, meals are parsed without it, and the log says so`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment(
            "mealmodel",
            [
                "MEAL_PARSER": "gemini", "GEMINI_API_KEY": "model-secret",
                "GEMINI_BASE_URL": "http://127.0.0.1:1", "GEMINI_PAUSE": "10ms",
            ])
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("send", server.url, "kim", "2 eggs", "1")
        try await MealClient.run("collect", server.url, "kim", "1")
        #expect(
            try Fixtures.count(
                "sluice.meal_log_item where parsing_notes = 'read without the model'", settings)
                == 1)
        #expect(try await server.end() == 0)
        #expect(server.log.contains("the model failed; the meal is parsed without it"))
        #expect(!server.log.contains("model-secret") && !server.log.contains("eggs"))
    }

    @Test func `an idle socket is closed`() async throws {
        let (environment, _) = try Fixtures.environment(
            "mealidle", ["SLUICE_SOCKET_IDLE_TIMEOUT": "5s"])
        let server = try await RunningServer.start(environment: environment)
        try await MealClient.run("idle", server.url)
        #expect(try await server.end() == 0)
    }

    @Test func `a meal that is sent again with its key is logged once`() async throws {
        let (environment, settings) = try Fixtures.environment("meal_key")
        let server = try await RunningServer.start(environment: environment)
        func answer(_ key: String, _ user: String, _ food: String) async throws -> Answer {
            let item =
                #"{"food_name":"\#(food)","quantity":1,"unit":"g","calories":9,"protein_g":1,"#
                + #""carbs_g":1,"fat_g":1}"#
            return try await Answer.curl([
                "\(server.url)/api/v1/meal-logs/batch?user_id=\(user)", "-H",
                "Idempotency-Key: \(key)",
                "-H", "Content-Type: application/json",
                "-d", #"{"meal_type":"lunch","items":[\#(item)]}"#,
            ])
        }
        func post(_ key: String, _ user: String, _ food: String) async throws -> String {
            let answer = try await answer(key, user, food)
            #expect(answer.status == 201, "\(answer.body)")
            let log = try #require(try answer.json["data"] as? [String: Any])
            let items = log["items"] as? [[String: Any]]
            return "\(log["id"] ?? "") \(items?.first?["food_name"] ?? "")"
        }
        let first = try await post("k", "ann", "Apple")
        #expect(first.hasSuffix(" Apple"))
        #expect(try await post("k", "ann", "Apple") == first)
        let other = try await answer("k", "ann", "Pear")
        #expect(other.status == 422 && other.body.contains("Idempotency-Key"), "\(other.body)")
        #expect(try await post("k", "bob", "Apple") != first)
        #expect(try await post("l", "ann", "Apple") != first)
        #expect(try Fixtures.count("sluice.meal_log", settings) == 3)
        #expect(try Fixtures.count("sluice.meal_log_item", settings) == 3)
        let deleted = try await Answer.curl([
            "-X", "DELETE", "\(server.url)/api/v1/meal-logs/\(first.prefix(36))?user_id=ann",
        ])
        #expect(deleted.status == 204, "\(deleted.body)")
        for food in ["Apple", "Pear"] {
            let again = try await answer("k", "ann", food)
            #expect(again.status == (food == "Apple" ? 404 : 422), "\(again.body)")
        }
        #expect(try Fixtures.count("sluice.meal_log", settings) == 2)
        let long = try await Answer.curl([
            "\(server.url)/api/v1/meal-logs/natural", "-d", "{}", "-H",
            "Idempotency-Key: " + String(repeating: "k", count: 256),
        ])
        #expect(long.status == 400 && long.body.contains("255 bytes"), "\(long.body)")
        #expect(try await server.end() == 0)
    }
}
