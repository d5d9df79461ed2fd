import Glibc
import JSONText
public import Logging
import Synchronization

/// Writes each event as one line of text, in one piece, so that lines of several threads never mix.
///
/// Every value is escaped: a line break in what a client sent can't forge a line of its own. Whoever
/// logs keeps secrets and payload bytes out; nothing here could tell them from other text.
///
/// A warning or worse that has a field `error` is written once a minute, with how many `times` it came,
/// while message and fields are the same, whichever the `lane`: a cause that lasts makes no more lines.
public struct LineLogHandler: LogHandler {
    /// What is below it is never made into text.
    public var logLevel: Logger.Level
    /// Fields of every line of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Adds fields of the task at hand; a line's own fields win.
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogFormat
    private let emit: @Sendable (String) -> Void
    private let troubles = Troubles()

    /// Of one logger and its copies.
    private final class Troubles: Sendable {
        let reminder = Mutex(Reminder())
    }

    /// - Parameters:
    ///   - label: the logger's own name; stands in every line as `logger`.
    ///   - write: gets each line with its line break.
    public init(
        label: String, level: Logger.Level, format: LogFormat,
        write: @escaping @Sendable (String) -> Void = Self.writeToStandardError
    ) {
        self.label = label
        self.format = format
        emit = write
        logLevel = level
    }

    /// Makes this the handler of every logger created from now on; once a process.
    public static func bootstrap(level: Logger.Level, format: LogFormat) {
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, level: level, format: format)
        }
    }

    /// One field of every line of this logger.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line: time, level, logger, message, then the fields by name.
    public func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() {
            fields.merge(provided) { _, new in new }
        }
        if let own = event.metadata {
            fields.merge(own) { _, new in new }
        }
        var pairs: [(String, String)] = [
            ("time", Self.now()),
            ("level", event.level.rawValue),
            ("logger", label),
            ("message", event.message.description),
        ]
        if event.level >= .warning, fields["error"] != nil, fields["times"] == nil {
            let same = fields.filter { $0.key != "lane" }.sorted { $0.key < $1.key }
            let subject = "\(event.message) \(same)"
            let due = troubles.reminder.withLock { $0.isDue(subject, now: .now) }
            guard let times = due else { return }
            if times > 1 { fields["times"] = "\(times)" }
        }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            pairs.append((key, "\(value)"))
        }
        switch format {
        case .logfmt: emit(Self.logfmt(pairs))
        case .json: emit(Self.json(pairs))
        }
    }

    private static func logfmt(_ pairs: [(String, String)]) -> String {
        var line = ""
        for (key, value) in pairs {
            if !line.isEmpty { line += " " }
            line += "\(key)="
            let plain =
                !value.isEmpty
                && value.utf8.allSatisfy {
                    $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
                        && $0 != UInt8(ascii: "\\") && $0 != 0x7F
                }
            line += plain ? value : quoted(value)
        }
        return line + "\n"
    }

    private static func json(_ pairs: [(String, String)]) -> String {
        "{" + pairs.map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}\n"
    }

    /// A JSON string; logfmt quotes in the same way. DEL is escaped, too: terminals obey it.
    private static func quoted(_ value: String) -> String {
        JSONString.quoted(value).replacing("\u{7F}", with: "\\u007f")
    }

    /// UTC with milliseconds, as RFC 3339 writes it.
    private static func now() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        gmtime_r(&time.tv_sec, &parts)
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
            .map { padded($0, 2) }.joined(separator: "-")
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { padded(Int($0), 2) }.joined(separator: ":")
        return "\(date)T\(clock).\(padded(time.tv_nsec / 1_000_000, 3))Z"
    }

    /// One system call a line. What standard error doesn't take is lost: a log must not stop a
    /// server.
    public static func writeToStandardError(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}

/// Lets the same message through once a minute, and counts the others.
public struct Reminder: Sendable {
    /// Between two of one subject.
    public static let interval: Duration = .seconds(60)
    /// Messages told apart; beyond that all are forgotten.
    private static let subjectsMax = 64

    private var told: [String: (at: ContinuousClock.Instant, suppressed: Int)] = [:]

    /// Nothing was told yet.
    public init() {}

    /// - Parameter subject: what it is about.
    /// - Returns: how many times it came since it was last let through, this time included; nil when
    ///   it is not to be repeated yet.
    public mutating func isDue(_ subject: String, now: ContinuousClock.Instant) -> Int? {
        if let last = told[subject], now - last.at < Self.interval {
            told[subject]?.suppressed += 1
            return nil
        }
        let suppressed = told[subject]?.suppressed ?? 0
        if told.count >= Self.subjectsMax { told.removeAll() }
        told[subject] = (now, 0)
        return suppressed + 1
    }
}

/// How one log line is written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `key=value` pairs, quoted where they must be: for people and for `grep`.
    case logfmt
    /// One JSON object a line: for collectors.
    case json
}
