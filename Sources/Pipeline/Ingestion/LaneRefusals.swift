public import Readings
import Scanning

/// Readings that a lane set aside and the scanner had found nothing wrong with, by reason.
///
/// Their places in the batch are forgotten by then.
public struct LaneRefusals: Sendable, Equatable {
    private var ofDaysThatLeft = 0
    private var byDatabase = 0
    private var withOthers = 0
    private var ofClashingKeys = 0

    /// None.
    public init() {}

    /// Those that were set aside for one reason.
    public init(_ reason: QuarantineReason, _ count: Int) {
        self[reason] = count
    }

    /// Those of a parcel that a lane has had in hand.
    init(_ parcel: Parcel) {
        for reading in parcel.quarantined where reading.index == QuarantinedReading.indexUnknown {
            self[reading.reason] += 1
        }
    }

    /// Every reason that a lane can have.
    public static let reasons: [QuarantineReason] = [
        .timeTooOld, .refusedByDatabase, .refusedWithOthers, .deviceKeyClash,
    ]

    /// How many of them; another reason than those of ``reasons`` is a bug.
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

    /// Of all reasons.
    public var count: Int { ofDaysThatLeft + byDatabase + withOthers + ofClashingKeys }

    static func + (left: LaneRefusals, right: LaneRefusals) -> LaneRefusals {
        var sum = left
        for reason in reasons { sum[reason] += right[reason] }
        return sum
    }
}

/// The series that count what is set aside by reason. Scanner and lanes each add their own to it: a
/// lane's have the label `found_by`.
public enum QuarantineSeries {
    /// The family's.
    public static let name = "sluice_quarantined_readings_total"
    /// The family's; all who register in it say the same.
    public static let help = "Readings that were set aside, by reason and by who found it."
}
