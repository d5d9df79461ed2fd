import Auth
import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct StatusSessionTests {
    @Test func `a key becomes a session, and the session can be ended`() async throws {
        try await RoutesServer.with { server in
            let signedIn = try await server.signIn(RoutesServer.key)
            #expect(signedIn.status == 303)
            #expect(signedIn.headers["location"] == "/status")
            #expect(signedIn.headers["cache-control"] == "no-store")
            let cookie = try #require(signedIn.headers["set-cookie"])
            let token = try #require(cookie.firstMatch(of: /^sluice-status=([0-9a-f]{64});/)?.1)
            #expect(
                cookie.dropFirst("sluice-status=".count + token.count)
                    == "; Path=/status; HttpOnly; SameSite=Strict; Max-Age=43200")
            #expect(!cookie.contains(RoutesServer.key))
            let field = "Cookie: a=b; sluice-status=\(token)"
            let page = try await server.ask("GET", "/status", [field])
            #expect(page.status == 200)
            #expect(page.body.contains("<body data-access=\"session\""))
            #expect(try await server.ask("GET", "/status/positions", [field]).status == 200)
            #expect(try await server.session() != field)
            let out = try await server.ask("DELETE", "/status/session", [field])
            #expect(out.status == 204)
            #expect(out.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await server.ask("GET", "/status/positions", [field]).status == 401)
        }
    }

    @Test func `behind a proxy that speaks TLS the cookie is for TLS only`() async throws {
        try await RoutesServer.with { server in
            let answer = try await server.signIn(
                RoutesServer.key, ["X-Forwarded-Proto: https"])
            #expect(answer.headers["set-cookie"]?.hasSuffix("; Secure") == true)
        }
    }

    @Test func `wrong keys are answered as wrong, ten times a minute`() async throws {
        try await RoutesServer.with { server in
            for key in ["wrong", "", "<b>", RoutesServer.key + " "] {
                let answer = try await server.signIn(key)
                #expect(answer.status == 403, "\(key)")
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
                #expect(answer.body.contains("That key doesn’t open this page."))
                #expect(!answer.body.contains("<b>"))
                #expect(answer.headers["set-cookie"] == nil)
            }
            for _ in 4..<WrongTries.triesMax {
                #expect(try await server.signIn("wrong").status == 403)
            }
            let answer = try await server.signIn("wrong")
            #expect(answer.status == 429)
            let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            #expect((1...120).contains(seconds))
            // Whoever guesses may have the operator's address: that of a proxy.
            #expect(try await server.signIn(RoutesServer.key).status == 303)
        }
    }

    @Test func `concurrent wrong keys are limited to ten as well, and right ones don't count`()
        async throws
    {
        try await RoutesServer.with { server in
            for _ in 0...WrongTries.triesMax {
                #expect(try await server.signIn(RoutesServer.key).status == 303)
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask { try await server.signIn("wrong").status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [403: WrongTries.triesMax, 429: 30])
        }
    }

    @Test func `only a form of a sensible size is read`() async throws {
        try await RoutesServer.with { server in
            let key = Array("key=\(RoutesServer.key)".utf8)
            for fields in [[], ["Content-Type: application/json"], ["Content-Type: text/plain"]] {
                let answer = try await server.ask("POST", "/status/session", fields, body: key)
                #expect(answer.status == 415)
                #expect(answer.detail?.contains("x-www-form-urlencoded") == true)
            }
            let large = [UInt8](repeating: UInt8(ascii: "k"), count: 4097)
            let answer = try await server.ask(
                "POST", "/status/session", [RoutesServer.form], body: large)
            #expect(answer.status == 413)
        }
    }

    @Test func `a session ends with its key`() async throws {
        try await RoutesServer.with { server in
            server.issue("issued", [.status])
            let field = try await server.session("issued")
            #expect(try await server.ask("HEAD", "/status", [field]).status == 200)
            server.issue("issued", [.captures])
            #expect(try await server.ask("HEAD", "/status", [field]).status == 401)
            server.issue("another", [.status])
            #expect(try await server.ask("HEAD", "/status", [field]).status == 401)
        }
    }

    @Test func `a session lasts twelve hours however much it is used`() {
        let sessions = StatusSessions()
        let start = ContinuousClock.now
        let key = KeyDigest(of: "key")
        let token = sessions.open(for: key, now: start)
        let end = start + StatusSessions.lifetime
        #expect(sessions.key(of: token, now: start) == key)
        #expect(sessions.key(of: token, now: end - .seconds(1)) == key)
        #expect(sessions.key(of: token, now: end) == nil)
        #expect(sessions.count == 0)
        #expect(sessions.key(of: "", now: start) == nil)
    }

    @Test func `a new session beyond the limit replaces the oldest`() {
        let sessions = StatusSessions()
        let start = ContinuousClock.now
        let tokens = (0...StatusSessions.sessionsMax).map {
            sessions.open(for: KeyDigest(of: "key"), now: start + .seconds($0))
        }
        #expect(Set(tokens).count == tokens.count)
        #expect(tokens.allSatisfy { $0.utf8.count == 64 })
        #expect(sessions.count == StatusSessions.sessionsMax)
        #expect(sessions.key(of: tokens[0], now: start) == nil)
        #expect(sessions.key(of: tokens[1], now: start) != nil)
        #expect(sessions.key(of: tokens[StatusSessions.sessionsMax], now: start) != nil)
    }

    @Test func `tries are counted by address and forgotten with time`() throws {
        let tries = WrongTries()
        let start = ContinuousClock.now
        func address(_ text: String) throws -> ClientAddress? {
            ClientAddress(try SocketAddress(ipAddress: text, port: 80))
        }
        let one = try address("192.0.2.1")
        for _ in 0..<WrongTries.triesMax {
            #expect(tries.count(one, now: start) == nil)
        }
        #expect(tries.count(one, now: start + .seconds(20)) == .seconds(40))
        #expect(tries.count(try address("192.0.2.2"), now: start) == nil)
        #expect(tries.count(nil, now: start) == nil)
        #expect(tries.count(one, now: start + WrongTries.window) == nil)
        // An IPv4 client of a socket that listens on `::`.
        #expect(try address("::ffff:192.0.2.1") == one)
        #expect(try address("::ffff:192.0.2.2") != one)
        // An IPv6 network counts as one address.
        #expect(try address("2001:db8::1") == address("2001:db8::ffff:1"))
        #expect(try address("2001:db8::1") != address("2001:db8:0:1::1"))
    }

    @Test func `a full table forgets the entry that expires first`() throws {
        let tries = WrongTries()
        let start = ContinuousClock.now
        func address(_ number: Int) throws -> ClientAddress? {
            ClientAddress(
                try SocketAddress(
                    ipAddress: "10.0.\(number / 256).\(number % 256)", port: 80))
        }
        for number in 0...WrongTries.addressesMax {
            for _ in 0..<(number < 2 ? WrongTries.triesMax : 1) {
                _ = tries.count(try address(number), now: start + .milliseconds(number))
            }
        }
        #expect(tries.count(try address(1), now: start + .seconds(5)) != nil)
        // It replaces the entry that expires next.
        #expect(tries.count(try address(0), now: start + .seconds(5)) == nil)
    }
}
