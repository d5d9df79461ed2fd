import Testing

@testable import Status

@Suite struct BottleneckTests {
    @Test func `a server without work is idle`() {
        let bottleneck = Situation().report.bottleneck
        #expect(bottleneck.stage == .idle)
        #expect(bottleneck.level == .ok)
    }

    @Test func `under a light load there is room, and the sentence says where the batches are`() {
        var situation = Situation()
        situation.load(batches: 1000, wait: 0.0005, service: 0.002, busy: 0.4)
        situation.cores(loops: 0.1, machine: 0.3)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .lanes)
        #expect(bottleneck.level == .ok)
        #expect(bottleneck.sentence.contains("the lanes, works 40 % of the time"))
        // 1000/s × 2 ms.
        #expect(bottleneck.sentence.contains("2 being committed"), "\(bottleneck.sentence)")
    }

    @Test func `busy lanes have room while a batch waits for only one group`() {
        var situation = Situation()
        situation.load(batches: 5000, wait: 0.003, service: 0.004, busy: 0.98)
        situation.cores(loops: 0.3, machine: 0.7)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .lanes)
        #expect(bottleneck.level == .busy)
        #expect(bottleneck.sentence.contains("grow with the queue"), "\(bottleneck.sentence)")
    }

    @Test func `lanes are the limit when batches wait longer than a group takes`() {
        var situation = Situation()
        situation.load(batches: 5000, wait: 0.041, service: 0.006, busy: 0.97)
        situation.cores(loops: 0.3, machine: 0.6)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .lanes)
        #expect(bottleneck.level == .limit)
        #expect(
            bottleneck.sentence.contains(
                "2 of 2 lanes are busy 97 % of the time, a batch waits 41.0 ms for 6.00 ms of work"),
            "\(bottleneck.sentence)")
        #expect(bottleneck.sentence.contains("SLUICE_LANES"))
    }

    @Test func `if the machine has no free core, more lanes are not advised`() {
        var situation = Situation()
        situation.load(batches: 5000, wait: 0.041, service: 0.006, busy: 0.97)
        situation.cores(loops: 0.3, machine: 0.99, process: 0.8)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .cpu)
        #expect(bottleneck.level == .limit)
        #expect(bottleneck.sentence.contains("More lanes would not help"))
        #expect(!bottleneck.sentence.contains("SLUICE_LANES"))
    }

    @Test func `small groups that wait for their commit mean a slow disk`() {
        var situation = Situation()
        situation.load(batches: 400, wait: 0.2, service: 0.08, busy: 0.97)
        situation.cores(loops: 0.02, machine: 0.1)
        for place in situation.now.lanes.indices {
            situation.now.lanes[place].copySeconds = 0.02
            situation.now.lanes[place].claimSeconds = 0.02
            situation.now.lanes[place].commitSeconds = 0.9
        }
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .database)
        #expect(bottleneck.level == .limit)
        #expect(bottleneck.sentence.contains("for its disk"), "\(bottleneck.sentence)")
    }

    @Test func `waits for device row locks are reported`() {
        var situation = Situation()
        situation.load(batches: 400, wait: 0.2, service: 0.08, busy: 0.97)
        for place in situation.now.lanes.indices {
            situation.now.lanes[place].copySeconds = 0.1
            situation.now.lanes[place].commitSeconds = 0.1
            situation.now.lanes[place].claimSeconds = 0.7
        }
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .database)
        #expect(bottleneck.sentence.contains("rows of devices"), "\(bottleneck.sentence)")
    }

    @Test func `repeated failures are found even if nothing is committed`() {
        var situation = Situation()
        situation.load(batches: 100, wait: 0.9, service: 0.1, busy: 0.97)
        for place in situation.now.lanes.indices {
            situation.now.lanes[place].copySeconds = 0.05
            situation.now.lanes[place].commitSeconds = 0.05
            situation.now.lanes[place].claimSeconds = 0.05
        }
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .database)
        #expect(bottleneck.sentence.contains("attempts that"), "\(bottleneck.sentence)")
    }

    @Test func `an unresponsive database is not reported as busy lanes`() {
        var situation = Situation()
        for place in situation.now.lanes.indices {
            situation.now.lanes[place].busySeconds = 1
            situation.now.lanes[place].staySeconds = 40
            situation.now.lanes[place].waitingBatches = 300
        }
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .database)
        #expect(bottleneck.level == .trouble)
    }

    @Test func `busy event loops are the limit, whatever the lanes do`() {
        var situation = Situation()
        situation.load(batches: 9000, wait: 0.0005, service: 0.002, busy: 0.5, edge: 0.002)
        situation.cores(loops: 0.97, machine: 0.99, process: 1.95)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .edge)
        #expect(bottleneck.level == .limit)
        #expect(bottleneck.sentence.contains("2 of 2 busy 97 %"), "\(bottleneck.sentence)")
    }

    @Test func `an idle server is idle, however busy the machine is`() {
        var situation = Situation()
        situation.cores(loops: 0.01, machine: 1, process: 0.02)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .idle)
        #expect(bottleneck.level == .ok)
        #expect(
            bottleneck.sentence.contains("Other programs use this machine's cores"),
            "\(bottleneck.sentence)")
    }

    /// The database may use more of the machine than the server itself.
    @Test(arguments: [(busy: 0.1, process: 1.2), (busy: 0.8, process: 0.3)])
    func `a machine that is fully used by this server's work is the limit`(
        busy: Double, process: Double
    ) {
        var situation = Situation()
        situation.load(batches: 100, wait: 0.0005, service: 0.002, busy: busy)
        situation.cores(loops: 0.1, machine: 1, process: process)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .cpu)
        #expect(bottleneck.level == .limit)
    }

    @Test func `a machine that is fully used by other programs is reported as such`() {
        var situation = Situation()
        situation.load(batches: 100, wait: 0.0005, service: 0.002, busy: 0.1)
        situation.cores(loops: 0.05, machine: 1, process: 0.1)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .others)
        #expect(bottleneck.level == .busy)
        #expect(
            bottleneck.sentence.hasPrefix("Other programs use this machine's cores: "),
            "\(bottleneck.sentence)")
        #expect(
            bottleneck.sentence.contains("0.1 of")
                || bottleneck.sentence.contains("0.10 of"),
            "\(bottleneck.sentence)")
    }

    @Test func `a spool with a fully busy disk is the limit`() {
        var situation = Situation()
        situation.load(batches: 100, wait: 0.0005, service: 0.002, busy: 0.1)
        situation.now.spoolSync = Distribution(
            bounds: [0.1, 1], counts: [0, 12, 0], sum: 0.96)
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .spool)
        #expect(bottleneck.sentence.contains("96 %"))
        #expect(bottleneck.sentence.contains("80.0 ms"), "\(bottleneck.sentence)")
    }

    @Test func `while the database is unreachable, the time until the spool is full is reported`() {
        var situation = Situation()
        situation.now.isDatabaseUp = false
        situation.earlier.spool?.bytes = 100e6
        situation.now.spool?.bytes = 110e6
        situation.now.spool?.written = 50_000
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .away)
        #expect(bottleneck.level == .trouble)
        #expect(
            bottleneck.sentence.contains(
                "50.0 k readings a second. 11 % of its room is used; at this rate it is full in "
                    + "1 min 29 s"), "\(bottleneck.sentence)")
        #expect(situation.report.spool.state == .filling)
    }

    @Test func `one unreachable lane of two is reported`() {
        var situation = Situation()
        situation.now.lanes[1].isUp = false
        #expect(situation.report.bottleneck.stage == .away)
        #expect(situation.report.bottleneck.sentence.hasPrefix("1 of 2 lanes can't commit"))
    }

    @Test func `if the server rejects batches, the rate of rejections is reported`() {
        var situation = Situation()
        situation.now.isDatabaseUp = false
        situation.now.isAvailable = false
        situation.now.totals.requestsRefused = 120
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .down)
        #expect(bottleneck.sentence.contains("120 requests a second"))
    }

    @Test(arguments: [
        "SLUICE_IN_FLIGHT_BYTES_MAX", "SLUICE_CONNECTIONS_MAX", "SLUICE_LANE_BYTES_MAX",
    ])
    func `a limit that rejects clients is named by its setting`(setting: String) {
        var situation = Situation()
        situation.load(batches: 100, wait: 0.001, service: 0.002, busy: 0.3)
        switch setting {
        case "SLUICE_IN_FLIGHT_BYTES_MAX": situation.now.connections.inFlightBytes = 250e6
        case "SLUICE_CONNECTIONS_MAX": situation.now.connections.open = 9990
        default: situation.now.lanes[0].waitingBytes = 15.9e6
        }
        let bottleneck = situation.report.bottleneck
        #expect(bottleneck.stage == .limits)
        #expect(bottleneck.sentence.contains(setting), "\(bottleneck.sentence)")
    }

    @Test func `a spool replay is not reported as idle`() {
        var situation = Situation()
        situation.now.spool?.replayed = 4000
        situation.now.spool?.waitingReadings = 9000
        #expect(
            situation.report.bottleneck.sentence.contains("4 k readings a second, 9 k are pending")
                || situation.report.bottleneck.sentence.contains(
                    "4.00 k readings a second, 9.00 k are pending"),
            "\(situation.report.bottleneck.sentence)")
        #expect(situation.report.spool.state == .draining)
    }
}
