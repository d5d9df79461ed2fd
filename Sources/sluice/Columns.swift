import ArgumentParser
import Foundation
import Readings
import SluiceService
import Status
import Synchronization
import Times

/// How a command prints its table.
struct TableOptions: ParsableArguments {
    @Flag(help: "Print JSON: an array with one object per row.")
    var json = false

    /// Prints rows below their headings, or as objects whose keys are the headings in lower case.
    ///
    /// - Parameters:
    ///   - numbers: the headings of columns of whole numbers.
    ///   - remarks: prints further text, for people only.
    func show(
        _ heads: [String], _ rows: [[String]], numbers: Set<String> = [],
        remarks: () throws -> Void
    ) rethrows {
        guard json else {
            if !rows.isEmpty { Columns.show(heads, rows) }
            return try remarks()
        }
        let keys = heads.map { $0.lowercased().replacing(" ", with: "_") }
        let objects = rows.map { row in
            Dictionary(
                uniqueKeysWithValues: heads.indices.map { column in
                    (keys[column], Cell(row[column], isNumber: numbers.contains(heads[column])))
                })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(objects) else { preconditionFailure("BUG: no JSON") }
        print(String(decoding: text, as: UTF8.self))
    }

    func show(_ heads: [String], _ rows: [[String]], numbers: Set<String> = []) {
        show(heads, rows, numbers: numbers, remarks: {})
    }

    /// A value of a JSON object; an empty text and `-` become null.
    private struct Cell: Encodable {
        private let text: String?
        private let number: Int?

        init(_ shown: String, isNumber: Bool) {
            number = isNumber ? Int(shown) : nil
            text = shown == "-" || shown.isEmpty ? nil : shown
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let number {
                try container.encode(number)
            } else {
                try container.encode(text)
            }
        }
    }
}

/// Asks before something is removed for good.
struct Confirmation: ParsableArguments {
    @Flag(help: "Change nothing; print what would be affected.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Don't ask for confirmation.")
    var yes = false

    /// - Parameters:
    ///   - question: names the action.
    ///   - show: prints what the action concerns.
    /// - Throws: a complaint if the answer is no, or standard input is not a terminal.
    func demand(_ question: String, show: () throws -> Void) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Complaint(
                "can't ask for confirmation without a terminal: give --yes, or --dry-run",
                code: EX_USAGE)
        }
        try show()
        print("\(question) Type yes: ", terminator: "")
        fflush(nil)
        guard readLine() == "yes" else { throw Complaint("nothing was changed", code: 1) }
    }
}

/// A table for a terminal.
enum Columns {
    /// Prints rows below their headings, with columns as wide as needed. The cells may be texts of
    /// strangers.
    static func show(_ heads: [String], _ rows: [[String]]) {
        let lines = ([heads] + rows).map { $0.map(TerminalText.safe) }
        let widths = heads.indices.map { column in
            lines.map { TerminalText.width($0[column]) }.max() ?? 0
        }
        for line in lines {
            let cells = line.enumerated().map { column, cell in
                let space = widths[column] - TerminalText.width(cell)
                return column == heads.count - 1
                    ? cell : cell + String(repeating: " ", count: space)
            }
            print(cells.joined(separator: "  "))
        }
    }
}

/// Formats and parses times for people.
enum Moments {
    /// UTC, in whole seconds.
    static func text(_ timestamp: Timestamp) -> String {
        date(timestamp).formatted(.iso8601)
    }

    static func date(_ timestamp: Timestamp) -> Date {
        Date(
            timeIntervalSince1970: Double(timestamp.microseconds) / 1e6
                + Double(Timestamp.unixEpochOffset))
    }

    /// A length of time from now (`90d`), or a moment; nil for anything else, for the past and for
    /// times after the year 9999.
    static func end(_ text: String) -> Timestamp? {
        let end: Date
        if let length = Settings.duration(text) {
            end = Date(timeIntervalSinceNow: Double(length.components.seconds))
        } else if let moment = try? Date(text, strategy: .iso8601) {
            end = moment
        } else {
            return nil
        }
        return end > Date() ? timestamp(end) : nil
    }

    /// The beginning of a UTC day (`2026-02-10`), or a moment; nil for anything else.
    static func start(_ text: String) -> Timestamp? {
        startOfDay(text) ?? (try? Date(text, strategy: .iso8601)).flatMap(timestamp)
    }

    /// The end of a UTC day (`2026-02-10`), or a moment; nil for anything else, and for the last
    /// day of the year 9999, whose end can't be written.
    static func endOfDayOrMoment(_ text: String) -> Timestamp? {
        guard let day = startOfDay(text) else { return start(text) }
        let end = Timestamp(microseconds: day.microseconds + Timestamp.microsecondsPerDay)
        return end.hasFourDigitYear ? end : nil
    }

    private static func startOfDay(_ text: String) -> Timestamp? {
        CivilDate(text).map {
            Timestamp(microseconds: Int64($0.daysSince2000) * Timestamp.microsecondsPerDay)
        }
    }

    private static func timestamp(_ date: Date) -> Timestamp? {
        let seconds = date.timeIntervalSince1970
        // The limit is far beyond the year 9999, and still fits in microseconds.
        guard abs(seconds) < 1e12 else { return nil }
        let timestamp = Timestamp(unixSeconds: Int64(seconds))
        return timestamp.hasFourDigitYear ? timestamp : nil
    }
}

/// How far a command is, on standard error: a line that is overwritten on a terminal, and elsewhere
/// one every ten seconds.
enum ProgressLine {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    private static let interval: Duration = .seconds(10)
    private static let nextLine = Mutex(ContinuousClock.now + interval)

    static func show(_ text: String) {
        if isTerminal {
            FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
            return
        }
        let isDue = nextLine.withLock { next in
            guard next <= .now else { return false }
            next = .now + interval
            return true
        }
        if isDue { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
    }

    static func end() {
        if isTerminal { show("") }
    }
}
