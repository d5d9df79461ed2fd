import Auth
import Foundation
import HTTPTypes
import Ingest
import Instruments
import JSONText
import NIOCore
import Readings
import Scanner
import SwiftProtobuf
import Testing

@testable import Formats
@testable import HTTP
@testable import HTTPSupport

/// What each format makes of the requests in `Fixtures`, and what clients are answered.
@Suite struct FormatTests {
    private static func rig(_ registry: Registry = Registry()) throws -> ConnectionRig {
        try ConnectionRig(routes: [RunningFormats(FormatInstruments(registry)).group])
    }

    private static func ask(
        _ post: Post, in rig: ConnectionRig, key: String? = FakeKeys.good
    ) throws -> ParsedAnswer {
        try rig.send(post.bytes(key: key))
        rig.commitHeld()
        return try rig.answer()
    }

    @Test(arguments: Post.fixtures) func `a request becomes these readings`(name: String) throws {
        let expected = try Post.tree(Array(Post.file("\(name).json").utf8))
        let found = try Post(fixture: name).translated()
        #expect(found == expected)
    }

    @Test(arguments: [
        (Array("{}".data(using: .utf16)!), "UTF-16"),
        ([0x1F, 0x8B, 8, 0], "Content-Encoding: gzip"),
        ([0x28, 0xB5, 0x2F, 0xFD], "Content-Encoding: zstd"),
    ])
    func `a body in another form is told what it looks like`(bytes: [UInt8], hint: String) throws {
        let answer = try Self.ask(Post("/in/health", bytes), in: Self.rig())
        #expect(answer.status == 400 && answer.body.contains(hint), "\(answer)")
    }

    @Test(arguments: Post.fixtures) func `a request is answered as its app expects`(
        name: String
    ) throws {
        let rig = try Self.rig()
        let post = try Post(fixture: name)
        let hasKey = post.fields.contains { $0.name == "Authorization" }
        let answer = try Self.ask(post, in: rig, key: hasKey ? nil : FakeKeys.good)
        #expect(answer.status == 200)
        switch name.prefix(while: { $0 != "-" }) {
        case "overland":
            #expect(answer.body == #"{"result":"ok"}"#)
            #expect(answer.headers["content-type"] == "application/json")
        case "owntracks":
            #expect(answer.body == "[]")
            #expect(answer.headers["content-type"] == "application/json")
        case "otlp" where name.hasSuffix("protobuf"):
            #expect(answer.headers["content-type"] == "application/x-protobuf")
            let response = try OTLPWire.Response(serializedBytes: Array(answer.body.utf8))
            #expect(response.partialSuccess.rejected == (name.contains("metrics") ? 1 : 0))
            #expect(response.hasPartialSuccess == name.contains("metrics"))
        case "otlp": #expect(answer.body == "{}" || answer.body.hasPrefix(#"{"partialSuccess":{"#))
        case "health": #expect(answer.body.hasPrefix(#"{"status":"accepted","records":20,"#))
        default: #expect(answer.body == "")
        }
        rig.expectNothingHeld()
    }

    @Test(arguments: Post.fixtures) func `what is on disk counts as delivered`(
        name: String
    ) throws {
        let rig = try Self.rig()
        let post = try Post(fixture: name)
        let hasKey = post.fields.contains { $0.name == "Authorization" }
        try rig.send(post.bytes(key: hasKey ? nil : FakeKeys.good))
        rig.sink.finishHeld(.spooled)
        rig.run()
        let answer = try rig.answer()
        #expect(answer.status == 200 && answer.headers["x-durability"] == "spooled")
    }

    // MARK: Whose readings

    @Test func `the key names the device and the user where the app names none`() throws {
        let location = #"{"locations":[{"type":"Feature","properties":{"device_id":""}}]}"#
        func device(
            _ target: String, _ body: String, _ user: String?, _ device: String?
        ) throws -> String? {
            let tree = try Post(target, body.utf8).translated(
                of: KeyBinding(user: user, device: device))
            return Fields(tree)?.object("metadata").text("device_id")
        }
        #expect(try device("/in/overland", location, "ann", nil) == "ann-overland")
        #expect(try device("/in/overland", location, "ann", "Watch") == "watch")
        #expect(try device("/in/overland?device=x", location, nil, "watch") == "x")
        let message = #"{"_type":"location","tid":"an"}"#
        #expect(try device("/in/owntracks", message, "ann", nil) == "an")
        #expect(try device("/in/traccar?lat=1", "", "ann", nil) == "ann-traccar")
        #expect(try device("/in/health", #"{"data":{"x":[1]}}"#, "ann", nil) == "ann-health")
    }

