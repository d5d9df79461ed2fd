import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Analysts

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite(.timeLimit(.minutes(10)))
struct TrackTests {
    /// A device's positions in the view: time as text, latitude, longitude.
    private static func stored(_ sample: ExportSample) throws -> [String: [[String]]] {
        let rows = try sample.connection.query(
            """
            SELECT device_id, to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                latitude, longitude
            FROM analytics.gps ORDER BY device_id, time, latitude, longitude
            """)
        var positions: [String: [[String]]] = [:]
        for row in 0..<rows.count {
            positions[rows.string(row, 0), default: []].append([
                rows.string(row, 1), "\(rows.float64(row, 2))", "\(rows.float64(row, 3))",
            ])
        }
        return positions
    }

    private static let gap: Duration = .seconds(3600)

    /// Whether each pause inside a stretch is short, and each pause between two stretches is
    /// long.
    private static func isCutRightly(_ stretches: [[[String]]]) throws -> Bool {
        func time(_ position: [String]) throws -> Date {
            try Date(
                position[0],
                strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        for stretch in stretches {
            for (before, after) in zip(stretch, stretch.dropFirst())
            where try time(after).timeIntervalSince(time(before)) > 3600.001 { return false }
        }
        for (before, after) in zip(stretches, stretches.dropFirst()) {
            guard let last = before.last, let first = after.first else { return false }
            if try time(first).timeIntervalSince(time(last)) < 3599.999 { return false }
        }
        return true
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `GPX read back has every position, cut at pauses`(seed: UInt64) throws {
        let sample = try ExportSample(seed: seed)
        let (data, outcome) = try sample.export {
            try TrackExport(as: .gpx, in: ExportScope(), gap: Self.gap).run(on: $0, to: $1)
        }
        let reader = GPXReader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        let stored = try Self.stored(sample)
        #expect(outcome.rows == stored.values.map(\.count).reduce(0, +) && outcome.rows > 50)
        // Characters that XML can't hold are replaced.
        let expected = Dictionary(
            uniqueKeysWithValues: stored.map {
                ($0.replacingOccurrences(of: "\u{1}", with: "\u{FFFD}"), $1)
            })
        #expect(reader.tracks.mapValues { $0.flatMap { $0 } } == expected)
        for stretches in reader.tracks.values { #expect(try Self.isCutRightly(stretches)) }
        #expect(!String(decoding: data, as: UTF8.self).contains("e-"))
    }

    @Test(arguments: [4, 5, 6] as [UInt64])
    func `GeoJSON read back has every position, and no line crosses the antimeridian`(
        seed: UInt64
    ) throws {
        let sample = try ExportSample(seed: seed)
        let (data, _) = try sample.export {
            try TrackExport(as: .geojson, in: ExportScope(), gap: .seconds(86_400 * 30))
                .run(on: $0, to: $1)
        }
        let document = try #require(
            JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(document["type"] as? String == "FeatureCollection")
        for feature in try #require(document["features"] as? [[String: Any]]) {
            #expect(feature["type"] as? String == "Feature")
            let geometry = try #require(feature["geometry"] as? [String: Any])
            let properties = try #require(feature["properties"] as? [String: Any])
            let device = try #require(properties["device_id"] as? String)
            let times = try #require(properties["coordTimes"] as? [String])
            let isPoint = geometry["type"] as? String == "Point"
            let points: [[Double]]? =
                isPoint
                ? (geometry["coordinates"] as? [Double]).map { [$0] }
                : geometry["coordinates"] as? [[Double]]
            let coordinates = try #require(points)
            #expect(isPoint ? coordinates.count == 1 : coordinates.count > 1)
            #expect(coordinates.count == times.count)
            for (before, after) in zip(coordinates, coordinates.dropFirst()) {
                #expect(abs(after[0] - before[0]) <= 180)
            }
            #expect(!device.isEmpty)
        }
        #expect(try Self.read(data, sample) == Self.stored(sample))
    }

    @Test func `the positions of two users of a device are two tracks`() throws {
        let sample = try ExportSample(seed: 7)
        try sample.connection.execute(
            """
            SELECT sluice.ensure_days('2026-01-05', '2026-01-05');
            INSERT INTO sluice.device (device_key, device_id, user_id)
            VALUES (71, 'shared', 'ann'), (72, 'shared', 'bob');
            INSERT INTO sluice.device_state (device_key, key_check, gps_until)
            VALUES (71, 0, '2026-01-05 10:08+00'), (72, 0, '2026-01-05 10:09+00');
            INSERT INTO sluice.gps (device_key, t, lat, lon)
            SELECT 71 + n % 2, timestamptz '2026-01-05 10:00+00' + n * interval '1 min', n % 2, n
            FROM generate_series(0, 9) n
            """)
        var scope = ExportScope()
        scope.devices = ["shared"]
        let (data, _) = try sample.export {
            try TrackExport(as: .geojson, in: scope, gap: Self.gap).run(on: $0, to: $1)
        }
        let document = try #require(
            JSONSerialization.jsonObject(with: data) as? [String: Any])
        let features = try #require(document["features"] as? [[String: Any]])
        let latitudes = features.map { feature in
            let user = (feature["properties"] as? [String: Any])?["user_id"] as? String
            let line = (feature["geometry"] as? [String: Any])?["coordinates"] as? [[Double]]
            return "\(user ?? "") \(Set(line?.map { $0[1] } ?? []))"
        }
        #expect(latitudes == ["ann [0.0]", "bob [1.0]"])
    }

    /// Positions of a GeoJSON document. The server reads the numbers, to the last digit.
    private static func read(
        _ data: Data, _ sample: ExportSample
    ) throws -> [String: [[String]]] {
        var parameters = Parameters()
        parameters.append(jsonb: String(decoding: data, as: UTF8.self))
        let rows = try sample.connection.query(
            """
            SELECT f.f #>> '{properties,device_id}', p.t, (p.c ->> 1)::float8, (p.c ->> 0)::float8
            FROM jsonb_array_elements($1 -> 'features') WITH ORDINALITY f (f, n)
            CROSS JOIN LATERAL ROWS FROM (
                jsonb_array_elements(CASE f.f #>> '{geometry,type}'
                    WHEN 'Point' THEN jsonb_build_array(f.f #> '{geometry,coordinates}')
                    ELSE f.f #> '{geometry,coordinates}' END),
                jsonb_array_elements_text(f.f #> '{properties,coordTimes}')
            ) WITH ORDINALITY p (c, t, n)
            ORDER BY f.n, p.n
            """, parameters)
        var tracks: [String: [[String]]] = [:]
        for row in 0..<rows.count {
            tracks[rows.string(row, 0), default: []].append([
                rows.string(row, 1), "\(rows.float64(row, 2))", "\(rows.float64(row, 3))",
            ])
        }
        return tracks
    }

    @Test(arguments: TrackFormat.allCases)
    func `an export without rows is an empty document`(format: TrackFormat) throws {
        let sample = try ExportSample(seed: 7)
        var scope = ExportScope()
        scope.devices = ["nothing"]
        let (data, outcome) = try sample.export {
            try TrackExport(as: format, in: scope, gap: Self.gap).run(on: $0, to: $1)
        }
        #expect(outcome.rows == 0)
        if format == .geojson {
            let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            #expect((document?["features"] as? [Any])?.isEmpty == true)
        } else {
            #expect(XMLParser(data: data).parse())
        }
    }

    @Test func `a stretch that is too long is continued in a new one`() {
        var cutter = TrackCutter(
            gap: .seconds(10),
            limits: TrackCutter.Limits(positionsMax: 3, endsAtAntimeridian: true))
        func at(_ second: Int64, _ longitude: Double = 0) -> Position {
            Position(microseconds: second * 1_000_000, latitude: 0, longitude: longitude)
        }
        var steps = (0..<5).flatMap { cutter.take(at($0)) }
        #expect(
            steps == [
                .begin(at(0)), .go(to: at(1)), .go(to: at(2)), .end,
                .begin(at(2)), .go(to: at(3)), .go(to: at(4)),
            ])
        steps = cutter.take(at(15)) + cutter.take(at(16, 179)) + cutter.take(at(17, -179))
        #expect(
            steps == [
                .end, .begin(at(15)), .go(to: at(16, 179)), .end, .begin(at(17, -179)),
            ])
        #expect(cutter.end() == [.end] && cutter.end() == [])
    }

