import ArgumentParser
import Foundation
import Readings
import SluiceService
import Times

/// How a command shows its table.
struct TableOptions: ParsableArguments {
    @Flag(help: "As JSON: an array of objects, one a row.")
    var json = false

    /// Prints rows below their heads, or as objects whose keys are the heads in lower case.
    ///
    /// - Parameters:
    ///   - numbers: the heads of columns of whole numbers.
    ///   - remarks: what else is to be said; to people only.
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

    /// A value of such an object; what is shown as nothing or `-` is null.
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

/// Asked before something goes for good.
struct Confirmation: ParsableArguments {
    @Flag(help: "Change nothing, only say what it is about.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Don't ask.")
    var yes = false

    /// - Parameters:
    ///   - question: what is about to happen.
    ///   - show: tells what it is about.
    /// - Throws: a complaint where the answer is no, or nobody can be asked.
    func demand(_ question: String, show: () throws -> Void) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Complaint("nobody can be asked: give --yes, or --dry-run", code: EX_USAGE)
        }
        try show()
        print("\(question) Type yes: ", terminator: "")
        fflush(nil)
        guard readLine() == "yes" else { throw Complaint("nothing was changed", code: 1) }
    }
}

/// A table for a terminal.
enum Columns {
    /// Prints rows below their heads, each column as wide as it must be.
    static func show(_ heads: [String], _ rows: [[String]]) {
        let widths = heads.indices.map { column in
            ([heads] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [heads] + rows {
            let cells = row.enumerated().map { column, cell in
                column == heads.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            print(cells.joined(separator: "  "))
        }
    }
}

/// Moments as people write and read them.
enum Moments {
    /// UTC, whole seconds.
    static func text(_ timestamp: Timestamp) -> String {
        date(timestamp).formatted(.iso8601)
    }

    static func date(_ timestamp: Timestamp) -> Date {
        Date(
            timeIntervalSince1970: Double(timestamp.microseconds) / 1e6
                + Double(Timestamp.unixEpochOffset))
    }

    /// A length of time from now (`90d`), or a moment; nil for anything else, for the past and for
    /// what is after the year 9999.
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

    /// The beginning of the UTC day behind this one, or a moment; nil for anything else, and for the
    /// last day of the year 9999, whose end has no text.
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
        // Far beyond the year 9999, and few enough to be counted in microseconds.
        guard abs(seconds) < 1e12 else { return nil }
        let timestamp = Timestamp(unixSeconds: Int64(seconds))
        return timestamp.hasFourDigitYear ? timestamp : nil
    }
}

/// One line on standard error that is written over again and again; nothing when that is no terminal.
enum ProgressLine {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    static func end() {
        show("")
    }
}
