import Readings
import Scanning

/// Which lane a device belongs to.
enum LaneChoice {
    /// The key is a hash already.
    static func lane(of parcel: Parcel, among count: Int) -> Int {
        Int(truncatingIfNeeded: UInt64(bitPattern: parcel.key.value) >> 32) % count
    }
}
