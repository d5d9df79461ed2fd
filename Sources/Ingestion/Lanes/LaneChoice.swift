import Readings
import Scanning

/// Which lane a device or an owner belongs to.
enum LaneChoice {
    /// The key is a hash already.
    static func lane(of parcel: Parcel, among count: Int) -> Int {
        lane(ofRoute: UInt64(bitPattern: parcel.key.value), among: count)
    }

    static func lane(ofRoute route: UInt64, among count: Int) -> Int {
        Int(truncatingIfNeeded: route >> 32) % count
    }
}
