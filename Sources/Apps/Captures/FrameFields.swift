import Foundation
import JSONText
import Readings
import Scanner

/// The fields of one frame, as ranges of its bytes.
struct FrameFields {
    typealias Field = CaptureFault.Field

    private let bytes: UnsafeBufferPointer<UInt8>
    /// By ``index(of:)``.
    private var values: InlineArray<6, JSONReader.Value?> = .init(repeating: nil)
    private var repeated: Field?

    /// - Parameter bytes: on loan; must outlive this value.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(CaptureFault) {
        self.bytes = bytes
        var reader = JSONReader(bytes)
        let isObject: Bool
        do throws(JSONFault) {
            isObject = try reader.readObject { key, value in self.keep(key, value) }
        } catch {
            throw .notJSON(error, offset: reader.index)
        }
        guard isObject else { throw .otherType }
        if let repeated { throw .duplicateKey(repeated) }
    }

    private mutating func keep(_ key: JSONReader.Value, _ value: JSONReader.Value) {
        guard let field = field(key) else { return }
        let index = Self.index(of: field)
        if values[index] != nil { repeated = repeated ?? field }
        values[index] = value
    }

    private func field(_ key: JSONReader.Value) -> Field? {
        let name = UnsafeBufferPointer(rebasing: bytes[key.start + 1..<key.end - 1])
        if key.hasEscapes {
            return key.text(in: bytes).flatMap(Field.init(rawValue:))
        }
        // All fields but two differ in length, so most keys cost one comparison.
        let candidate: Field
        switch name.count {
        case 2: candidate = .id
        case 4: candidate = .type
        case 8: candidate = name[0] == UInt8(ascii: "p") ? .photoURL : .audioURL
        case 9: candidate = .timestamp
        case 13: candidate = .transcription
        default: return nil
        }
        return name.elementsEqual(candidate.rawValue.utf8) ? candidate : nil
    }

    private static func index(of field: Field) -> Int {
        switch field {
        case .type: 0
        case .id: 1
        case .timestamp: 2
        case .photoURL: 3
        case .audioURL: 4
        case .transcription: 5
        }
    }

    // MARK: Values

    /// Whether `type` is `memory_capture`.
    var isCapture: Bool {
        (try? text(.type)) == "memory_capture"
    }

    /// The capture that the fields describe.
    func capture(accepting times: ClosedRange<Timestamp>) throws(CaptureFault) -> Capture {
        let capturedAt = try timestamp()
        guard times.contains(capturedAt) else { throw .field(.timestamp, .notAccepted(times)) }
        let id = try text(.id)
        if let id, !Capture.isID(id) { throw .field(.id, .notID) }
        return Capture(
            id: id ?? UUID().uuidString.lowercased(), capturedAt: capturedAt,
            photoURL: try url(.photoURL),
            audioURL: try url(.audioURL), transcription: try transcription())
    }

    private func timestamp() throws(CaptureFault) -> Timestamp {
        guard let text = try text(.timestamp) else { throw .field(.timestamp, .missing) }
        var utf8 = text
        guard let microseconds = utf8.withUTF8({ TimestampParser.parse($0) }) else {
            throw .field(.timestamp, .notTime)
        }
        let timestamp = Timestamp(microseconds: microseconds)
        // The offset from UTC can move the time out of the four-digit years.
        guard timestamp.hasFourDigitYear else { throw .field(.timestamp, .notTime) }
        return timestamp
    }

    private func url(_ field: Field) throws(CaptureFault) -> String? {
        guard let text = try text(field) else { return nil }
        guard text.utf8.count <= Capture.urlBytesMax else {
            throw .field(field, .tooLong(bytesMax: Capture.urlBytesMax))
        }
        guard Self.isURL(text) else { throw .field(field, .notURL) }
        return text
    }

    /// The scheme is http or https, a host follows, and all characters are allowed in a URL.
    private static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        let schemeCount = start == "https://" ? 8 : start.hasPrefix("http://") ? 7 : 0
        let rest = text.utf8.dropFirst(schemeCount)
        guard schemeCount > 0, let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return false
        default: return rest.allSatisfy(isURLByte)
        }
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }

    private func transcription() throws(CaptureFault) -> String? {
        guard let text = try text(.transcription) else { return nil }
        guard text.utf8.count <= Capture.transcriptionBytesMax else {
            throw .field(.transcription, .tooLong(bytesMax: Capture.transcriptionBytesMax))
        }
        return text
    }

    /// A string's text; nil if it is absent, null or empty.
    private func text(_ field: Field) throws(CaptureFault) -> String? {
        guard let value = values[Self.index(of: field)] else { return nil }
        guard bytes[value.start] == UInt8(ascii: "\"") else {
            guard bytes[value.start] == UInt8(ascii: "n") else { throw .field(field, .notString) }
            return nil
        }
        guard let text = value.text(in: bytes) else { throw .field(field, .notText) }
        return text.isEmpty ? nil : text
    }
}
