/// A file's content without its name: as processes see it, and as a crash would leave it.
final class ModelNode {
    /// The unit in which a crash loses bytes; a write within a sector can be torn at any byte.
    private static let sectorBytes = 512

    /// The page cache: the bytes that are read.
    private(set) var seen: [UInt8]
    /// The bytes on the platter.
    private var durable: [UInt8]
    /// Writes since the last sync, oldest first.
    private var writes: [(offset: Int, bytes: [UInt8])] = []
    /// The smallest size that it was truncated to since the last sync.
    private var cut: Int?
    /// Whether the size was synced.
    private var isSizeDurable = false

    init(bytes: Int) {
        seen = [UInt8](repeating: 0, count: bytes)
        durable = seen
    }

    init(found bytes: [UInt8]) {
        seen = bytes
        durable = bytes
        isSizeDurable = true
    }

    func write(_ bytes: some Sequence<UInt8>, at offset: Int) {
        let bytes = Array(bytes)
        let end = offset + bytes.count
        if end > seen.count {
            seen.append(contentsOf: [UInt8](repeating: 0, count: end - seen.count))
            isSizeDurable = false
        }
        seen.replaceSubrange(offset..<end, with: bytes)
        writes.append((offset, bytes))
    }

    /// Only shortens the file.
    func truncate(to bytes: Int) {
        precondition(bytes <= seen.count, "BUG: bytes=\(bytes)")
        seen.removeLast(seen.count - bytes)
        // A write that reaches beyond the new size is truncated with it.
        writes = writes.compactMap { write in
            let kept = min(write.bytes.count, bytes - write.offset)
            return kept > 0 ? (write.offset, Array(write.bytes.prefix(kept))) : nil
        }
        cut = min(cut ?? bytes, bytes)
    }

    /// Bytes that an earlier sync failed to write are not written now either.
    func sync() {
        applyCut(&durable)
        cut = nil
        grow(&durable)
        for write in writes {
            durable.replaceSubrange(
                write.offset..<(write.offset + write.bytes.count), with: write.bytes)
        }
        writes = []
        isSizeDurable = true
    }

    /// A failed fsync: the kernel drops the dirty bytes. Readers still see them, the platter has
    /// any part of them, and a later successful sync does not change that.
    func failSync(_ dice: inout Dice) {
        durable = left(&dice)
        cut = nil
        writes = []
    }

    /// Changes a byte both for readers and on the platter.
    func spoil(_ offset: Int, _ change: (UInt8) -> UInt8) {
        seen[offset] = change(seen[offset])
        if offset < durable.count { durable[offset] = seen[offset] }
    }

    private func applyCut(_ bytes: inout [UInt8]) {
        if let cut, cut < bytes.count { bytes.removeLast(bytes.count - cut) }
    }

    private func grow(_ bytes: inout [UInt8]) {
        guard bytes.count < seen.count else { return }
        bytes.append(contentsOf: [UInt8](repeating: 0, count: seen.count - bytes.count))
    }

    /// What a crash leaves: of each sector, any version since the last sync, and possibly a torn
    /// one.
    func left(_ dice: inout Dice) -> [UInt8] {
        var left = durable
        // With a journal, a truncation is undone completely or not at all.
        if cut != nil, dice.below(2) == 0 { applyCut(&left) }
        grow(&left)
        // Favours the usual outcomes: all or none of the writes arrived.
        let mood = dice.below(4)
        if mood > 0 {
            for write in writes {
                var start = 0
                while start < write.bytes.count {
                    let position = write.offset + start
                    let sectorEnd = (position / Self.sectorBytes + 1) * Self.sectorBytes
                    let count = min(sectorEnd - position, write.bytes.count - start)
                    if mood == 1 || dice.below(2) == 0 {
                        let torn = mood > 1 && dice.below(8) == 0 ? dice.below(count) : count
                        left.replaceSubrange(
                            position..<(position + torn), with: write.bytes[start..<(start + torn)])
                    }
                    start += count
                }
            }
        }
        if !isSizeDurable, dice.below(3) == 0 {
            left.removeLast(dice.below(left.count + 1))
        }
        return left
    }
}
