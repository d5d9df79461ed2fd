import Encodings

/// The name of a vital for a metric of OpenTelemetry and the values of a point's attributes, which
/// tell its series apart: `system.cpu.time.user`.
enum OTLPName {
    static let lengthMax = 64

    /// Small letters, digits, `_`, `-` and points. A name that is too long ends in a digest of all
    /// of it, so that no two series share one.
    static func name(_ metric: String, _ values: [String]) -> String {
        var name: [UInt8] = []
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (index, word) in ([metric] + values).enumerated() {
            if index > 0 { name.append(UInt8(ascii: ".")) }
            for byte in word.utf8 {
                // FNV-1a.
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                guard name.count <= lengthMax else { continue }
                name.append(plain(byte))
            }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        if name.count > lengthMax {
            let digest = Hexadecimal.text(hash).prefix(8)
            name = name.prefix(lengthMax - 9) + [UInt8(ascii: ".")] + Array(digest.utf8)
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func plain(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: UInt8(ascii: "_")
        }
    }
}
