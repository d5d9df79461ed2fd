import Glibc
import Inspections

/// The bytes of a file in memory, of which the structure is read and some are replaced.
///
/// Every reader of a structure, whatever the container, goes through here, and this is the one
/// place with a limit on its work: each call costs its bytes and a little more, and all calls
/// together may cost ``workPerByte`` times the file. So no offsets and counts in a file, however
/// they overlap or point back, make the work more than a multiple of the file's size. Structures
/// within structures go through ``nested(_:)``, the one place with a limit on their depth.
///
/// Beyond the end of the file lists of bytes are shorter, and numbers are nil.
final class FileBytes {
    let count: Int
    private let start: UnsafeMutablePointer<UInt8>
    private var workLeft: Int
    private var depthLeft = FileBytes.depthMax
    private var changed: [Range<Int>] = []

    /// The cost of a call, beside its bytes.
    private static let callWork = 8
    private static let workPerByte = 24
    private static let workMin = 64 << 10
    private static let depthMax = 16

    /// - Parameter file: must outlive this object. Changes are made there.
    init(_ file: UnsafeMutableRawBufferPointer) {
        count = file.count
        start = file.assumingMemoryBound(to: UInt8.self).baseAddress ?? .allocate(capacity: 1)
        workLeft = Self.workMin + Self.workPerByte * count
    }

    private func spend(_ work: Int) throws(Unsettled) {
        workLeft -= Self.callWork + work
        guard workLeft >= 0 else { throw .tooMuchWork }
    }

    private func existing(_ range: Range<Int>) -> Range<Int> { range.clamped(to: 0..<count) }

    /// Runs the reader of a structure within the present one.
    func nested<Value>(_ body: () throws(Unsettled) -> Value) throws(Unsettled) -> Value {
        guard depthLeft > 0 else { throw .tooDeep }
        depthLeft -= 1
        defer { depthLeft += 1 }
        return try body()
    }

    // MARK: Reading

    func read(_ range: Range<Int>) throws(Unsettled) -> [UInt8] {
        let range = existing(range)
        try spend(range.count)
        return Array(UnsafeBufferPointer(start: start + range.lowerBound, count: range.count))
    }

    func byte(at offset: Int) throws(Unsettled) -> Int? { try number(at: offset, 1) }

    /// Of 1 to 7 bytes.
    func number(
        at offset: Int, _ width: Int, isLittleEndian: Bool = false
    ) throws(Unsettled) -> Int? {
        try spend(width)
        guard offset >= 0, offset <= count - width else { return nil }
        var number = 0
        for index in 0..<width {
            let place = offset + (isLittleEndian ? width - 1 - index : index)
            number = number << 8 | Int(start[place])
        }
        return number
    }

    /// The four letters of a chunk or box. They are bytes, not characters.
    func name(at offset: Int) throws(Unsettled) -> String {
        String(try read(offset..<offset + 4).map { Character(Unicode.Scalar($0)) })
    }

    func has(_ text: String, at offset: Int) throws(Unsettled) -> Bool {
        let text = Array(text.utf8)
        return try read(offset..<offset + text.count) == text
    }

    /// The first of the range that has this value.
    func find(_ byte: UInt8, in range: Range<Int>) throws(Unsettled) -> Int? {
        let range = existing(range)
        let found = range.isEmpty ? nil : memchr(start + range.lowerBound, Int32(byte), range.count)
        guard let found else {
            try spend(range.count)
            return nil
        }
        let place = found.assumingMemoryBound(to: UInt8.self) - start
        try spend(place - range.lowerBound)
        return place
    }

    /// The bytes for a library that only reads.
    func withBytes<Value>(_ range: Range<Int>, _ body: (UnsafePointer<UInt8>, Int) -> Value)
        throws(Unsettled) -> Value
    {
        let range = existing(range)
        try spend(range.count)
        return body(start + range.lowerBound, range.count)
    }

    // MARK: Changing

    func overwrite(_ bytes: [UInt8], at offset: Int) throws(Unsettled) {
        let range = offset..<offset + bytes.count
        try spend(bytes.count)
        guard existing(range) == range,
            !bytes.elementsEqual(UnsafeBufferPointer(start: start + offset, count: bytes.count))
        else { return }
        for (index, byte) in bytes.enumerated() { start[offset + index] = byte }
        try note(range)
    }

    func fill(_ range: Range<Int>, with byte: UInt8 = 0) throws(Unsettled) {
        let range = existing(range)
        try spend(range.count)
        guard !holds(only: byte, in: range), let first = range.first(where: { start[$0] != byte })
        else { return }
        memset(start + first, Int32(byte), range.upperBound - first)
        try note(first..<range.upperBound)
    }

    /// Whether each byte is this one: the first is, and each is like the next.
    private func holds(only byte: UInt8, in range: Range<Int>) -> Bool {
        let first = start + range.lowerBound
        return range.isEmpty || first[0] == byte && memcmp(first, first + 1, range.count - 1) == 0
    }

    private func note(_ range: Range<Int>) throws(Unsettled) {
        guard changed.count < FileReport.editsMax else { throw .tooMuchWork }
        changed.append(range)
    }

    /// What has changed: ordered, disjoint.
    var edits: [FileEdit] {
        var ranges: [Range<Int>] = []
        for range in changed.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound < last.upperBound {
                ranges[ranges.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        return ranges.map { range in
            let byte = start[range.lowerBound]
            let isFill = range.count > 8 && holds(only: byte, in: range)
            return FileEdit(
                offset: range.lowerBound,
                content: isFill
                    ? .fill(byte, count: range.count)
                    : .bytes(
                        Array(
                            UnsafeBufferPointer(
                                start: start + range.lowerBound, count: range.count))))
        }
    }
}
