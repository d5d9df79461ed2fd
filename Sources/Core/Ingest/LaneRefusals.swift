public import Readings
import Scanner

/// Readings that a lane quarantined though the scanner had accepted them, by reason.
///
/// Their places in the batch are no longer known.
public struct LaneRefusals: Sendable, Equatable {
    private var ofDaysThatLeft = 0
    private var byDatabase = 0
    private var withOthers = 0
    private var ofClashingKeys = 0
    private var ofNewMetrics = 0

    /// None.
    public init() {}

    /// Those quarantined for one reason.
    public init(_ reason: QuarantineReason, _ count: Int) {
        self[reason] = count
    }

    /// Those of a device batch that a lane has processed.
    init(_ deviceBatch: DeviceBatch) {
        for reading in deviceBatch.quarantined
        where reading.index == QuarantinedReading.indexUnknown {
            self[reading.reason] += 1
        }
    }

    /// Every reason that a lane can have.
    public static let reasons: [QuarantineReason] = [
        .timeTooOld, .refusedByDatabase, .refusedWithOthers, .deviceKeyClash, .metricTooMany,
    ]

    /// How many have this reason, which must be one of ``reasons``.
    public internal(set) subscript(reason: QuarantineReason) -> Int {
        get {
            switch reason {
            case .timeTooOld: ofDaysThatLeft
            case .refusedByDatabase: byDatabase
            case .refusedWithOthers: withOthers
            case .deviceKeyClash: ofClashingKeys
            case .metricTooMany: ofNewMetrics
            default: preconditionFailure("BUG: no lane says \(reason)")
            }
        }
        set {
            switch reason {
            case .timeTooOld: ofDaysThatLeft = newValue
            case .refusedByDatabase: byDatabase = newValue
            case .refusedWithOthers: withOthers = newValue
            case .deviceKeyClash: ofClashingKeys = newValue
            case .metricTooMany: ofNewMetrics = newValue
            default: preconditionFailure("BUG: no lane says \(reason)")
            }
        }
    }

    /// The sum over all reasons.
    public var count: Int {
        ofDaysThatLeft + byDatabase + withOthers + ofClashingKeys + ofNewMetrics
    }

    static func + (left: LaneRefusals, right: LaneRefusals) -> LaneRefusals {
        var sum = left
        for reason in reasons { sum[reason] += right[reason] }
        return sum
    }
}
