import JSONText
import Readings

/// Lines of JSON: of `sluice export`, of `sluice spool export`, or readings of `/ingest` with
/// `device_id` in each.
final class JSONLinesImport: ImportParser {
    private let output: ImportOutput
    private var lines = LineSplitter()

    init(_ output: ImportOutput) {
        self.output = output
    }

    var line: Int { lines.line }

    func take(_ piece: UnsafeRawBufferPointer) throws {
        try lines.take(
            piece, tooLong: { output.fault($0, .tooLong(max: Imports.lineBytesMax)) }, add)
    }

    func finish() throws { try lines.finish(add) }

    private func add(_ line: Int, _ bytes: UnsafeRawBufferPointer) throws {
        var bytes = bytes
        // A byte order mark.
        if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = UnsafeRawBufferPointer(rebasing: bytes[3...])
        }
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        try add(line, bytes.bindMemory(to: UInt8.self), device: nil, user: nil)
    }

    /// - Parameters:
    ///   - device: of the line around a quarantined reading.
    ///   - user: as `device`.
    private func add(
        _ line: Int, _ bytes: UnsafeBufferPointer<UInt8>, device: String?, user: String?
    ) throws {
        var members: [(name: String, value: JSONReader.Value)] = []
        var reader = JSONReader(bytes, takesNonFinite: true)
        let isObject: Bool
        do throws(JSONFault) {
            isObject = try reader.readObject { key, value in
                members.append((key.text(in: bytes) ?? "", value))
            }
        } catch {
            let reason: ImportFault.Reason =
                switch error {
                case .truncated: .truncated
                case .invalidUTF8: .notUTF8
                default: .notJSON(offset: reader.index)
                }
            throw output.fault(line, reason)
        }
        guard isObject else { throw output.fault(line, .notJSON(offset: 0)) }
        func text(_ names: String...) -> String? {
            members.first { names.contains($0.name) }.flatMap { Self.text($0.value, bytes) }
        }
        if let kind = text("unit"), members.contains(where: { $0.name == "payload" }) {
            return output.leaveOut(.unit(kind: kind))
        }
        let device = device ?? text("device_id", "device")
        let user = user ?? text("user_id", "user")
        if members.contains(where: { $0.name == "quarantined" }), let body = text("body") {
            return try addQuarantined(line, body, device, user)
        }
        try add(line, members, bytes, device, user)
    }

    /// The line has the bytes of a reading that a server quarantined; perhaps it takes it today.
    private func addQuarantined(
        _ line: Int, _ body: String, _ device: String?, _ user: String?
    ) throws {
        var body = body
        try body.withUTF8 { bytes in
            var reader = JSONReader(bytes)
            guard (try? reader.readObject { _, _ in }) == true else {
                return output.leaveOut(.cut)
            }
            try add(line, bytes, device: device, user: user)
        }
    }

    private func add(
        _ line: Int, _ members: [(name: String, value: JSONReader.Value)],
        _ bytes: UnsafeBufferPointer<UInt8>, _ device: String?, _ user: String?
    ) throws {
        let roles = members.map { ReadingColumns.role(of: $0.name) }
        let named = members.first { ReadingColumns.role(of: $0.name) == .kind }
        let kind: ReadingKind?
        if let named {
            let text = Self.text(named.value, bytes)
            kind = ReadingKind.allCases.first { $0.name == text }
        } else {
            let given = zip(members, roles).filter { bytes[$0.0.value.start] != UInt8(ascii: "n") }
            let kinds = ReadingColumns.kinds(of: given.compactMap(\.1))
            guard kinds.count < 2 else {
                throw output.fault(line, .severalKinds(kinds.map(\.name)))
            }
            kind = kinds.first ?? ReadingColumns.kinds(of: roles.compactMap { $0 }).first
        }
        var draft = ReadingDraft()
        if let kind { draft.add("type", text: kind.name) }
        let metric = zip(members, roles).first { $1 == .metric }
            .flatMap { Self.text($0.0.value, bytes) }
        let code = members.first { $0.name == "code" }
            .map { bytes[$0.value.start..<$0.value.end] }
            .flatMap { $0.first == UInt8(ascii: "n") ? nil : $0 }
        let isNamed =
            kind == .vital && metric != nil
            && code.map { ReadingColumns.isGivenOut(code: $0) } ?? true
        for ((name, value), role) in zip(members, roles) {
            let raw = bytes[value.start..<value.end]
            switch role {
            case .time: draft.add("t", json: raw)
            case .kind where kind == nil: draft.add("type", json: raw)
            case .metric where kind != nil && kind != .vital: output.leaveOut(.field(name))
            case .value(let column):
                guard let kind, let field = ReadingColumns.field(column, of: kind) else {
                    output.leaveOut(.field(name))
                    continue
                }
                if isNamed, field.name == "code" { continue }
                draft.add(field.name, json: raw)
            case .motion:
                if bytes[value.start] != UInt8(ascii: "n") { draft.add(motion: raw) }
            case .device, .user, .kind, .metric, .passed: continue
            case nil: output.leaveOut(.field(name))
            }
        }
        if isNamed, let metric {
            draft.add(metric: metric, try output.metric(metric))
        }
        try output.add(line: line, device: device, user: user, draft.finished())
    }

    /// nil: not a string.
    private static func text(
        _ value: JSONReader.Value, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> String? {
        bytes[value.start] == UInt8(ascii: "\"") ? value.text(in: bytes) : nil
    }
}
