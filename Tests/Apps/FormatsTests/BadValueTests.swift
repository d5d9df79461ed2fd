import Foundation
import HTTPTypes
import Instruments
import JSONText
import Readings
import Scanner
import ScannerSupport
import Testing

@testable import Formats
@testable import HTTP
@testable import HTTPSupport

/// Values that no app should send, in each place of each request of the fixtures: of a wrong type,
/// missing, repeated, out of range, from another age, without end.
@Suite struct BadValueTests {
    private static let group = RunningFormats(FormatInstruments(Registry())).group
    private static let table = RouteTable([group])
    private static let now = Timestamp(unixSeconds: 1_770_800_000)  // 2026-02-11T08:53:20Z

    private static let values =
        [
            "null", "true", "{}", #""x""#, #""""#, "-1", "91", "1e308", "1e999", "1e-400",
            "99999999999999999999", #""2026-02-30T25:61:61Z""#, #""9999-12-31T23:59:59Z""#,
            #""\u0000""#, #""\ud800""#, #""NaN""#, #"[[1],"x",{"a":{"b":[1]}}]"#,
        ] + ["\"\(String(repeating: "x", count: 20_000))\"", String(repeating: "9", count: 400)]

    /// Lists of which each element becomes readings of its own.
    private static let lists: Set<String> = [
        "locations", "location", "waypoints", "metrics", "workouts", "data", "route",
        "heartRateData", "stateOfMind", "resourceMetrics", "scopeMetrics", "dataPoints",
        "resourceLogs", "scopeLogs", "logRecords",
    ]

    private static let jsonFixtures = Post.fixtures.filter {
        (try? Post(fixture: $0).body.first) == UInt8(ascii: "{")
    }

    @Test func `each format has a request in the fixtures`() throws {
        let labels = try Post.fixtures.map { name in
            Self.table[Self.table.id(of: try Post(fixture: name).target)].label
        }
        #expect(Set(labels) == Set(Self.group.routes.map(\.label)))
    }

    // MARK: In JSON

    /// The readings that a translation has made, as texts.
    private static func readings(of text: [UInt8]?) throws -> [String] {
        guard let text else { return [] }
        let tree = try Post.tree(text)
        let list = if case .array = tree { tree } else { Fields(tree)?.values("data").first }
        guard case .array(let readings)? = list else { return [] }
        return readings.map { "\($0)" }
    }

    /// Scans what a translation has made. A fault of its device or user is one of the request; any
    /// other is one of the translation.
    ///
    /// - Returns: its readings.
    private static func judge(_ text: [UInt8]?, _ story: String) throws -> [String] {
        guard let text else { return [] }
        let readings = try readings(of: text)
        var scanner = BatchScanner(limits: ReadingLimits())
        scanner.begin(now: now)
        do throws(ScanError) {
            try scanner.scan(text.span.bytes)
            let batch = try scanner.finish()
            let known = batch.deviceBatches.reduce(0) { $0 + $1.rowCount + $1.quarantined.count }
            #expect(batch.received == known && known == readings.count, "\(story)")
        } catch {
            if case .envelope = error { return readings }
            Issue.record("\(story): \(error)")
        }
        return readings
    }

    /// nil: the request is refused, with a status that tells the app that its request is wrong.
    private static func translate(_ post: Post, _ story: String) throws -> [UInt8]?? {
        do {
            return try post.translatedText()
        } catch let failure as RequestFailure {
            #expect([400, 413, 422].contains(failure.status.code), "\(story): \(failure)")
            return nil
        }
    }

