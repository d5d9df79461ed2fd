import Glibc
import JSONText
public import Logging
import Synchronization

/// Writes each event as one line with one write, so that lines of several threads never mix.
///
/// Every value is escaped, so a line break in a client's data can't forge a line. The caller must
/// keep secrets and payload bytes out; this handler can't recognize them.
///
/// A warning or an error with a field `error` is written at most once a minute, with the number of
/// `times` it occurred, as long as its message and fields are the same; the field `lane` may
/// differ. So a lasting cause does not flood the log.
public struct LineLogHandler: LogHandler {
    /// Events below this level are not formatted.
    public var logLevel: Logger.Level
    /// Fields in every line of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Adds fields of the current task; an event's own fields take precedence.
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogFormat
    private let hasPriority: Bool
    private let emit: @Sendable (String) -> Void
    private let troubles = Troubles()

    /// Shared by a logger and its copies.
    private final class Troubles: Sendable {
        let reminder = Mutex(Reminder())
    }

    /// - Parameters:
    /// - label: the logger's name; every line has it as `logger`.
    /// - hasPriority: begins each line with its level in the form that systemd's journal reads.
    /// - write: receives each line with its line break.
    public init(
        label: String, level: Logger.Level, format: LogFormat, hasPriority: Bool = false,
        write: @escaping @Sendable (String) -> Void = Self.writeToStandardError
    ) {
        self.label = label
        self.format = format
        self.hasPriority = hasPriority
        emit = write
        logLevel = level
    }

    /// Makes this the handler of every logger created afterwards; may be called once per process.
    ///
    /// - Parameter hasPriority: see ``init(label:level:format:hasPriority:write:)``.
    public static func bootstrap(
        level: Logger.Level, format: LogFormat, hasPriority: Bool = false
    ) {
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, level: level, format: format, hasPriority: hasPriority)
        }
    }

    /// A field in every line of this logger.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line: time, level, logger, message, then the fields sorted by name.
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
        case .logfmt: emit(priority(event.level) + Self.logfmt(pairs))
        case .json: emit(priority(event.level) + Self.json(pairs))
        }
    }

    /// - Source: sd-daemon(3), `SD_DEBUG` to `SD_CRIT`.
    private func priority(_ level: Logger.Level) -> String {
        guard hasPriority else { return "" }
        return switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
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
                        && $0 != UInt8(ascii: "\\")
                } && value.unicodeScalars.allSatisfy(\.isHarmlessOnTerminal)
            line += plain ? value : quoted(value)
        }
        return line + "\n"
    }

    private static func json(_ pairs: [(String, String)]) -> String {
        "{" + pairs.map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}\n"
    }

    /// A JSON string; logfmt uses the same quoting.
    private static func quoted(_ value: String) -> String { JSONString.quotedForTerminal(value) }

    /// The current time in UTC with milliseconds, in the format of RFC 3339.
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

    /// One system call per line. A line that standard error does not accept is lost: logging must
    /// not stop a server.
    public static func writeToStandardError(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
