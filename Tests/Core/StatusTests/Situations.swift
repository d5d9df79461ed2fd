import Instruments

@testable import Status

/// A server's samples in known situations: taken one second apart, with consistent figures.
struct Situation {
    var earlier = Sample()
    var now = Sample()

    /// Two lanes, two event loops, two cores, a spool; nothing has happened.
    init() {
        var sample = Sample()
        sample.version = "1.2.3"
        sample.uptime = .seconds(1000)
        sample.unixSeconds = 1_795_300_000
        sample.lanes = [LaneSample(lane: 0), LaneSample(lane: 1)]
        sample.laneBytesMax = 16e6
        sample.process.loops = 2
        sample.process.residentBytes = 90e6
        sample.process.host = HostFigures(busy: 1000, total: 100_000, cores: 2)
        sample.connections.max = 10_000
        sample.connections.inFlightBytesMax = 256e6
        sample.connections.socketsMax = 20_000
        var spool = SpoolSample()
        spool.bytesMax = 1e9
        sample.spool = spool
        earlier = sample
        sample.uptime += .seconds(1)
        sample.unixSeconds += 1
        sample.process.host = HostFigures(busy: 1010, total: 100_200, cores: 2)
        now = sample
    }

    /// Batches of 100 readings are spread evenly over all lanes.
    ///
    /// - Parameters:
    ///   - wait: of one batch for its lane, in seconds.
    ///   - service: of one group, in seconds.
    ///   - busy: share of the lanes' time.
    mutating func load(
        batches: Double, wait: Double, service: Double, busy: Double, edge: Double = 0.0002
    ) {
        let lanes = Double(now.lanes.count)
        let groups = busy * lanes / service
        for place in now.lanes.indices {
            now.lanes[place].batches += batches / lanes
            now.lanes[place].waitSeconds += wait * batches / lanes
            now.lanes[place].staySeconds += service * batches / lanes
            now.lanes[place].busySeconds += busy
            now.lanes[place].groups += groups / lanes
            now.lanes[place].claimSeconds += busy * 0.2
            now.lanes[place].siftSeconds += busy * 0.05
            now.lanes[place].copySeconds += busy * 0.4
            now.lanes[place].commitSeconds += busy * 0.3
        }
        now.totals.requests += batches
        now.totals.readings += batches * 100
        now.totals.stored += batches * 100
        now.totals.commits += groups
        now.totals.receivedBytes += batches * 9000
        now.totals.tupleBytes += batches * 4400
        now.acknowledgement = Self.all(
            of: wait + service + edge, Int(batches), since: earlier.acknowledgement)
        now.queueWait = Self.all(of: wait, Int(batches), since: earlier.queueWait)
        now.commit = Self.all(of: service, Int(groups), since: earlier.commit)
        now.groupBatches = Distribution(
            bounds: [1, 4, 16, 64], counts: [0, 0, 0, Int(groups), 0], sum: batches)
    }

    /// The load of the event loops and of the machine during the interval.
    mutating func cores(loops: Double, machine: Double, process: Double = 1) {
        now.process.loopSeconds += loops * now.process.loops
        now.process.cpuSeconds += process
        now.process.host = HostFigures(
            busy: 1000 + Int(200 * machine), total: 100_200, cores: 2)
    }

    private static func all(
        of seconds: Double, _ count: Int, since earlier: Distribution
    ) -> Distribution {
        let histogram = Histogram(.seconds, bounds: Histogram.latencyBounds)
        for _ in 0..<count { histogram.record(Int(seconds * 1e9)) }
        return Distribution(histogram.snapshot)
    }

    var report: StatusReport {
        StatusReport(now, since: earlier, minuteAgo: earlier, sequence: 7, node: "node")
    }
}