    @Test(arguments: jsonFixtures) func `a bad value costs its own reading and no other`(
        name: String
    ) throws {
        let whole = try Post(fixture: name)
        let tree = try whole.body.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes)
            return try reader.readTree()
        }
        func post(_ body: [UInt8]) -> Post {
            var post = whole
            post.body = body
            return post
        }
        var others: [[Int]: [String: Int]] = [:]
        for place in ValuePlace.all(in: tree) {
            let isList = Self.lists.contains(place.key ?? "")
            // The first element may name the device of the others.
            let element = place.element(ofLists: Self.lists, from: 1)
            if let element, others[element.path] == nil {
                let rest = try post(element.text(of: tree, in: nil)).translatedText()
                others[element.path] = Self.counted(try Self.readings(of: rest))
            }
            let rest = element.flatMap { others[$0.path] } ?? [:]
            var values: [[UInt8]?] = [nil] + Self.values.map { Array($0.utf8) }
            if let repeated = place.repeated, !place.holds(Self.lists) { values.append(repeated) }
            for value in values {
                let written = String(decoding: value?.prefix(40) ?? [], as: UTF8.self)
                let story = "\(name) \(place.keys) \(written)"
                let body = place.text(of: tree, in: value)
                guard let text = try Self.translate(post(body), story) else {
                    // Only the lists themselves are needed to find the readings.
                    #expect(rest.isEmpty || isList, "\(story) is refused")
                    continue
                }
                let found = Self.counted(try Self.judge(text, story))
                let isWhole = rest.allSatisfy { found[$0.key, default: 0] >= $0.value }
                #expect(isWhole || isList, "\(story) costs others")
            }
        }
    }

    private static func counted(_ readings: [String]) -> [String: Int] {
        Dictionary(readings.map { ($0, 1) }, uniquingKeysWith: +)
    }

    // MARK: In forms and queries

    @Test(arguments: Post.fixtures.filter { !jsonFixtures.contains($0) })
    func `a bad field is refused or quarantined`(name: String) throws {
        let whole = try Post(fixture: name)
        let inQuery = whole.target.split(separator: "?")
        let isForm = !whole.body.isEmpty
        guard isForm || inQuery.count == 2,
            let form = isForm ? String(validating: whole.body, as: UTF8.self) : String(inQuery[1])
        else { return }
        let fields = form.split(separator: "&").map(String.init)
        for place in fields.indices {
            let key = String(fields[place].prefix { $0 != "=" })
            var forms = Self.values.map { value in
                let value = value.filter { $0 != "\"" }
                    .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                return fields.replaced(place, by: ["\(key)=\(value ?? "")"])
            }
            forms.append(fields.replaced(place, by: []))
            forms.append(fields.replaced(place, by: [fields[place], fields[place]]))
            forms.append(fields.replaced(place, by: [key]))
            forms.append(fields.replaced(place, by: ["\(key)=%zz", "\(key)=%ff"]))
            for changed in forms.map({ $0.joined(separator: "&") }) {
                for post in [
                    Post(String(inQuery[0]), changed.utf8),
                    Post("\(inQuery[0])?\(changed)", method: whole.method, []),
                ] {
                    let story = "\(name) \(changed.prefix(200))"
                    guard let text = try Self.translate(post, story) else { continue }
                    _ = try Self.judge(text, story)
                }
            }
        }
    }

    // MARK: Without end

    /// Nothing but what makes parsers slow or deep.
    @Test(
        arguments: [
            (" ", 1 << 16), ("[", 1 << 16), ("{\"a\":", 1 << 14), ("\"", 1 << 14), ("9", 1 << 14),
            ("\"\\u0000", 1 << 14), ("é", 1 << 14), ("\u{0}", 1 << 14), ("a=b&", 1 << 14),
            ("\n\u{8}", 1 << 14),
        ] as [(String, Int)])
    func `a large body that is no request is refused`(filler: String, bytes: Int) throws {
        for route in Self.group.routes where route.method == .post && !route.path.contains("{") {
            let input = try #require(route.input)
            let unit = Array(filler.utf8)
            let count = min(bytes, input.bytesMax) / unit.count
            var post = Post(
                route.path, repeatElement(unit, count: count).joined())
            for type in ["application/json", "application/x-protobuf"] {
                let isProtobuf = type.hasSuffix("protobuf")
                if isProtobuf, input.media != .jsonOrProtobuf { continue }
                post.fields = [("Content-Type", type)]
                let rig = try ConnectionRig(routes: [Self.group])
                try rig.send(post.bytes(key: FakeKeys.good))
                rig.commitHeld()
                let answer = try rig.answer()
                // Protocol Buffers take any unknown field.
                let isTold = [400, 422].contains(answer.status)
                #expect(
                    isTold || isProtobuf && answer.status == 200,
                    "\(route.path) \(type): \(answer)")
                #expect(rig.book.received == 0 && rig.sink.offers == 0)
                rig.expectNothingHeld()
            }
        }
    }
}

extension [String] {
    fileprivate func replaced(_ place: Int, by elements: [String]) -> [String] {
        Array(self[..<place] + elements + self[(place + 1)...])
    }
}
