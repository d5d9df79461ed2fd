import Postgres

/// Removes the lines of some devices: those that begin with one of their keys and a tab.
///
/// Accepts lines that are cut anywhere, and holds back the key of a line until it is complete.
struct LineFilter {
    private let keys: Set<Int64>
    /// The beginning of the current line, while its key may be incomplete.
    private var head: [UInt8] = []
    private var isDropping = false
    private var isInHead = true
    private(set) var dropped = 0

    init(keys: Set<Int64>) {
        self.keys = keys
    }

    /// - Parameter write: called with the lines that stay, in order; must not keep the bytes.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        /// The first byte that is still to be written.
        var start = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isInHead {
                guard byte == 0x09 || byte == 0x0A else {
                    head.append(byte)
                    index += 1
                    continue
                }
                // The key is complete. All its bytes were held back, also those of an earlier
                // piece.
                isInHead = false
                let key = Int64(String(decoding: head, as: UTF8.self))
                isDropping = key.map(keys.contains) ?? false
                if isDropping {
                    dropped += 1
                } else {
                    try head.withUnsafeBytes(write)
                }
                head.removeAll(keepingCapacity: true)
                start = index
            }
            if byte == 0x0A {
                if !isDropping {
                    try write(UnsafeRawBufferPointer(rebasing: bytes[start...index]))
                }
                isInHead = true
            }
            index += 1
        }
        if !isInHead, !isDropping, start < bytes.count {
            try write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
