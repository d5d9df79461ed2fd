import Foundation
import Instruments
import Logging
import Synchronization
import Testing

@Suite struct LineLogHandlerTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private func logger(_ format: LogFormat, to lines: Lines) -> Logger {
        Logger(label: "edge") { label in
            LineLogHandler(label: label, level: .info, format: format) { lines.append($0) }
        }
    }

    @Test func `a logfmt line quotes characters that would break it`() throws {
        let lines = Lines()
        logger(.logfmt, to: lines).info(
            "batch refused", metadata: ["b": "two words", "a": "1", "c": "x\ny=\"z\""])
        let line = try #require(lines.all.first)
        #expect(line.hasPrefix("time=20"))
        #expect(
            line.hasSuffix(
                "Z level=info logger=edge message=\"batch refused\" a=1 b=\"two words\" "
                    + "c=\"x\\ny=\\\"z\\\"\"\n"))
        #expect(line.filter { $0 == "\n" }.count == 1)
    }

    @Test(arguments: [LogFormat.logfmt, .json])
    func `a line has nothing that a terminal acts on`(format: LogFormat) throws {
        let lines = Lines()
        let text = "a\u{1B}[2Jb\rc\u{7F}d\u{9B}1me\u{202E}f\u{2028}g\u{E0001}h\u{0}"
        logger(format, to: lines).info("m", metadata: ["device": "\(text)"])
        let line = try #require(lines.all.first)
        #expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
        let start = try #require(line.range(of: format == .json ? "\"device\":" : "device="))
        let value = line[start.upperBound...].prefix { $0 != "}" && $0 != "\n" }
        let read = try JSONSerialization.jsonObject(
            with: Data(value.utf8), options: .fragmentsAllowed)
        #expect(read as? String == text)
    }

    @Test func `for the journal each line begins with its level`() {
        let lines = Lines()
        let logger = Logger(label: "edge") { label in
            LineLogHandler(label: label, level: .trace, format: .logfmt, hasPriority: true) {
                lines.append($0)
            }
        }
        for level in Logger.Level.allCases { logger.log(level: level, "m") }
        #expect(lines.all.map { $0.prefix(8) } == [7, 7, 6, 5, 4, 3, 2].map { "<\($0)>time=" })
    }

    @Test func `a JSON line is one JSON object`() throws {
        let lines = Lines()
        logger(.json, to: lines).warning("é \u{1}\"\\", metadata: ["k": "v\r\n\t"])
        let line = try #require(lines.all.first)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["level"] == "warning")
        #expect(object["logger"] == "edge")
        #expect(object["message"] == "é \u{1}\"\\")
        #expect(object["k"] == "v\r\n\t")
        let time = try #require(object["time"])
        let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        #expect(abs(try Date(time, strategy: strategy).timeIntervalSinceNow) < 60)
    }

    @Test func `a lasting failure is logged once a minute, another one at once`() {
        let lines = Lines()
        var logger = logger(.logfmt, to: lines)
        for _ in 0..<3 { logger.warning("away", metadata: ["error": "a"]) }
        // A copy of the logger with its own fields counts as the same part of the program.
        logger[metadataKey: "lane"] = "1"
        logger.warning("away", metadata: ["error": "a"])
        logger.warning("away", metadata: ["error": "b"])
        logger.warning("away", metadata: ["error": "a", "job": "7"])
        logger.info("away", metadata: ["error": "a"])
        logger.warning("away")
        logger.warning("away")
        #expect(lines.all.count == 6)
    }

    @Test func `a repeated failure is reported with its count`() {
        var reminder = Reminder()
        let start = ContinuousClock.now
        #expect(reminder.isDue("a", now: start) == 1 && reminder.isDue("b", now: start) == 1)
        for _ in 0..<4 { #expect(reminder.isDue("a", now: start + .seconds(59)) == nil) }
        #expect(reminder.isDue("a", now: start + .seconds(60)) == 5)
        #expect(reminder.isDue("b", now: start + .seconds(60)) == 1)
    }

    @Test func `entries below the level are not written`() {
        let lines = Lines()
        let logger = logger(.logfmt, to: lines)
        logger.debug("quiet")
        #expect(lines.all.isEmpty)
        logger.info("loud")
        #expect(lines.all.count == 1)
    }
}
