package import Readings
import Scanning

/// What a group changes in one device's row of `device_state`.
package struct Claim {
    package let key: DeviceKey
    package let deviceID: String
    /// Newest times of the group by kind; nil when it has none of that kind.
    package var newest = ByKind<Int64?>(repeating: nil)
    /// Rows of all kinds, including duplicates.
    package var rowCount: Int64 = 0
    /// When the last batch with attributes was received, microseconds since 2000; `Int64.min` when
    /// no batch has any. A batch that was received earlier and spooled does not undo newer
    /// attributes.
    package var attributesAt = Int64.min
    /// The newest non-null value of each, by when its batch was received.
    package var userID: String?
    package var modelName: String?
    package var version: String?

    init(_ parcel: Parcel) {
        key = parcel.key
        deviceID = parcel.deviceID
    }

    /// Parcels of a device are added in the order in which they were received.
    mutating func add(_ parcel: Parcel, receivedAt: Timestamp) {
        for kind in ReadingKind.allCases {
            let rows = parcel.summary(of: kind)
            guard rows.count > 0 else { continue }
            newest[kind] = max(newest[kind] ?? .min, rows.last)
            rowCount += Int64(rows.count)
        }
        if let attributes = parcel.attributes, attributes.saysAnything {
            attributesAt = receivedAt.microseconds
            userID = attributes.userID ?? userID
            modelName = attributes.modelName ?? modelName
            version = attributes.version ?? version
        }
    }

    /// A hash of the device's attributes, the same in all processes: FNV-1a over the three, each
    /// after a byte that tells it from null. 0: no attributes.
    package var said: Int64 {
        guard attributesAt != .min else { return 0 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        for text in [userID, modelName, version] {
            mix(text == nil ? 0 : 1)
            guard let text else { continue }
            for byte in text.utf8 { mix(byte) }
            mix(0xFF)
        }
        return hash == 0 ? 1 : Int64(bitPattern: hash)
    }

    /// The devices of a group, in the order in which all writers lock them, and each parcel's place
    /// among them.
    static func all(of group: [ReceivedParcel]) -> (claims: [Claim], placeOfParcel: [Int]) {
        let order = group.indices.sorted {
            let (left, right) = (group[$0], group[$1])
            return (left.parcel.key.value, left.parcel.key.check, left.receivedAt.microseconds, $0)
                < (
                    right.parcel.key.value, right.parcel.key.check, right.receivedAt.microseconds,
                    $1
                )
        }
        var claims: [Claim] = []
        var places = [Int](repeating: 0, count: group.count)
        for index in order {
            let parcel = group[index].parcel
            // Two ids that share a key make two claims; the row matches at most one of them.
            if claims.last?.key != parcel.key { claims.append(Claim(parcel)) }
            claims[claims.count - 1].add(parcel, receivedAt: group[index].receivedAt)
            places[index] = claims.count - 1
        }
        return (claims, places)
    }
}

/// A device's row in `device_state` as it was before the group, now locked.
package struct Holding {
    package let keyCheck: Int64
    /// Watermarks by kind, microseconds since 2000; `Int64.min` when nothing was stored.
    package let watermarks: ByKind<Int64>
    /// The claim's attributes differ from the stored ones and are not older.
    package let saysNew: Bool
    /// End of the latest hour that was summed, microseconds since 2000.
    package let summedUntil: Int64

    /// For a device whose key belongs to another device, whose check is `keyCheck`.
    static func ofAnother(keyCheck: Int64) -> Holding {
        Holding(
            keyCheck: keyCheck, watermarks: ByKind(repeating: .min), saysNew: false,
            summedUntil: .min)
    }

    package init(
        keyCheck: Int64, watermarks: ByKind<Int64>, saysNew: Bool, summedUntil: Int64
    ) {
        self.keyCheck = keyCheck
        self.watermarks = watermarks
        self.saysNew = saysNew
        self.summedUntil = summedUntil
    }
}

extension DeviceAttributes {
    fileprivate var saysAnything: Bool { userID != nil || modelName != nil || version != nil }
}

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
