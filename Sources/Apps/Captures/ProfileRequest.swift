import JSONText

/// The body of `POST /init-user/{user_id}`: `{"summary": …, "timeZone"?: …}`.
public struct ProfileRequest: Sendable, Equatable {
    /// The size limit of the body.
    public static let bytesMax = 256 * 1024

    /// The JSON as sent: a string or an object.
    let summary: String
    /// An IANA name such as `Europe/Berlin`. Nil keeps the stored zone; a new user gets
    /// `America/New_York`.
    let timeZone: String?

    /// - Parameter bytes: the body, on loan.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ProfileFault) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        var members: [String: JSONReader.Value] = [:]
        var repeated: String?
        var reader = JSONReader(bytes)
        let isObject: Bool
        do throws(JSONFault) {
            isObject = try reader.readObject { key, value in
                guard let name = key.text(in: bytes),
                    name == "summary" || name == "timeZone"
                else { return }
                if members.updateValue(value, forKey: name) != nil { repeated = name }
            }
        } catch {
            throw .notJSON(error, offset: reader.index)
        }
        guard isObject else { throw .notObject }
        if let repeated { throw .duplicateKey(repeated) }
        summary = try Self.summary(members["summary"], bytes)
        timeZone = try Self.timeZone(members["timeZone"], bytes)
    }

    private static func summary(
        _ value: JSONReader.Value?, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(ProfileFault) -> String {
        guard let value else { throw .summaryMissing }
        switch bytes[value.start] {
        case UInt8(ascii: "n"): throw .summaryMissing
        case UInt8(ascii: "\"") where value.end - value.start == 2: throw .summaryMissing
        case UInt8(ascii: "\""), UInt8(ascii: "{"):
            return String(decoding: bytes[value.start..<value.end], as: UTF8.self)
        default: throw .summaryInvalid
        }
    }

    private static func timeZone(
        _ value: JSONReader.Value?, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(ProfileFault) -> String? {
        guard let value, bytes[value.start] != UInt8(ascii: "n") else { return nil }
        guard bytes[value.start] == UInt8(ascii: "\""), let text = value.text(in: bytes),
            isTimeZoneName(text)
        else { throw .timeZoneUnknown }
        return text
    }

    /// Whether a text has the form of an IANA time zone name. PostgreSQL would also accept POSIX
    /// rules.
    private static func isTimeZoneName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "_"),
                    UInt8(ascii: "-"), UInt8(ascii: "+"):
                    true
                default: false
                }
            }
    }
}
