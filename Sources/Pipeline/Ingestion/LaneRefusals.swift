public import Readings
import Scanning

/// Readings that a lane quarantined though the scanner had accepted them, by reason.
///
/// Their places in the batch are no longer known.
public struct LaneRefusals: Sendable, Equatable {
    private var ofDaysThatLeft = 0
    private var byDatabase = 0
    private var withOthers = 0
    private var ofClashingKeys = 0

    /// None.
    public init() {}

    /// Those quarantined for one reason.
    public init(_ reason: QuarantineReason, _ count: Int) {
        self[reason] = count
    }

    /// Those of a parcel that a lane has processed.
    init(_ parcel: Parcel) {
        for reading in parcel.quarantined where reading.index == QuarantinedReading.indexUnknown {
            self[reading.reason] += 1
        }
    }

    /// Every reason that a lane can have.
    public static let reasons: [QuarantineReason] = [
        .timeTooOld, .refusedByDatabase, .refusedWithOthers, .deviceKeyClash,
    ]

    /// How many have this reason, which must be one of ``reasons``.
    public internal(set) subscript(reason: QuarantineReason) -> Int {
        get {
            switch reason {
            case .timeTooOld: ofDaysThatLeft
            case .refusedByDatabase: byDatabase
            case .refusedWithOthers: withOthers
            case .deviceKeyClash: ofClashingKeys
            default: preconditionFailure("BUG: no lane says \(reason)")
            }
        }
        set {
            switch reason {
            case .timeTooOld: ofDaysThatLeft = newValue
            case .refusedByDatabase: byDatabase = newValue
            case .refusedWithOthers: withOthers = newValue
            case .deviceKeyClash: ofClashingKeys = newValue
            default: preconditionFailure("BUG: no lane says \(reason)")
            }
        }
    }

    /// The sum over all reasons.
    public var count: Int { ofDaysThatLeft + byDatabase + withOthers + ofClashingKeys }

    static func + (left: LaneRefusals, right: LaneRefusals) -> LaneRefusals {
        var sum = left
        for reason in reasons { sum[reason] += right[reason] }
        return sum
    }
}

/// The series that count quarantined readings by reason. The scanner and the lanes each register
/// their own; a lane's have the label `found_by`.
public enum QuarantineSeries {
    /// The family's name.
    public static let name = "sluice_quarantined_readings_total"
    /// The family's help text, the same wherever it is registered.
    public static let help = "Readings that were set aside, by reason and by who found it."
}
