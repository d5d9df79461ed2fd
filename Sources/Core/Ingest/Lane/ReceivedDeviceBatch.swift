package import Readings
package import Scanner
import SpoolLog

/// A device batch as it was received.
package struct ReceivedDeviceBatch: LanePayload {
    typealias Committed = BatchCounts
    typealias Waiter = Receipt

    package let deviceBatch: DeviceBatch
    /// The name of its API key, kept with quarantined readings.
    package let keyName: String
    /// When it was received, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp
    /// It comes from the spool.
    let isReplayed: Bool
    /// Days that left the tables; their rows are quarantined when it is written. In the spool they
    /// stay rows, because the days may be back by then.
    var daysLeft: Set<ReadingDay> = []

    var memory: Int { deviceBatch.memory }
    /// The number of readings, including quarantined ones.
    package var count: Int { deviceBatch.rowCount + deviceBatch.quarantined.count }
    var mayWaitInSpool: Bool { true }
    var sender: Sender {
        Sender(flow: UInt64(bitPattern: deviceBatch.idKey.value), unitKind: nil)
    }

    package init(deviceBatch: DeviceBatch, keyName: String, receivedAt: Timestamp) {
        self.init(
            deviceBatch: deviceBatch, keyName: keyName, receivedAt: receivedAt, isReplayed: false)
    }

    init(deviceBatch: DeviceBatch, keyName: String, receivedAt: Timestamp, isReplayed: Bool) {
        self.deviceBatch = deviceBatch
        self.keyName = keyName
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
    }

    /// The same with another device batch, such as a part of this one.
    func with(_ deviceBatch: DeviceBatch) -> ReceivedDeviceBatch {
        ReceivedDeviceBatch(
            deviceBatch: deviceBatch, keyName: keyName, receivedAt: receivedAt,
            isReplayed: isReplayed)
    }

    /// The same with the rows of ``daysLeft`` quarantined.
    var withoutDaysLeft: ReceivedDeviceBatch {
        if daysLeft.isEmpty { return self }
        return with(
            deviceBatch.settingAside(.timeTooOld) { kind, time in
                daysLeft.contains(ReadingDay(kind: kind, day: Timestamp(microseconds: time).day))
            })
    }
}
