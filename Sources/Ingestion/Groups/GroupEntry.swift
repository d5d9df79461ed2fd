package import Readings
package import Scanning

/// One parcel of a group.
package struct GroupEntry {
    package let parcel: Parcel
    /// Name of the key it came with; stands in the quarantine.
    package let keyName: String
    /// When it came in, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp

    /// The same with another part of the parcel in its place.
    func with(_ parcel: Parcel) -> GroupEntry {
        GroupEntry(parcel: parcel, keyName: keyName, receivedAt: receivedAt)
    }
}

/// What became of one parcel; the three numbers add up to its readings.
struct GroupCounts: Equatable {
    var stored = 0
    var duplicates = 0
    var quarantined = 0
    /// Those of `quarantined` that the scanner had let through.
    var refusals = LaneRefusals()
}
