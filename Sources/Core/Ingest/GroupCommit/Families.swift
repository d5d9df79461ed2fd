import Readings

/// The rows of a group's devices that are of one device id, under several users.
///
/// A reading is stored once, whichever user a later batch names. So the rows of a device id share
/// one watermark, the newest of theirs, and a row at or below it is looked up under all their keys.
/// Few device ids have several users; mostly ``isEmpty`` is true.
struct Families {
    struct Family {
        /// All keys of the device id, ascending.
        fileprivate(set) var keys: [Int64] = []
        /// The newest watermarks of all of them.
        fileprivate(set) var watermarks = ByKind<Int64>(repeating: .min)
    }

    private var families: [Family] = []
    private var familyOfKey: [Int64: Int] = [:]

    /// None of the devices has other users.
    init() {}

    /// - Parameters:
    ///   - previousWatermarks: one for each claim.
    ///   - siblings: watermarks of other rows of the same device ids.
    init(
        _ claims: [Claim], _ previousWatermarks: [Claim.Previous],
        siblings: [Int64: ByKind<Int64>]
    ) {
        var known = siblings
        for (claim, holding) in zip(claims, previousWatermarks) where !holding.family.isEmpty {
            known[claim.key.value] = holding.watermarks
            add(holding.family)
        }
        for place in families.indices {
            for watermarks in families[place].keys.compactMap({ known[$0] }) {
                for kind in ReadingKind.allCases {
                    families[place].watermarks[kind] = max(
                        families[place].watermarks[kind], watermarks[kind])
                }
            }
        }
    }

    private mutating func add(_ keys: [Int64]) {
        let place = keys.compactMap { familyOfKey[$0] }.first ?? families.count
        if place == families.count { families.append(Family()) }
        families[place].keys = Set(families[place].keys + keys).sorted()
        for key in keys { familyOfKey[key] = place }
    }

    var isEmpty: Bool { families.isEmpty }
    var count: Int { families.count }

    subscript(place: Int) -> Family { families[place] }

    /// The family that a key belongs to; nil: no other key is of its device id.
    func place(of key: Int64) -> Int? { families.isEmpty ? nil : familyOfKey[key] }
}
