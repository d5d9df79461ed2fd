/// Parses server-sent events; the bytes may be split anywhere.
///
/// Source: WHATWG HTML, "Server-sent events", section "Parsing an event stream". `id` and `retry`
/// are ignored: a status watcher does not need events that it missed.
public struct EventStreamParser: Sendable {
    /// One event.
    public struct Event: Equatable, Sendable {
        /// `message` if the stream does not name the event.
        public var name: String
        /// The event's data lines, joined with line breaks.
        public var data: String
    }

    /// An error in the stream.
    public enum Fault: Error, Equatable {
        /// An event or a line is longer than ``EventStreamParser/bytesMax``.
        case tooLong
    }

    /// Maximum size of an event, and of a line.
    public static let bytesMax = 1 << 20

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var endedInReturn = false
    private var isFirstLine = true

    /// A parser at the beginning of a stream.
    public init() {}

    /// Parses the next part of the stream.
    ///
    /// - Returns: the events that are now complete.
    public mutating func take(_ bytes: some Sequence<UInt8>) throws(Fault) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let followsReturn = endedInReturn
            endedInReturn = false
            switch byte {
            case UInt8(ascii: "\n") where followsReturn: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedInReturn = byte == UInt8(ascii: "\r")
                if let event = try endLine() { events.append(event) }
            default:
                guard line.count < Self.bytesMax else { throw .tooLong }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(Fault) -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line.dropFirst(colon + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < Self.bytesMax else { throw .tooLong }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer {
            name = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        guard hasData else { return nil }
        return Event(
            name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self))
    }
}
