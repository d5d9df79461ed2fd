import JSONText

/// The fields of a body about a profile, on loan.
struct ProfileFields {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let members: [String: JSONReader.Value]

    /// - Parameter bytes: must outlive this value.
    init(_ bytes: UnsafeRawBufferPointer) throws(ProfileFault) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        guard bytes.count <= ProfileRequest.bytesMax else { throw .tooLarge }
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
        self.bytes = bytes
        self.members = members
    }

    /// Whether it is there, and not null.
    var hasSummary: Bool {
        members["summary"].map { bytes[$0.start] != UInt8(ascii: "n") } ?? false
    }

    /// The JSON of the summary: a string or an object.
    func summary() throws(ProfileFault) -> String {
        guard let value = members["summary"] else { throw .summaryMissing }
        switch bytes[value.start] {
        case UInt8(ascii: "n"): throw .summaryMissing
        case UInt8(ascii: "\"") where value.end - value.start == 2: throw .summaryMissing
        case UInt8(ascii: "\""), UInt8(ascii: "{"):
            return String(decoding: bytes[value.start..<value.end], as: UTF8.self)
        default: throw .summaryInvalid
        }
    }

    /// The zone's name, unchecked; nil if none is given.
    func timeZone() throws(ProfileFault) -> String? {
        guard let value = members["timeZone"], bytes[value.start] != UInt8(ascii: "n") else {
            return nil
        }
        guard bytes[value.start] == UInt8(ascii: "\""), let text = value.text(in: bytes) else {
            throw .timeZoneUnknown
        }
        return text
    }
}
