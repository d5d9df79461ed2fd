package import Readings
import Scanner

/// What a group changes in one device's row of `device_state`, for one user.
package struct Claim {
    package let key: DeviceKey
    package let deviceID: String
    package let idKey: DeviceIDKey
    package let userID: String
    /// Newest times of the group by kind; nil when it has none of that kind.
    package var newest = ByKind<Int64?>(repeating: nil)
    /// Rows of all kinds, including duplicates.
    package var rowCount: Int64 = 0
    /// When the last batch with attributes was received, microseconds since 2000; `Int64.min` when
    /// no batch has any. A batch that was received earlier and spooled does not undo newer
    /// attributes.
    package var attributesAt = Int64.min
    /// The newest non-null value of each, by when its batch was received.
    package var modelName: String?
    package var version: String?

    init(_ deviceBatch: DeviceBatch) {
        key = deviceBatch.key
        deviceID = deviceBatch.deviceID
        idKey = deviceBatch.idKey
        userID = deviceBatch.userID
    }

    /// Device batches of a device are added in the order in which they were received.
    mutating func add(_ deviceBatch: DeviceBatch, receivedAt: Timestamp) {
        for kind in ReadingKind.allCases {
            let rows = deviceBatch.summary(of: kind)
            guard rows.count > 0 else { continue }
            newest[kind] = max(newest[kind] ?? .min, rows.last)
            rowCount += Int64(rows.count)
        }
        if let attributes = deviceBatch.attributes, attributes.saysAnything {
            attributesAt = receivedAt.microseconds
            modelName = attributes.modelName ?? modelName
            version = attributes.version ?? version
        }
    }

    /// A hash of the device's attributes, the same in all processes: FNV-1a over both, each
    /// after a byte that tells it from null. 0: no attributes.
    package var said: Int64 {
        guard attributesAt != .min else { return 0 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        for text in [modelName, version] {
            mix(text == nil ? 0 : 1)
            guard let text else { continue }
            for byte in text.utf8 { mix(byte) }
            mix(0xFF)
        }
        return hash == 0 ? 1 : Int64(bitPattern: hash)
    }

    /// The devices of a group, in the order in which all writers lock them, and each device batch's
    /// place among them.
    static func all(of group: [ReceivedDeviceBatch]) -> (claims: [Claim], placeOfBatch: [Int]) {
        let order = group.indices.sorted {
            let (left, right) = (group[$0], group[$1])
            return (
                left.deviceBatch.key.value, left.deviceBatch.key.check,
                left.receivedAt.microseconds, $0
            )
                < (
                    right.deviceBatch.key.value, right.deviceBatch.key.check,
                    right.receivedAt.microseconds,
                    $1
                )
        }
        var claims: [Claim] = []
        var places = [Int](repeating: 0, count: group.count)
        for index in order {
            let deviceBatch = group[index].deviceBatch
            // Two ids that share a key make two claims; the row matches at most one of them.
            if claims.last?.key != deviceBatch.key { claims.append(Claim(deviceBatch)) }
            claims[claims.count - 1].add(deviceBatch, receivedAt: group[index].receivedAt)
            places[index] = claims.count - 1
        }
        return (claims, places)
    }
}

extension DeviceAttributes {
    var saysAnything: Bool { modelName != nil || version != nil }
}

extension Claim {
    /// The rows that a group's transaction makes and locks when it begins.
    package struct Request {
        /// The devices of the group, in key order.
        package let claims: [Claim]
        /// Those of them that may be new: one for each key.
        package var registered: [Claim] = []
        /// All keys of each device id that gets another user, as far as it is known; ascending.
        package var families: [[Int64]] = []
        /// Rows to be locked besides those of the claims: other keys of the same device ids.
        package var siblings: Set<Int64> = []

        init(_ claims: [Claim]) { self.claims = claims }
    }
}

extension Claim {
    /// What a claim has found; all these rows are locked.
    package struct Found {
        /// By device key. A device that is not registered has no entry, nor has one whose key belongs
        /// to another: its claim changes nothing.
        package var previousWatermarks: [Int64: Previous] = [:]
        /// Watermarks of the siblings and the claims' devices from before the claim, by key; empty if
        /// there were no siblings.
        package var siblings: [Int64: ByKind<Int64>] = [:]
        /// All keys of each device id that was registered and has several, ascending.
        package var families: [[Int64]] = []
        /// The keys of device ids of which a row did not learn of a new user: a trigger keeps it as it
        /// is.
        package var unchanged: Set<Int64> = []

        package init() {}
    }
}

extension Claim {
    /// A device's row in `device_state` as it was before the group, now locked.
    package struct Previous {
        package let keyCheck: Int64
        /// Watermarks by kind, microseconds since 2000; `Int64.min` when nothing was stored.
        package let watermarks: ByKind<Int64>
        /// The claim's attributes differ from the stored ones and are not older.
        package let hasNewAttributes: Bool
        /// End of the latest hour that was summed, microseconds since 2000.
        package let summedUntil: Int64
        /// All keys of its device id, where it has several: one for each user.
        package let family: [Int64]

        /// For a device whose key belongs to another device, whose check is `keyCheck`.
        static func ofAnother(keyCheck: Int64) -> Previous {
            Previous(
                keyCheck: keyCheck, watermarks: ByKind(repeating: .min), hasNewAttributes: false,
                summedUntil: .min)
        }

        package init(
            keyCheck: Int64, watermarks: ByKind<Int64>, hasNewAttributes: Bool, summedUntil: Int64,
            family: [Int64] = []
        ) {
            self.keyCheck = keyCheck
            self.watermarks = watermarks
            self.hasNewAttributes = hasNewAttributes
            self.summedUntil = summedUntil
            self.family = family
        }
    }
}
