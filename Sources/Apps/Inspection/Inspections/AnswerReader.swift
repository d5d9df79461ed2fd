/// Reads what ``AnswerWriter`` wrote; nil for anything else.
package struct AnswerReader {
    private let output: [UInt8]
    private var place = 0

    package init(_ output: [UInt8]) { self.output = output }

    package var isAtEnd: Bool { place == output.count }

    package mutating func byte() -> UInt8? {
        guard place < output.count else { return nil }
        defer { place += 1 }
        return output[place]
    }

    package mutating func flag() -> Bool? {
        switch byte() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    package mutating func number() -> Int? {
        guard output.count - place >= 8 else { return nil }
        defer { place += 8 }
        let bits = output[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(Int64(bitPattern: bits))
    }

    package mutating func double() -> Double? {
        number().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) }
    }

    package mutating func bytes() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= output.count - place else { return nil }
        defer { place += count }
        return Array(output[place..<place + count])
    }

    package mutating func text() -> String? {
        bytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// - Returns: nil when it can't be read; otherwise the value, which may be absent.
    package mutating func optional<Value>(
        _ read: (inout AnswerReader) -> Value?
    ) -> Value?? {
        switch flag() {
        case nil: return nil
        case false?: return .some(nil)
        case true?:
            guard let value = read(&self) else { return nil }
            return .some(value)
        }
    }
}
