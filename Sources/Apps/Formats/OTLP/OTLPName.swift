import Encodings

/// The name of a vital for a metric of OpenTelemetry and the values of a point's attributes, which
/// tell its series apart: `system.cpu.time.user`.
enum OTLPName {
    static let lengthMax = 64

    /// Small letters, digits, `_`, `-` and points. A name that does not say all of it, because it is
    /// too long, or a byte has become `_`, or a value has a point, ends in a digest: so two series
    /// share a name only if they differ in nothing but small and capital letters.
    static func name(_ metric: String, _ values: [String]) -> String {
        var name: [UInt8] = []
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var saysAll = true
        for (index, word) in ([metric] + values).enumerated() {
            if index > 0 { name.append(UInt8(ascii: ".")) }
            if word.isEmpty { saysAll = false }
            for byte in word.utf8 {
                // FNV-1a.
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                guard name.count <= lengthMax else { continue }
                let plain = plain(byte)
                if plain == nil || index > 0 && byte == UInt8(ascii: ".") { saysAll = false }
                name.append(plain ?? UInt8(ascii: "_"))
            }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        if name.count > lengthMax || !saysAll {
            let digest = Hexadecimal.text(hash).prefix(8)
            name = name.prefix(lengthMax - 9) + [UInt8(ascii: ".")] + Array(digest.utf8)
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// nil: names have no such byte.
    private static func plain(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: nil
        }
    }
}