    @Test func `numbers are written without exponents, and are the same when read`() {
        var dice = Dice(seed: 8)
        var numbers = [0, -0.0, 1e-7, -1.5e-10, 1e-308, 1e16, 1.25e20, 180, -90, 0.1]
        for _ in 0..<10_000 {
            let number = Double(bitPattern: UInt64.random(in: .min ... .max, using: &dice))
            if number.isFinite { numbers.append(number) }
        }
        for number in numbers {
            let text = number.plainDecimal
            #expect(!text.contains("e") && Double(text)?.bitPattern == number.bitPattern, "\(text)")
        }
        #expect(
            (1.5e-7).plainDecimal == "0.00000015" && (-2e17).plainDecimal == "-200000000000000000")
    }

    @Test func `a position has its altitude where it is known`() {
        let steps = [12.5, -0.25, nil].map {
            TrackCutter.Step.go(
                to: Position(microseconds: 0, latitude: 1, longitude: 2, altitude: $0))
        }
        let points = steps.map { GPXWriter().write($0) }
        #expect(points[0].contains("\"><ele>12.5</ele><time>"))
        #expect(points[1].contains("\"><ele>-0.25</ele><time>"))
        #expect(points[2].contains("\"><time>"))
        var writer = GeoJSONWriter()
        _ = writer.begin("d", of: "u")
        for step in steps { _ = writer.write(step) }
        #expect(
            writer.end([.end]).contains(
                #""coordinates":[[2.0,1.0,12.5],[2.0,1.0,-0.25],[2.0,1.0]]"#))
    }

    @Test func `what GPX has no element for is in the extensions, which are the last`() {
        let text = GPXWriter().write(
            .go(
                to: Position(
                    microseconds: 0, latitude: 1, longitude: 2, altitude: 3, accuracy: 4,
                    verticalAccuracy: 1e-7, speed: 0, course: 359.999999)))
        #expect(
            text == "<trkpt lat=\"1.0\" lon=\"2.0\"><ele>3.0</ele>"
                + "<time>2000-01-01T00:00:00.000000Z</time><extensions><s:hAcc>4.0</s:hAcc>"
                + "<s:vAcc>0.0000001</s:vAcc><s:speed>0.0</s:speed>"
                + "<s:course>359.999999</s:course></extensions></trkpt>\n")
    }

    @Test func `in GPX 180 degrees east are 180 degrees west`() {
        let writer = GPXWriter()
        let text = writer.write(
            .go(to: Position(microseconds: 0, latitude: 1, longitude: 180)))
        #expect(
            text == "<trkpt lat=\"1.0\" lon=\"-180.0\"><time>2000-01-01T00:00:00.000000Z</time>"
                + "</trkpt>\n")
    }
}

/// Tracks of a GPX document by name; each is a list of segments of time, latitude, longitude.
private final class GPXReader: NSObject, XMLParserDelegate {
    var tracks: [String: [[[String]]]] = [:]
    private var name = ""
    private var text = ""
    private var place: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        text = ""
        switch element {
        case "trkseg": tracks[name, default: []].append([])
        case "trkpt":
            place = [attributes["lat"], attributes["lon"]].map {
                "\($0.flatMap(Double.init) ?? .nan)"
            }
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch element {
        case "name": name = text
        case "time":
            guard let count = tracks[name]?.count else { return }
            tracks[name]?[count - 1].append([text] + place)
        default: break
        }
    }
}
