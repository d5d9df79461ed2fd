/// Takes server-sent events apart, however the bytes were cut on their way.
///
/// Source: WHATWG HTML, "Server-sent events", section "Parsing an event stream". `id` and `retry` are
/// read over: who watches a status has no use for what it missed.
public struct EventStreamParser: Sendable {
    /// One event.
    public struct Event: Equatable, Sendable {
        /// `message` where the stream doesn't say.
        public var name: String
        /// Its lines, with a line break between them.
        public var data: String
    }

    /// What a stream can do wrong.
    public enum Fault: Error, Equatable {
        /// An event or a line is longer than ``EventStreamParser/bytesMax``.
        case tooLong
    }

    /// Bytes of an event, and of a line.
    public static let bytesMax = 1 << 20

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var endedInReturn = false
    private var isFirstLine = true

    /// At the beginning of a stream.
    public init() {}

    /// Takes a piece of the stream.
    ///
    /// - Returns: the events that are complete now.
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