    @Test(arguments: [
        (
            "/in/overland", #"{"locations":[{"properties":{"device_id":""}}]}"#,
            #"{"result":"error","error":"The request names no device"#
        ),
        ("/in/owntracks", #"{"_type":"location"}"#, #"{"detail":"The request names no device"#),
        ("/in/health", #"{"data":{}}"#, #"{"detail":"The request names no device"#),
        ("/in/traccar?lat=1&lon=2", "", #"{"detail":"id is missing"#),
    ])
    func `a request without a device is told where to name one`(
        target: String, body: String, answer: String
    ) throws {
        let rig = try Self.rig()
        let told = try Self.ask(Post(target, body.utf8), in: rig)
        #expect(told.status == (target.contains("traccar") ? 400 : 422))
        #expect(told.body.hasPrefix(answer))
        rig.expectNothingHeld()
    }

    // MARK: Nothing to store

    @Test(arguments: [
        ("", 1), (#"{"_type":"card","name":"Ann"}"#, 1), ("{}", 1), (#"{"_type":5}"#, 1),
        (#"{"_type":"lwt","tst":1}"#, 1),
        (#"{"_type":"steps","tid":"x","tst":1770735427,"steps":-1}"#, 1),
        (#"{"_type":"location","tid":"x"}"#, 0),
    ])
    func `a message without a reading is answered and counted`(body: String, count: Int) throws {
        let registry = Registry()
        let rig = try Self.rig(registry)
        let answer = try Self.ask(Post("/in/owntracks", body.utf8), in: rig)
        #expect(answer.status == 200 && answer.body == "[]")
        #expect(
            registry.render().contains(
                "sluice_input_ignored_total{format=\"owntracks\"} \(count)\n"))
    }

    @Test func `empty lists are answered at once`() throws {
        for (target, body) in [
            ("/in/overland", #"{"locations":[]}"#),
            ("/in/health?device=d", #"{"data":{"metrics":[]}}"#),
            ("/in/traccar", #"{"device_id":"d","location":[]}"#),
        ] {
            let rig = try Self.rig()
            #expect(try Self.ask(Post(target, body.utf8), in: rig).status == 200)
            #expect(rig.sink.offers == 0)
        }
    }

    // MARK: What is not of the format

    private static let deep =
        String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

    @Test(
        arguments: [
            ("", 400, "ends too soon"), ("{", 400, "ends too soon"),
            ("hello", 400, "unexpected byte 'h'"), (#"{"a":nan}"#, 400, "unexpected byte"),
            ("{\"a\":\"\u{1}\"}", 400, "unexpected byte 0x01"), ("[]", 422, "should be an object"),
            ("null", 422, "should be an object"), (deep, 400, "Nested too deep"),
            ("{}", 422, "required"), (#"{"locations":{},"data":5,"_type":"encrypted"}"#, 422, ""),
            (#"{"locations":[],"locations":[],"_type":"encrypted"}"#, 422, ""),
        ] as [(String, Int, String)])
    func `a body that is not of the format is refused with its fault`(
        body: String, status: Int, words: String
    ) throws {
        for target in ["/in/overland", "/in/health", "/in/owntracks", "/in/traccar"] {
            // A form takes anything, and OwnTracks any object.
            if target == "/in/traccar", body.first != "{" && body.first != "[" { continue }
            if target == "/in/owntracks", body.isEmpty || body == "{}" { continue }
            let rig = try Self.rig()
            let answer = try Self.ask(Post(target, body.utf8), in: rig)
            let expected = target == "/in/traccar" && status == 422 && body != "[]" ? 400 : status
            #expect(answer.status == expected, "\(target) \(answer.body)")
            let wanted = expected == 400 && status == 422 ? "id is missing" : words
            #expect(
                wanted.isEmpty || answer.body.contains(wanted), "\(target) \(answer.body)")
            #expect(rig.sink.offers == 0)
            rig.expectNothingHeld()
        }
    }

    @Test func `quarantined points are told`() throws {
        let told = try Self.ask(Post(fixture: "otlp-metrics"), in: Self.rig())
        let partial = try #require(told.json?["partialSuccess"] as? NSDictionary)
        #expect(Int(partial["rejectedDataPoints"] as? String ?? "") ?? 0 > 0)
    }

    @Test(arguments: ["application/xml", "application/x-ndjson", "application/protobuf"])
    func `another content type than JSON and protobuf is refused`(type: String) throws {
        var post = try Post(fixture: "otlp-metrics")
        post.fields = [("Content-Type", type)]
        let refused = try Self.ask(post, in: Self.rig())
        #expect(refused.status == 415)
        #expect(
            refused.body == #"{"message":"The content type must be application/json or "#
                + #"application/x-protobuf"}"#)
    }

    @Test func `names of series are short and differ`() {
        let long = String(repeating: "x", count: 70)
        #expect(OTLPName.name("http.Requests", ["GET", "2-0_0"]) == "http.requests.get.2-0_0")
        #expect(OTLPName.name("A b", ["Ü", "1"]).hasPrefix("a_b.__.1."))
        let series: [(String, [String])] = [
            (long, ["1"]), (long, ["2"]), (long, ["", "1"]), ("fs", ["/a"]), ("fs", ["_a"]),
            ("fs", ["東京"]), ("fs", ["大阪"]), ("fs", ["a.b"]), ("fs", ["a", "b"]), ("fs", [""]),
            ("fs", []), ("fs", ["", ""]),
        ]
        let names = series.map { OTLPName.name($0.0, $0.1) }
        #expect(Set(names).count == series.count && names.allSatisfy { $0.utf8.count <= 64 })
        #expect(
            ExportedMetric.name(["Heart-Rate (BPM)", "inBed", "REM"]) == "heart-rate_bpm_in_bed_rem"
        )
        #expect(ExportedMetric.name([long, long]).utf8.count == 64)
    }

    @Test(arguments: [
        ("weight_body_mass", "BodyMass", "lb", 2.0, 0.907_184_74),
        ("resting_heart_rate", "RestingHeartRate", "count/min", 60, 60),
        ("vo2_max", "VO2Max", "mL/min·kg", 40, 40),
        ("active_energy", "ActiveEnergyBurned", "kJ", 4.184, 1),
        ("body_temperature", "BodyTemperature", "degF", 212, 100),
        ("walking_step_length", "WalkingStepLength", "in", 30, 76.2),
        ("blood_glucose", "BloodGlucose", "mmol/L", 10, 180.155_880_000_054_1),
    ])
    func `a metric has one name and unit whichever way it came`(
        exported: String, type: String, unit: String, value: Double, stored: Double
    ) {
        let metric = ExportedMetric(exported, unit: unit)
        #expect(
            metric.identity == .name(HealthMetric.name(of: "HKQuantityTypeIdentifier" + type)))
        #expect(abs(metric.converted(value) - stored) < 1e-9)
    }

    @Test func `an encrypted message stays in the app, with the remedy`() throws {
        let rig = try Self.rig()
        let answer = try Self.ask(
            Post("/in/owntracks", #"{"_type":"encrypted","data":"x"}"#.utf8), in: rig)
        #expect(answer.status == 422)
        #expect(answer.body.contains("remove the encryption key"))
    }

    @Test(arguments: [
        ("overland", Overland.bytesMax), ("owntracks", OwnTracks.bytesMax),
        ("traccar", Traccar.bytesMax), ("health", HealthAutoExport.bytesMax),
    ])
    func `a body beyond the limit is refused before it is read`(format: String, max: Int) throws {
        let rig = try Self.rig()
        try rig.send(Samples.head(length: max + 1, path: "/in/\(format)"))
        let answer = try rig.answer()
        #expect(answer.status == 413 && answer.body.contains("\(max) bytes"))
        rig.expectNothingHeld()
    }

    @Test func `a body of the full size is read`() throws {
        let rig = try Self.rig()
        let start = #"{"data":{"metrics":[{"name":"x","data":[{"qty":1,"note":""#
        let end = #""}]}]}}"#
        let filler = String(
            repeating: "x", count: HealthAutoExport.bytesMax - start.count - end.count)
        let answer = try Self.ask(
            Post("/in/health?device=d", (start + filler + end).utf8), in: rig)
        #expect(answer.status == 200)
        #expect(rig.book.received == 1 && rig.book.pending == 0)
    }

    // MARK: What the scanner finds

    @Test(arguments: [
        (#""lat":91,"lon":0,"tst":1770735427"#, QuarantineReason.latitudeOutOfRange),
        (#""lat":"north","lon":0,"tst":1770735427"#, .latitudeInvalid),
        (#""lon":0,"tst":1770735427"#, .latitudeMissing),
        (#""lat":1,"lon":0"#, .timeMissing),
        (#""lat":1,"lon":0,"tst":1"#, .timeTooOld),
        (#""lat":1,"lon":0,"tst":99999999999"#, .timeInFuture),
        (#""lat":1,"lat":2,"lon":0,"tst":1770735427"#, .duplicateKey),
    ])
    func `a bad position is quarantined as it is`(
        members: String, reason: QuarantineReason
    ) throws {
        let rig = try Self.rig()
        let body = #"{"_type":"location","topic":"owntracks/ann/phone","# + members + "}"
        try rig.send(Post("/in/owntracks", body.utf8).bytes(key: FakeKeys.good))
        let batch = try #require(rig.sink.takeHeld().first?.batch)
        #expect(batch.quarantined == 1 && batch.received == 1)
        #expect(batch.problems.map(\.reason) == [reason])
        #expect(batch.deviceBatches[0].userID == "ann")
        let kept = String(decoding: batch.deviceBatches[0].quarantined[0].body, as: UTF8.self)
        #expect(kept.hasPrefix(#"{"type":"gps""#))
    }

    @Test(arguments: Post.fixtures) func `the rows are those of the same readings on ingest`(
        name: String
    ) throws {
        let post = try Post(fixture: name)
        let hasKey = post.fields.contains { $0.name == "Authorization" }
        let same = Samples.post(try Post.file("\(name).json"))
        let requests = [post.bytes(key: hasKey ? nil : FakeKeys.good), Array(same.utf8)]
        let parts = try requests.map { request in
            let rig = try Self.rig()
            try rig.send(request)
            let batch = try #require(rig.sink.takeHeld().first?.batch)
            return batch.deviceBatches.map { part in
                ReadingKind.allCases.map { part.tuples(of: $0) }
                    + [Array("\(part.deviceID) \(part.userID)".utf8)]
                    + part.quarantined.map { Array($0.reason.rawValue.utf8) }
            }
        }
        #expect(parts[0] == parts[1])
    }
}
