import Foundation
import Testing

@testable import Imports

/// Each form, at every split of its bytes, and what is said about bad ones.
struct ImportParserTests {
    /// A file, and its readings as `LINE DEVICE USER JSON`.
    struct Sample: CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let readings: [String]
        var leftOut: [LeftOut: Int] = [:]
    }

    static let samples = [
        Sample(
            testDescription: "an export as CSV",
            text: """
                device_id,user_id,time,label,value,metadata
                d,ann,2026-02-10T14:56:57Z,"a,""b""\r
                c",,"{""x"":1}"
                '=d,ann,2026-02-10T14:56:58Z,'-1,"",

                """,
            readings: [
                #"2 d ann {"type":"event","t":"2026-02-10T14:56:57Z","label":"a,\"b\"\r\nc","metadata":{"x":1}}"#,
                #"4 =d ann {"type":"event","t":"2026-02-10T14:56:58Z","label":"-1","val_text":""}"#,
            ]),
        Sample(
            testDescription: "a table of somebody else",
            text: "\u{FEFF}Timestamp;LAT;Lng;accuracy\n2026-02-10 14:57;34.5;-118.25;5\n\n1;x;;",
            readings: [
                #"2 me - {"type":"gps","t":"2026-02-10 14:57","lat":"34.5","lon":"-118.25","acc":"5"}"#,
                #"4 me - {"type":"gps","t":"1","lat":"x"}"#,
            ]),
        Sample(
            testDescription: "measurements by name",
            text: "metric,t,value\r\nheart_rate,1,60\r\nvo2_max,1,40\r\nspo2,1,97\r\nA B,1,2\r\n",
            readings: [
                #"2 me - {"type":"vital","t":"1","val":"60","code":1}"#,
                #"3 me - {"type":"vital","t":"1","val":"40","code":1000}"#,
                // There is no code for these: they are judged by name.
                #"4 me - {"type":"vital","t":"1","val":"97","metric":"spo2"}"#,
                #"5 me - {"type":"vital","t":"1","val":"2","metric":"A B"}"#,
            ]),
        Sample(
            testDescription: "an export of measurements as CSV",
            text: """
                device_id,user_id,time,code,metric,unit,value
                d,u,1,3,heart_rate,bpm,60
                d,u,1,1003,vo2_max,"",40
                d,u,1,1004,,,41

                """,
            readings: [
                #"2 d u {"type":"vital","t":"1","code":"3","val":"60"}"#,
                // Another database gave out 1003 for this name.
                #"3 d u {"type":"vital","t":"1","val":"40","code":1000}"#,
                #"4 d u {"type":"vital","t":"1","code":"1004","val":"41"}"#,
            ]),
        Sample(
            testDescription: "an export of measurements as lines of JSON",
            text: """
                {"time":1,"code":3,"metric":"heart_rate","unit":"bpm","value":60}
                {"time":1,"code":1003,"metric":"vo2_max","unit":null,"value":40}
                {"time":1,"code":"1003","metric":"vo2_max","value":41}
                {"time":1,"code":1004,"metric":null,"value":42}
                """,
            readings: [
                #"1 me - {"type":"vital","t":1,"code":3,"val":60}"#,
                #"2 me - {"type":"vital","t":1,"val":40,"code":1000}"#,
                #"3 me - {"type":"vital","t":1,"val":41,"code":1000}"#,
                #"4 me - {"type":"vital","t":1,"code":1004,"val":42}"#,
            ]),
        Sample(
            testDescription: "rows of two types",
            text: """
                time,type,lat,lon,metric,code,value
                1,gps,2,3,,,
                1,vital,,,,1,60
                1,gps,2,3,heart_rate,1,60

                """,
            readings: [
                #"2 me - {"type":"gps","t":"1","lat":"2","lon":"3"}"#,
                #"3 me - {"type":"vital","t":"1","code":"1","val":"60"}"#,
                #"4 me - {"type":"gps","t":"1","lat":"2","lon":"3"}"#,
            ], leftOut: [.field("metric"): 1, .field("code"): 1, .field("value"): 1]),
        Sample(
            testDescription: "lines of JSON",
            text: """
                {"device_id":"d","user_id":"u","time":"2026","latitude":1.5,"longitude":2,"accuracy_m":null}

                {"t":7,"type":"vital","code":1,"val":60,"hdop":3}
                {"device_id":"d","user_id":"u","received_at":"x","quarantined":"t_too_old","body":"{\\"type\\":\\"gps\\"}"}
                {"unit":"capture","received_at":"x","payload":{}}
                {"t":1,"type":"sleep"}
                {"device_id":7,"user_id":null,"metric":8,"value":9,"type":1}
                """,
            readings: [
                #"1 d u {"type":"gps","t":"2026","lat":1.5,"lon":2,"acc":null}"#,
                #"3 me - {"type":"vital","t":7,"code":1,"val":60}"#,
                #"4 d u {"type":"gps"}"#,
                #"6 me - {"t":1,"type":"sleep"}"#, #"7 me - {"type":1}"#,
            ], leftOut: [.field("hdop"): 1, .field("value"): 1, .unit(kind: "capture"): 1]),
        Sample(
            testDescription: "an export as GPX",
            text: """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="Sluice" xmlns="http://www.topografix.com/GPX/1/1">
                <trk><name>a &amp; b</name><desc>ann</desc>
                <trkseg>
                <trkpt lat="1.5" lon="2.5"><time>2026-02-10T14:57:07Z</time></trkpt>
                </trkseg><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
                """,
            readings: [
                #"5 a & b ann {"type":"gps","lat":"1.5","lon":"2.5","t":"2026-02-10T14:57:07Z"}"#
            ], leftOut: [.timeless: 1]),
        Sample(
            testDescription: "GPX of a watch",
            text: """
                <x:gpx creator="Watch" xmlns:x="http://www.topografix.com/GPX/1/0">
                <x:wpt lat="9" lon="9"><x:time>2026</x:time></x:wpt>
                <x:rte><x:rtept lat="9" lon="9"></x:rtept></x:rte>
                <x:trk><x:name>Run</x:name><x:trkseg><x:trkpt lat="1.5" lon="2.5">
                <x:extensions><x:time>no</x:time></x:extensions><x:time> 2026 </x:time>
                </x:trkpt></x:trkseg></x:trk></x:gpx>
                """,
            readings: [#"4 me - {"type":"gps","lat":"1.5","lon":"2.5","t":"2026"}"#],
            leftOut: [.plan: 2, .field("time"): 1]),
        Sample(
            testDescription: "GPX with elements of others beside its own",
            text: """
                <gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="x"
                xmlns:g="http://www.topografix.com/GPX/1/1" creator="Sluice"><trk>
                <x:name>no</x:name><name>d</name><trkseg>
                <trkpt lat="1" lon="2"><x:time>2025</x:time><time>2026</time><ele xmlns="x">1</ele>
                <x:extensions><x:hAcc>9</x:hAcc></x:extensions><g:ele>-0.0</g:ele>
                <extensions><x:hAcc>-0.0</x:hAcc><x:vAcc>-1</x:vAcc></extensions></trkpt>
                <trkpt lat="1" lon="2"><x:time>2025</x:time></trkpt>
                </trkseg></trk></gpx>
                """,
            readings: [
                #"4 d - {"type":"gps","lat":"1","lon":"2","t":"2026","alt":"-0.0","acc":"-0.0"}"#
            ],
            leftOut: [
                .field("x:time"): 2, .field("ele"): 1, .field("x:extensions"): 1, .timeless: 1,
            ]),
        Sample(
            testDescription: "the route of a workout, and points of another watch",
            text: """
                <gpx><trk><name>Route</name><trkseg>
                <trkpt lon="2.5" lat="1.5"><ele>7.1</ele><time>2026</time><extensions>
                <speed>1.25</speed><course>-1</course><hAcc>3</hAcc><vAcc> 4 </vAcc></extensions></trkpt>
                <trkpt lat="1" lon="2"><time>2027</time><speed>2</speed><extensions><g:Point>
                <g:hr>70</g:hr><g:speed>3</g:speed><g:course>90</g:course></g:Point></extensions></trkpt>
                <trkpt lat="1" lon="2"><time>2028</time><extensions/></trkpt>
                </trkseg><extensions><a>1</a></extensions></trk></gpx>
                """.replacing("<gpx>", with: #"<gpx xmlns:g="g">"#),
            readings: [
                #"2 me - {"type":"gps","lat":"1.5","lon":"2.5","alt":"7.1","t":"2026","#
                    + #""speed":"1.25","acc":"3","vacc":"4"}"#,
                #"4 me - {"type":"gps","lat":"1","lon":"2","t":"2027","speed":"2","course":"90"}"#,
                #"6 me - {"type":"gps","lat":"1","lon":"2","t":"2028"}"#,
            ], leftOut: [.field("hr"): 1, .field("speed"): 1]),
        Sample(
            testDescription: "Apple's Health",
            text: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE HealthData [
                <!ELEMENT HealthData (Record*)>
                <!ATTLIST HealthData locale CDATA #REQUIRED>
                ]>
                <HealthData locale="en_US">
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ann’s\u{A0}Watch" unit="count/min" startDate="2026-02-10 14:57:02 +0100" endDate="x" value="72"/>
                 <Record type="HKQuantityTypeIdentifierDistanceWalkingRunning" sourceName="Phone" unit="km" startDate="2026-02-10 14:57:02 +0100" value="0.5"/>
                 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" startDate="2026-02-10 14:57:02 +0100" value="9">
                  <MetadataEntry key="a" value="b"/>
                 </Record>
                 <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Phone" unit="mL/min·kg" startDate="x" value="9"/>
                 <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Phone" unit="Hz" startDate="x" value="9"/>
                 <Correlation><Record type="HKQuantityTypeIdentifierStepCount" unit="count" startDate="x" value="1"/></Correlation>
                 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="" startDate="2026-02-10 01:00:00 -0500" endDate="2026-02-10 02:00:00 -0500" value="Core"/>
                </HealthData>
                """,
            readings: [
                #"7 me-ann’s-watch me {"type":"vital","t":"2026-02-10 14:57:02+0100","code":1,"val":"72"}"#,
                #"8 me-phone me {"type":"vital","t":"2026-02-10 14:57:02+0100","code":21,"val":"500.0"}"#,
                #"9 me-phone me {"type":"vital","t":"2026-02-10 14:57:02+0100","code":20,"val":"9"}"#,
                #"12 me-phone me {"type":"vital","t":"x","code":1000,"val":"9"}"#,
                // There is no such conversion: the reading is quarantined.
                #"13 me-phone me {"type":"vital","t":"x","code":2,"val":"9 Hz"}"#,
                #"15 me me {"type":"event","t":"2026-02-10 01:00:00-0500","label":"sleep_analysis","#
                    + #""val_text":"Core","metadata":{"end":"2026-02-10 02:00:00-0500","source":""}}"#,
            ]),
        Sample(
            testDescription: "Apple's Health with units that change, and workouts",
            text: """
                <HealthData>
                 <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Phone" unit="lb" startDate="x" value="2"/>
                 <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Phone" unit="kg" startDate="x" value="0.45359237"/>
                 <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Phone" unit="degC" startDate="x" value="37"/>
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Phone" unit="count/s" startDate="x" value="1.5"/>
                 <Workout workoutActivityType="Run" duration="30" durationUnit="min" totalDistance="5.2" totalDistanceUnit="km" sourceName="Phone" startDate="a" endDate="b">
                  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.2" unit="km"/>
                  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="150" minimum="90" unit="count/min"/>
                 </Workout>
                 <ActivitySummary dateComponents="2026-02-10"/>
                </HealthData>
                """,
            readings: [
                #"2 me-phone me {"type":"vital","t":"x","code":1000,"val":"2"}"#,
                #"3 me-phone me {"type":"vital","t":"x","code":1000,"val":"1.0"}"#,
                #"4 me-phone me {"type":"vital","t":"x","code":1000,"val":"37 degC"}"#,
                #"5 me-phone me {"type":"vital","t":"x","code":1,"val":"90.0"}"#,
                #"6 me-phone me {"type":"event","t":"a","label":"workout","val_text":"Run","#
                    + #""metadata":{"end":"b","source":"Phone","duration":"30","#
                    + #""duration_unit":"min","total_distance":"5.2","total_distance_unit":"km","#
                    + #""distance":"5.2","distance_unit":"km","heart_rate_average":"150","#
                    + #""heart_rate_average_unit":"count/min","heart_rate_minimum":"90","#
                    + #""heart_rate_minimum_unit":"count/min"}}"#,
            ], leftOut: [.element("ActivitySummary"): 1]),
    ]

    private static func context(device: String? = "me") -> ImportContext {
        ImportContext(
            device: device, user: nil,
            metrics: [
                "heart_rate": .init(code: 1, unit: "bpm"), "steps": .init(code: 20, unit: "count"),
                "heart_rate_variability_sdnn": .init(code: 2, unit: "ms"),
                "distance": .init(code: 21, unit: "m"),
            ]
        ) { name, unit in name == "vo2_max" ? .init(code: 1000, unit: unit) : nil }
    }

    /// The readings of a text that arrives in two pieces.
    private static func read(
        _ text: String, split: Int, device: String? = "me"
    ) throws -> (readings: [String], leftOut: [LeftOut: Int]) {
        try read(Array(text.utf8), split: split, device: device)
    }

    private static func read(
        _ file: [UInt8], split: Int, device: String? = "me",
        notes: ([ImportNote]) -> Void = { _ in }
    ) throws -> (readings: [String], leftOut: [LeftOut: Int]) {
        var readings: [String] = []
        let output = ImportOutput("f", context(device: device)) { reading in
            readings.append(
                "\(reading.line) \(reading.device) \(reading.user ?? "-") "
                    + String(decoding: reading.json, as: UTF8.self))
        }
        try file.withUnsafeBytes { bytes in
            let parser = try #require(ImportSource.parser(of: bytes, output))
            try parser.take(UnsafeRawBufferPointer(rebasing: bytes[..<split]))
            try parser.take(UnsafeRawBufferPointer(rebasing: bytes[split...]))
            try parser.finish()
        }
        notes(output.rest.notes)
        return (readings, output.leftOut)
    }

    @Test(arguments: samples)
    func `a file gives its readings, at whatever place it is split`(sample: Sample) throws {
        for split in 0...sample.text.utf8.count {
            let (readings, leftOut) = try Self.read(sample.text, split: split)
            guard readings == sample.readings, leftOut == sample.leftOut else {
                Issue.record("split at \(split): \(readings) \(leftOut)")
                return
            }
        }
    }

    @Test(arguments: [
        ("device_id,time,latitud,longitude\n", 1, "no column \"latitud\""),
        ("device_id,time,value\n", 1, "no readings"),
        ("time,lat,lon,code,value\n1,2,3,1,60\n", 1, "gps and vital: a column \"type\""),
        (
            "{\"t\":1,\"lat\":2,\"lon\":3,\"code\":null}\n"
                + "{\"t\":1,\"lat\":2,\"lon\":3,\"metric\":\"heart_rate\",\"value\":1}", 2,
            "gps and vital: a column \"type\""
        ),
        ("time,lat,lon,lat\n", 1, "\"lat\" means the same"),
        ("time,lat,lon\n1,2,3\n1,2\n", 3, "2 cells instead of 3"),
        ("time,lat,lon\n1,2,\"3\n\n", 2, "ends in the middle"),
        ("time,lat,lon\n1,2,\"3\"4\n", 2, "after its closing quote"),
        ("{\"t\":1,\"type\":\"gps\"}\n{\"t\":1,", 2, "ends in the middle"),
        ("{\"t\":1,\"type\":\"gps\"}\n\n{\"t\":x}\n", 3, "no JSON object, from byte 5"),
        ("{\"t\":1}\n[1]\n", 2, "no JSON object, from byte 0"),
        ("<gpx><trk>\n<trkseg>\n<trkpt lat=\"1\" lon=\"2\"><time>20", 3, "ends in the middle"),
        ("<gpx><trk>\n<trkpt lat=\"1\" lon=\"2></trkpt>\n</trk>", 2, "no XML"),
        ("<html>\n</html>", 1, "with the element \"html\""),
        (
            "<!DOCTYPE gpx [<!ENTITY a \"aaaaaaaaaa\">]>\n<gpx>&b;</gpx>", 2,
            "undefined entity"
        ),
    ])
    func `what is wrong with a file is said with its line`(text: String, line: Int, words: String)
        throws
    {
        let fault = #expect(throws: ImportFault.self) { try Self.read(text, split: 0) }
        #expect(
            fault?.sentence.contains("f:\(line): ") == true
                && fault?.sentence.contains(words) == true, "\(fault?.sentence ?? "none")")
    }

    @Test(arguments: [
        "device_id,time,label\nc,1,ok\nc,1,caf?\n", "device_id,time,label\nc,1,ok\nc?,1,a\n",
        "time,label\n1,ok\n?,?\n",
        "{\"t\":1,\"label\":\"ok\"}\n\n{\"t\":1,\"label\":\"caf?\"}\n",
    ])
    func `a text in another encoding is a fault, and nothing of it is replaced`(text: String) throws
    {
        // Two halves of a letter in two cells, too.
        let halves: [UInt8] = [0xC3, 0xA9]
        var count = 0
        let file = text.utf8.map { byte -> UInt8 in
            guard byte == UInt8(ascii: "?") else { return byte }
            defer { count += 1 }
            return halves[count]
        }
        let fault = #expect(throws: ImportFault.self) { try Self.read(file, split: 0) }
        #expect(
            fault?.sentence.contains("f:3: is not UTF-8") == true, "\(fault?.sentence ?? "none")")
    }

    @Test func `a reading without a device is a fault unless the caller names one`() throws {
        let text = "time,lat,lon\n1,2,3\n"
        let fault = #expect(throws: ImportFault.self) {
            try Self.read(text, split: 0, device: nil)
        }
        #expect(fault == .line(path: "f", line: 2, .noDevice))
    }

    @Test(arguments: [
        ("time,code,value\n1,1,70\n2,1,12", 3), ("time,label\n1,\"a\nb\"", 2),
        ("time,code,value\n1,1,70\n2,1,12\n", nil), ("time,code,value", nil),
        ("{\"t\":1}\n{\"t\":2}", nil),
    ])
    func `a CSV whose last line has no line break may be cut, and a note says so`(
        text: String, line: Int?
    ) throws {
        let expected = line.map { [ImportNote.noLineBreak(path: "f", line: $0)] } ?? []
        for split in 0...text.utf8.count {
            _ = try Self.read(Array(text.utf8), split: split) { #expect($0 == expected) }
        }
    }

    @Test func `a line has a limit`() throws {
        for text in ["lat,lon\n1,", "{\"a\":\"", "<gpx creator=\"Sluice\"><trk><name>"] {
            let long = text + String(repeating: "a", count: 1 << 21)
            let fault = #expect(throws: ImportFault.self) { try Self.read(long, split: 1000) }
            #expect(fault?.sentence.contains("longer than 1048576 bytes") == true, "\(text)")
        }
    }

    private static let unconverted: [(head: [UInt8], words: String)] = [
        ([0xFF, 0xFE, 0x74, 0], "UTF-16"),
        ([0xFE, 0xFF, 0x4E, 0x2D], "UTF-16"), ([0x74, 0, 0x2C, 0], "UTF-16"),
        (Array(" [{\"t\":1}]".utf8), "jq -c"),
        (Array("\u{FEFF}[{\"t\":1}]".utf8), "jq -c"),
        (Array(#"{"type":"FeatureCollection","features":["#.utf8), "as GPX, CSV or NDJSON"),
        (Array("{\n \"name\": \"\u{e9}\", \"type\": \"Feature\",".utf8), "is GeoJSON"),
        (
            Array(#"{"features":[{"type":"x"}],"type":"FeatureCollection"}"#.utf8) + [10],
            "is GeoJSON"
        ),
        // Two features a line each, the second one cut in a character.
        (Array("\u{FEFF}{\"type\":\"Feature\"}\n{\"a\":\"".utf8) + [0xC3], "is GeoJSON"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "neither CSV"),
    ]

    @Test(arguments: unconverted)
    func `a file that has to be converted first is told how`(head: [UInt8], words: String) {
        let output = ImportOutput("f", Self.context()) { _ in }
        head.withUnsafeBytes { bytes in
            #expect(ImportSource.parser(of: bytes, output) == nil)
            let fault = ImportSource.fault(of: bytes, "f")
            #expect((fault.sentence + (fault.remedy ?? "")).contains(words))
            #expect(fault.sentence.hasPrefix("f: "))
        }
    }

    @Test func `bytes of no known form`() {
        let output = ImportOutput("f", Self.context()) { _ in }
        let unknown: [[UInt8]] = [
            [], [0x20, 0x0A], [0x1F, 0x8B, 8, 0],
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0],
        ]
        for bytes in unknown {
            bytes.withUnsafeBytes { #expect(ImportSource.parser(of: $0, output) == nil) }
        }
    }
}
