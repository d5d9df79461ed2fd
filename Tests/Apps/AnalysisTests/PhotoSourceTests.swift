import GeminiSupport
import NIOHTTP1
import Testing

@testable import Analysis

@Suite(.timeLimit(.minutes(10))) struct PhotoSourceTests {
    private struct StoreDown: Error {}

    private func photo(
        _ url: String, user: String = "anna",
        _ change: (inout AnalysisConfiguration) -> Void = { _ in }
    ) async -> Result<[UInt8], PhotoFailure> {
        var configuration = AnalysisConfiguration()
        configuration.mediaBase = "https://sluice.example/media/"
        configuration.photoBytesMax = 1000
        configuration.photoTimeout = .seconds(100)
        change(&configuration)
        let source = PhotoSource(configuration) { path, user in
            guard user == "anna" else { return nil }
            return switch path {
            case "memories/a b/photo.jpg": [1, 2, 3]
            case "large": [UInt8](repeating: 0, count: 1001)
            case "down": throw StoreDown()
            default: nil
            }
        }
        do throws(PhotoFailure) {
            return .success(try await source.bytes(of: url, user: user))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        ("memories/a%20b/photo.jpg", Result<[UInt8], PhotoFailure>.success([1, 2, 3])),
        ("memories/a%20b/photo.jpg?v=2#x", .success([1, 2, 3])),
        ("memories/b/photo.jpg", .failure(.missing)), ("down", .failure(.storeFailed)),
        ("large", .failure(.tooLarge(bytesMax: 1000))), ("../secret", .failure(.urlInvalid)),
        ("a/%2e%2e/b", .failure(.urlInvalid)), ("a//b", .failure(.urlInvalid)),
        ("", .failure(.urlInvalid)), ("a%00b", .failure(.urlInvalid)),
        ("%zz", .failure(.urlInvalid)),
    ])
    func `our own photos are read from the store`(
        _ path: String, _ expected: Result<[UInt8], PhotoFailure>
    ) async {
        #expect(await photo("https://sluice.example/media/" + path) == expected)
    }

    @Test func `another user's photo is missing`() async {
        let url = "https://sluice.example/media/memories/a%20b/photo.jpg"
        #expect(await photo(url, user: "tom") == .failure(.missing))
    }

    @Test(arguments: [
        "https://storage.googleapis.com/bucket/photo.jpg", "http://127.0.0.1:1/x",
        "https://sluice.example.evil.example/media/x", "https://sluice.example/other",
    ])
    func `hosts that are not in the allow-list are not contacted`(_ url: String) async {
        #expect(await photo(url) == .failure(.hostNotAllowed))
    }

    @Test(arguments: [
        "ftp://photos.example/x", "file:///etc/passwd", "photo.jpg", "",
        "https://user:password@photos.example/x", "gopher://photos.example",
    ])
    func `a URL that is not a plain web address is refused`(_ url: String) async {
        let outcome = await photo(url) { $0.photoHosts = [PhotoHost("photos.example")!] }
        #expect(outcome == .failure(.urlInvalid))
    }

    /// Fetches from a server on loopback that is in the allow-list.
    private func fetched(
        _ answers: [ScriptedServer.Answer], path: String = "/p.jpg", isPrivateAllowed: Bool = true,
        timeout: Duration = .seconds(100)
    ) async throws -> (Result<[UInt8], PhotoFailure>, [ScriptedServer.Request]) {
        let server = try await ScriptedServer(answers)
        let host = try #require(PhotoHost("http://localhost:\(server.port)"))
        let outcome = await photo("http://localhost:\(server.port)\(path)") {
            $0.photoHosts = [host]
            $0.allowsPrivatePhotoHosts = isPrivateAllowed
            $0.photoTimeout = timeout
        }
        try await server.close()
        return (outcome, server.requests)
    }

    private static func ok(_ bytes: [UInt8]) -> ScriptedServer.Answer {
        .send(status: .ok, headers: [], body: bytes)
    }

    @Test func `an allowed host is contacted, without any of our secrets`() async throws {
        let (outcome, requests) = try await fetched([Self.ok([9, 8, 7])])
        #expect(outcome == .success([9, 8, 7]))
        #expect(requests.map(\.uri) == ["/p.jpg"])
        #expect(requests.first?.headers.contains(name: "authorization") == false)
        #expect(requests.first?.headers.contains(name: "cookie") == false)
    }

    @Test func `an address of this machine is refused even for an allowed host`() async throws {
        let (outcome, requests) = try await fetched([Self.ok([1])], isPrivateAllowed: false)
        #expect(outcome == .failure(.addressRefused))
        #expect(requests.isEmpty)
    }

    @Test func `redirects stay on the host`() async throws {
        func redirect(_ to: String) -> ScriptedServer.Answer {
            .send(status: .found, headers: [("location", to)], body: [])
        }
        let near = try await fetched([redirect("/other.jpg"), Self.ok([5])])
        #expect(near.0 == .success([5]))
        #expect(near.1.map(\.uri) == ["/p.jpg", "/other.jpg"])
        for target in ["http://127.0.0.1:1/x", "https://evil.example/x", "file:///etc/passwd"] {
            let far = try await fetched([redirect(target)])
            #expect(far.0 == .failure(.hostNotAllowed))
            #expect(far.1.count == 1)
        }
        let endless = try await fetched([redirect("/p.jpg")])
        #expect(endless.0 == .failure(.status(310)))
        #expect(endless.1.count == 4)
    }

    @Test func `sizes and times are limited`() async throws {
        let large = try await fetched([Self.ok([UInt8](repeating: 1, count: 1001))])
        #expect(large.0 == .failure(.tooLarge(bytesMax: 1000)))
        #expect(try await fetched([.flood]).0 == .failure(.tooLarge(bytesMax: 1000)))
        #expect(try await fetched([.hang], timeout: .milliseconds(1500)).0 == .failure(.timedOut))
        #expect(try await fetched([.cut]).0 == .failure(.tooLarge(bytesMax: 1000)))
        #expect(try await fetched([.json("", status: .notFound)]).0 == .failure(.status(404)))
        let away = await photo("http://localhost:9/x") {
            $0.photoHosts = [PhotoHost("http://localhost:9")!]
            $0.allowsPrivatePhotoHosts = true
        }
        #expect(away == .failure(.unreachable))
    }

    @Test(arguments: [
        ("photos.example.com", "photos.example.com", 443, false),
        ("Photos.Example.com:8443", "photos.example.com", 8443, false),
        ("https://a.b", "a.b", 443, false), ("http://store:9000", "store", 9000, true),
    ])
    func `an entry of the allow-list is a host and a port`(
        _ entry: String, _ host: String, _ port: Int, _ isPlain: Bool
    ) throws {
        let found = try #require(PhotoHost(entry))
        #expect(found.host == host && found.port == port && found.isPlain == isPlain)
    }

    @Test(arguments: [
        "", "*.example.com", "a/b", "a:b", "a:0", "a:70000", "[::1]", "a b", "http://",
    ])
    func `anything else is not an entry`(_ entry: String) {
        #expect(PhotoHost(entry) == nil)
    }

    @Test(arguments: [
        [8, 8, 8, 8], [172, 15, 0, 1], [172, 32, 0, 1], [100, 63, 0, 1], [223, 255, 255, 255],
    ])
    func `addresses of the internet are public`(_ bytes: [UInt8]) {
        #expect(HostAddress(version4: bytes).isPublic)
        #expect(
            HostAddress(version6: [0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)).isPublic)
    }

    @Test(arguments: [
        [0, 0, 0, 0], [10, 1, 2, 3], [127, 0, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1],
        [172, 31, 255, 255], [192, 168, 1, 1], [100, 64, 0, 1], [198, 18, 0, 1], [224, 0, 0, 1],
        [255, 255, 255, 255],
    ])
    func `addresses of machines and private networks are not public`(_ bytes: [UInt8]) {
        #expect(!HostAddress(version4: bytes).isPublic)
        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(!HostAddress(version6: zeros + [0xFF, 0xFF] + bytes).isPublic)
        #expect(!HostAddress(version6: [0x20, 0x02] + bytes + zeros).isPublic)
        #expect(
            !HostAddress(version6: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes)
                .isPublic)
    }

    @Test func `private addresses of version 6 are not public`() {
        for head: [UInt8] in [
            [0xFC], [0xFD], [0xFE, 0x80], [0xFF, 2], [0], [0x20, 1, 0x0D, 0xB8],
        ] {
            let rest = [UInt8](repeating: 0, count: 15 - head.count) + [1]
            #expect(!HostAddress(version6: head + rest).isPublic)
        }
        let google: [UInt8] = [0x26, 0x07, 0xF8, 0xB0] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(HostAddress(version6: google).isPublic)
    }
}
