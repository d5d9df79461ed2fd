/// Leaves out the lines of some devices: those that begin with one of their keys and a tab.
///
/// Takes lines cut anywhere and holds back the beginning of one until its rest has come.
struct LineFilter {
    private let keys: Set<Int64>
    /// Of the line that has begun, while its key may go on.
    private var head: [UInt8] = []
    private var isDropping = false
    private var isInHead = true
    private(set) var dropped = 0

    init(keys: Set<Int64>) {
        self.keys = keys
    }

    /// - Parameter write: called with what stays, in order, on loan.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        /// Where what is to be written begins.
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
                // The key is whole; its bytes are held back, here or from the piece before.
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
