import Scanner

/// A set of COPY BINARY tuples, compared byte by byte: readings of one kind that are stored or came
/// earlier in the group.
///
/// Open addressing over one arena of bytes, so that a replay of a hundred thousand readings does
/// not allocate a hundred thousand times.
package struct TupleSet {
    private var arena: [UInt8] = []
    private var entries: [Range<Int>] = []
    private var hashes: [UInt64] = []
    /// Index in `entries`, or −1; a power of two, at most half full.
    private var slots: [Int32] = []

    var count: Int { entries.count }

    /// - Returns: whether it was new.
    @discardableResult
    package mutating func insert(_ tuple: UnsafeRawBufferPointer) -> Bool {
        if entries.count * 2 >= slots.count { grow() }
        let hash = Self.hash(tuple)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = Int(slots[slot])
            if hashes[entry] == hash, isEqual(entries[entry], tuple) { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(entries.count)
        entries.append(arena.count..<arena.count + tuple.count)
        hashes.append(hash)
        arena.append(contentsOf: tuple)
        return true
    }

    /// Inserts a copy of the tuple that has this device key.
    @discardableResult
    package mutating func insert(_ tuple: UnsafeRawBufferPointer, withKey key: Int64) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: tuple.count, alignment: 8) { copy in
            copy.copyMemory(from: tuple)
            copy.storeBytes(
                of: key.bigEndian, toByteOffset: TupleBuffer.deviceKeyOffset, as: Int64.self)
            return insert(UnsafeRawBufferPointer(copy))
        }
    }

    private func isEqual(_ range: Range<Int>, _ tuple: UnsafeRawBufferPointer) -> Bool {
        range.count == tuple.count
            && arena.withUnsafeBytes {
                $0[range].elementsEqual(tuple)
            }
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: max(64, slots.count * 2))
        for (entry, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(entry)
        }
    }

    /// Seeded for each process, so that nobody can choose readings that collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Multiplies and folds, eight bytes at a time.
    private static func hash(_ tuple: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(tuple.count)
        var offset = 0
        func mix(_ word: UInt64) {
            let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = high ^ low ^ word.byteSwapped
        }
        while offset + 8 <= tuple.count {
            mix(tuple.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest = 0 as UInt64
        while offset < tuple.count {
            rest = rest << 8 | UInt64(tuple[offset])
            offset += 1
        }
        mix(rest)
        return hash
    }
}
