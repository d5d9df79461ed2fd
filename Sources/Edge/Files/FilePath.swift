/// The path of a stored file and the end of its line, in the received bytes.
enum FilePath {
    /// Nothing in it is encoded; it ends before `end`.
    case of(Route, end: Int)
    /// Nothing wrong with it so far.
    case incomplete
    case other

    /// What stands behind the path.
    static let version: StaticString = " HTTP/1.1\r\n"

    private static let media: StaticString = "/media/memories/"
    private static let users: StaticString = "/api/users/user/"
    private static let files: StaticString = "/multimedia/files/"

    /// - Parameter start: where the path begins; that much has come.
    init(_ bytes: RawSpan, from start: Int) {
        var walk = Walk(place: start)
        if bytes.continues(at: start, with: Self.media) {
            walk.pass(Self.media, bytes)
            walk.passName(bytes)
            walk.pass("/", bytes)
            walk.passName(bytes)
            self = walk.end(of: .media, bytes)
        } else {
            walk.pass(Self.users, bytes)
            walk.passName(bytes)
            walk.pass(Self.files, bytes)
            walk.passName(bytes)
            self = walk.end(of: .journalFile, bytes)
        }
    }

    /// Goes along the bytes until they end or are others than expected.
    private struct Walk {
        enum Stop { case incomplete, other }

        var place: Int
        var stop: Stop?

        mutating func pass(_ text: StaticString, _ bytes: RawSpan) {
            guard stop == nil else { return }
            if !bytes.continues(at: place, with: text) {
                stop = .other
            } else if bytes.byteCount - place < text.utf8CodeUnitCount {
                stop = .incomplete
            } else {
                place += text.utf8CodeUnitCount
            }
        }

        /// One or more bytes that stand unescaped in every URL (RFC 3986, section 2.3).
        mutating func passName(_ bytes: RawSpan) {
            guard stop == nil else { return }
            let start = place
            while place < bytes.byteCount, Self.isUnreserved(bytes[place]) { place += 1 }
            if place == bytes.byteCount {
                stop = .incomplete
            } else if place == start {
                stop = .other
            }
        }

        mutating func end(of route: Route, _ bytes: RawSpan) -> FilePath {
            let end = place
            pass(FilePath.version, bytes)
            return switch stop {
            case nil: .of(route, end: end)
            case .incomplete: .incomplete
            case .other: .other
            }
        }

        private static func isUnreserved(_ byte: UInt8) -> Bool {
            let lower = byte | 0x20
            return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
        }
    }
}
