extension StageLoad {
    /// All stages over an interval.
    ///
    /// How long batches are in the edge is not measured, for that would take a look at the clock a
    /// batch: it is what is left of the time from head to answer when the time in queue and lanes is
    /// taken away. Of that, batches that were answered from the spool have their part.
    static func all(
        _ now: Sample, since earlier: Sample, seconds: Double, loopShare: Double
    ) -> [StageLoad] {
        func grown(_ field: (LaneSample) -> Double) -> Double {
            max(
                0,
                now.lanes.reduce(0) { $0 + field($1) } - earlier.lanes.reduce(0) { $0 + field($1) })
        }
        let answers = now.acknowledgement.since(earlier.acknowledgement)
        let answered = Double(answers.count)
        let taken = grown { $0.batches }
        let (wait, stay) = (grown { $0.waitSeconds }, grown { $0.staySeconds })
        let rest = max(0, answers.sum - wait - stay)
        let spooled = min(answered, max(0, now.batchesSpooled - earlier.batchesSpooled))
        let spooledPart = answered > 0 ? rest * spooled / answered : 0
        let lanes = Double(now.lanes.count)
        let syncing = now.spoolSync.since(earlier.spoolSync).sum
        let laneTime = seconds * lanes
        return [
            StageLoad(
                .edge, batches: answered, staySeconds: rest - spooledPart, interval: seconds,
                busyShare: loopShare, servers: now.process.loops),
            StageLoad(
                .queue, batches: taken, staySeconds: wait, interval: seconds, busyShare: nil,
                servers: 0),
            StageLoad(
                .lanes, batches: taken, staySeconds: stay, interval: seconds,
                busyShare: laneTime > 0 ? grown { $0.busySeconds } / laneTime : 0, servers: lanes),
            StageLoad(
                .spool, batches: spooled, staySeconds: spooledPart, interval: seconds,
                busyShare: seconds > 0 ? syncing / seconds : 0,
                servers: now.spool == nil ? 0 : 1),
        ]
    }
}
