import Readings
import Scanner

/// A body on which scanner and reference disagree.
public struct Difference: CustomStringConvertible, Sendable {
    /// The whole body, however it was cut.
    public let body: [UInt8]
    /// How the scanner received it.
    public let chunking: Chunking
    /// The reference's verdict.
    public let expected: Verdict
    /// The scanner's verdict.
    public let got: Verdict

    /// For verdicts that are known already.
    public init(body: [UInt8], chunking: Chunking, expected: Verdict, got: Verdict) {
        self.body = body
        self.chunking = chunking
        self.expected = expected
        self.got = got
    }

    /// Several lines: the body, escaped, and both verdicts.
    public var description: String {
        """
        \(body.count) bytes, \(chunking)
        body:      \(Self.escaped(body))
        reference: \(Self.summary(of: expected))
        scanner:   \(Self.summary(of: got))
        """
    }

    /// The bytes as a Swift string literal would show them, with `\xNN` for non-ASCII bytes.
    public static func escaped(_ bytes: [UInt8], max: Int = 4000) -> String {
        let shown = bytes.prefix(max).map { byte -> String in
            switch byte {
            case 0x20...0x7E: String(UnicodeScalar(byte))
            default: "\\x" + hex([byte])
            }
        }
        return shown.joined() + (bytes.count > max ? "… (\(bytes.count) bytes)" : "")
    }

    /// One line for a refusal, otherwise one for each problem, device and kind.
    public static func summary(of verdict: Verdict) -> String {
        switch verdict {
        case .refused(let error, let received): return "\(error) after \(received)"
        case .taken(let batch):
            var lines = [
                "\(batch.received) received, \(batch.quarantined) quarantined, "
                    + "\(batch.ignoredCount) ignored "
                    + batch.ignored.map { escaped($0, max: 70) }.joined(separator: " ")
            ]
            lines += batch.problems.prefix(10).map { "  problem \($0.index) \($0.reason.rawValue)" }
            for device in batch.devices {
                lines.append(
                    "  device \(escaped(device.id, max: 140)) user \(attribute(device.userID)) "
                        + "model \(attribute(device.modelName)) version \(attribute(device.version))"
                )
                for (kind, rows) in device.rows.enumerated() where rows != DecodedRows() {
                    lines.append(
                        "    kind \(kind): \(rows.count) rows \(rows.first)…\(rows.last) "
                            + "rising=\(rows.strictlyRising) \(hex(Array(rows.tuples.prefix(600))))"
                    )
                }
                if device.named.count > 0 {
                    lines.append(
                        "    named \(batch.metricNames): "
                            + hex(Array(device.named.tuples.prefix(600))))
                }
                lines += device.quarantined.prefix(10).map {
                    "    quarantined \($0.index) \($0.reason.rawValue) \(escaped($0.body, max: 300))"
                }
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func attribute(_ value: [UInt8]?) -> String {
        value.map { "'\(escaped($0, max: 80))'" } ?? "nil"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
