import Readings
import Scanner

/// The body's `metadata`: the device of all readings that don't name another.
struct ReferenceEnvelope {
    /// Lower-cased.
    let deviceID: String
    /// The device id where none is given.
    let userID: String
    let version: String?
    let modelName: String?
    /// Where `metadata` begins in the body.
    let offset: Int
    /// What it has and nothing reads.
    let ignored: [JSONNode.Member]

    /// Parses the value at the parser's offset.
    init(_ parser: inout JSONParser, limits: ReadingLimits) throws(ScanError) {
        if parser.next != UInt8(ascii: "{"), parser.startsValue {
            throw .envelope(.metadataNotObject)
        }
        guard parser.next == UInt8(ascii: "{") else { throw parser.fault }
        offset = parser.offset
        let members = try Self.members(&parser)

        let fields = ["device_id", "user_id", "version", "model_name"]
        var seen: Set<String> = []
        for member in members {
            guard let field = fields.first(where: { member.key.is($0) }) else { continue }
            guard seen.insert(field).inserted else {
                throw .envelope(.duplicateKey(field: field))
            }
        }
        ignored = members.filter { member in !fields.contains { member.key.is($0) } }
        let values = Values(members: members)
        let idMax = limits.deviceIDCharactersMax
        let attributeMax = limits.attributeCharactersMax
        guard
            let id = try values.text("device_id", charactersMax: idMax, mayBeEmpty: false)
        else { throw .envelope(.deviceIDMissing) }
        deviceID = id.lowercased()
        userID =
            try values.text("user_id", charactersMax: idMax, mayBeEmpty: false) ?? deviceID
        version = try values.text("version", charactersMax: attributeMax, mayBeEmpty: true)
        modelName = try values.text("model_name", charactersMax: attributeMax, mayBeEmpty: true)
    }

    /// The envelope's device, without readings.
    func device() -> DecodedDevice {
        var device = device(named: Array(deviceID.utf8))
        device.version = version.map { Array($0.utf8) }
        device.modelName = modelName.map { Array($0.utf8) }
        return device
    }

    /// A device of the batch's user.
    func device(named id: [UInt8]) -> DecodedDevice {
        let key = DeviceKey(of: String(decoding: id, as: UTF8.self), user: userID)
        return DecodedDevice(id: id, userID: Array(userID.utf8), key: key)
    }

    private static func members(
        _ parser: inout JSONParser
    ) throws(ScanError) -> [JSONNode.Member] {
        let node = try parser.value()
        guard node.range.count <= Choices.metadataBytesMax else {
            throw .envelope(.metadataTooLarge(bytesMax: Choices.metadataBytesMax))
        }
        return node.members ?? []
    }

    private struct Values {
        let members: [JSONNode.Member]

        /// Nil when the field is absent or null.
        func text(
            _ field: String, charactersMax: Int, mayBeEmpty: Bool
        ) throws(ScanError) -> String? {
            guard let value = members.first(where: { $0.key.is(field) })?.value, !value.isNull
            else { return nil }
            guard let text = value.text else { throw .envelope(.notString(field: field)) }
            if text.codePoints.isEmpty && !mayBeEmpty { throw .envelope(.empty(field: field)) }
            if text.codePoints.count > charactersMax {
                throw .envelope(.tooLong(field: field, charactersMax: charactersMax))
            }
            guard let string = text.string, !text.hasNul else {
                throw .envelope(.notText(field: field))
            }
            return string
        }
    }
}
