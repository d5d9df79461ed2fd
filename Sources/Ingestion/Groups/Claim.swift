package import Readings
package import Scanning

/// What one group has for one device: what is asked for its row in `device_state`.
package struct Claim {
    package let key: DeviceKey
    package let deviceID: String
    /// Newest times of the group by kind; nil when it has none of that kind.
    package var newest: InlineArray<3, Int64?> = [nil, nil, nil]
    /// Rows of all kinds, duplicates among them.
    package var rowCount: Int64 = 0
    /// When the last batch with attributes came, microseconds since 2000: what a device says of
    /// itself later is not undone by a batch that came before and was spooled.
    package var attributesAt = Int64.min
    /// The last non-null of each, in the order of the group.
    package var userID: String?
    package var modelName: String?
    package var version: String?

    init(_ parcel: Parcel) {
        key = parcel.key
        deviceID = parcel.deviceID
    }

    mutating func add(_ parcel: Parcel, receivedAt: Timestamp) {
        for kind in ReadingKind.allCases {
            let rows = parcel.summary(of: kind)
            guard rows.count > 0 else { continue }
            let known = newest[Int(kind.rawValue)] ?? .min
            newest[Int(kind.rawValue)] = max(known, rows.last)
            rowCount += Int64(rows.count)
        }
        if let attributes = parcel.attributes {
            attributesAt = max(attributesAt, receivedAt.microseconds)
            userID = attributes.userID ?? userID
            modelName = attributes.modelName ?? modelName
            version = attributes.version ?? version
        }
    }

    package var attributes: DeviceAttributes {
        DeviceAttributes(userID: userID, modelName: modelName, version: version)
    }

    /// The devices of a group, in the order in which all writers lock them, and each parcel's place
    /// among them.
    static func all(of group: [GroupEntry]) -> (claims: [Claim], placeOfParcel: [Int]) {
        let order = group.indices.sorted {
            let (left, right) = (group[$0].parcel.key, group[$1].parcel.key)
            return (left.value, left.check, $0) < (right.value, right.check, $1)
        }
        var claims: [Claim] = []
        var places = [Int](repeating: 0, count: group.count)
        for index in order {
            let parcel = group[index].parcel
            // Two ids that share a key are two claims; the second will be found out.
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
    package let watermarks: InlineArray<3, Int64>

    package init(keyCheck: Int64, watermarks: InlineArray<3, Int64>) {
        self.keyCheck = keyCheck
        self.watermarks = watermarks
    }
}
