import Assembly
import Foundation
import HTTPTypes
import Hummingbird
import Instruments
import Readings
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct APIDocumentTests {
    private static func document() throws -> NSDictionary {
        let data = Data(Product.document)
        return try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
    }

    private static func operations() throws -> [(path: String, method: String, NSDictionary)] {
        let paths = try #require(try document()["paths"] as? [String: [String: NSDictionary]])
        return paths.flatMap { path, item in item.map { (path, $0.key, $0.value) } }
    }

    @Test func `every route is in the document and the document has no other`() async throws {
        try await AppServer.with { server in
            let routes = Set(server.table.documented)
            let documented = Set(try Self.operations().map { "\($0.method) \($0.path)" })
            #expect(documented.subtracting(routes).sorted() == [])
            #expect(routes.subtracting(documented).sorted() == [])
        }
    }

    @Test func `each route is found whatever superfluous slashes its path has`() async throws {
        let operations = try Self.operations().map { ($0.path, $0.method) }
        try await AppServer.with { server in
            for (path, method) in operations {
                let plain = path.replacing(#/\{\w+\}/#, with: "2026-01-23")
                // The answer of a stream has no end.
                let method = method == "get" ? "HEAD" : method.uppercased()
                let body = ["POST", "PUT"].contains(method) ? Array("{}".utf8) : nil
                let answer = try await server.ask(method, plain, body: body)
                for other in ["/" + plain, plain.replacing("/", with: "//") + "//?a=//"] {
                    let same = try await server.ask(method, other, body: body)
                    #expect(same.status == answer.status, "\(method) \(other)")
                    // Figures and ids differ, sentences don't.
                    guard answer.status >= 300 else { continue }
                    let lengths = [same, answer].map { $0.headers["content-length"] }
                    #expect(lengths[0] == lengths[1], "\(method) \(other)")
                }
            }
        }
    }

    @Test func `every reference has a target and every component is referenced`() throws {
        let document = try Self.document()
        var used: Set<String> = []
        func look(_ value: Any) {
            if let object = value as? [String: Any] {
                if let reference = object["$ref"] as? String { used.insert(reference) }
                for (key, one) in object where key != "example" && key != "examples" { look(one) }
            } else if let array = value as? [Any] {
                array.forEach(look)
            }
        }
        look(document)
        let components = try #require(document["components"] as? [String: [String: Any]])
        var known: Set<String> = []
        for (kind, entries) in components where kind != "securitySchemes" {
            for name in entries.keys { known.insert("#/components/\(kind)/\(name)") }
        }
        #expect(used.subtracting(known).sorted() == [])
        // Kinds of readings and socket frames need no reference.
        let free =
            try Self.readings().map(\.name) + ["MemoryCapture", "Acknowledgement"]
            + [
                "MemoryProcessed", "CaptureError", "MealLogCompleted", "MealLogFailed",
                "MealSocketError",
            ]
        let allowed = Set(free.map { "#/components/schemas/\($0)" })
        #expect(known.subtracting(used).subtracting(allowed).sorted() == [])
    }

    /// The kinds of readings: the component's name, its `type`, and the schema.
    private static func readings() throws -> [(name: String, type: String, NSDictionary)] {
        let components = try #require(try document()["components"] as? [String: NSDictionary])
        let schemas = try #require(components["schemas"] as? [String: NSDictionary])
        let kinds = Set(ReadingKind.allCases.map(\.name))
        return schemas.compactMap { name, schema in
            guard let properties = schema["properties"] as? [String: NSDictionary],
                let type = properties["type"]?["const"] as? String, kinds.contains(type),
                properties["t"] != nil
            else { return nil }
            return (name, type, schema)
        }
    }

    @Test func `every kind of readings is in the document with its fields`() throws {
        let readings = try Self.readings()
        #expect(readings.map(\.type).sorted() == ReadingKind.allCases.map(\.name).sorted())
        for kind in ReadingKind.allCases {
            let schema = try #require(readings.first { $0.type == kind.name }?.2)
            let properties = try #require(schema["properties"] as? [String: Any])
            let fields = kind.schema.fields
            // A measurement has a code or a name.
            let isNamed = kind == .vital
            let common = ["t", "type", "device_id", "user_id"] + (isNamed ? ["metric"] : [])
            #expect(Set(properties.keys) == Set(common + fields.map(\.name)))
            let required = try #require(schema["required"] as? [String])
            let needed = fields.filter { !$0.isOptional && !(isNamed && $0.name == "code") }
            #expect(Set(required) == Set(["t", "type"] + needed.map(\.name)))
        }
    }

    @Test func `every operation says what it does, for whom, and how it fails`() throws {
        let tags = try #require(try Self.document()["tags"] as? [NSDictionary])
        let names = Set(tags.compactMap { $0["name"] as? String })
        var ids: Set<String> = []
        for (path, method, operation) in try Self.operations() {
            let place = "\(method) \(path)"
            #expect((operation["summary"] as? String)?.isEmpty == false, "\(place)")
            #expect((operation["tags"] as? [String]).map { names.isSuperset(of: $0) } == true)
            #expect(ids.insert(try #require(operation["operationId"] as? String)).inserted)
            let responses = try #require(operation["responses"] as? [String: Any])
            let security = try #require(operation["security"] as? [Any], "\(place)")
            // The sockets of meal logs say it in a frame.
            let saysIt401 =
                operation["operationId"].map { "\($0)" }?.hasSuffix("Socket") != true
                || path.hasPrefix("/ws/ios/")
            #expect((responses["401"] != nil) == (!security.isEmpty && saysIt401), "\(place)")
            #expect(responses["431"] != nil, "\(place)")
            for part in path.split(separator: "/") where part.hasPrefix("{") {
                let name = String(part.dropFirst().dropLast())
                let parameters = operation["parameters"] as? [NSDictionary] ?? []
                #expect(parameters.contains { $0["name"] as? String == name }, "\(place)")
            }
        }
    }

    @Test func `the document is served to anybody`() async throws {
        try await AppServer.with { server in
            let answer = try await server.ask("GET", "/openapi.json", [])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.json?["openapi"] as? String == "3.1.0")
            #expect(try await server.ask("HEAD", "/openapi.json", []).status == 200)
            #expect(try await server.ask("POST", "/openapi.json", [], body: []).status == 405)
        }
    }

    @Test func `the page loads nothing from elsewhere and may not`() async throws {
        try await AppServer.with { server in
            let answer = try await server.ask("GET", "/docs", [])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'nonce-"))
            let nonce = try #require(policy.firstMatch(of: /'nonce-([a-z0-9]+)'/)?.1)
            #expect(nonce.count > 15)
            #expect(answer.body.contains("<script nonce=\"\(nonce)\">"))
            #expect(answer.body.contains("<style nonce=\"\(nonce)\">"))
            #expect(!answer.body.contains(DocumentationPage.placeholder))
            #expect(!answer.body.contains("://"))
            #expect(!answer.body.contains("style=") && !answer.body.contains("onclick"))
            let again = try await server.ask("GET", "/docs", [])
            #expect(again.headers["content-security-policy"] != policy)
        }
    }
}

extension RouteTable {
    /// Methods and paths in the document's form. HEAD is left out because each GET has it.
    var documented: [String] {
        operations.map { method, path in
            let path = path.replacing("/media/**", with: "/media/memories/{capture_id}/{file}")
            return "\((method ?? .get).rawValue.lowercased()) \(path)"
        }
    }
}
