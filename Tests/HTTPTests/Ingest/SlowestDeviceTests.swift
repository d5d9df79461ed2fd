import Ingest
import Instruments
import NIOCore
import Readings
import Status
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct SlowestDeviceTests {
    @Test func `a device whose batch took long is recorded with its time`() throws {
        let rig = try ConnectionRig()
        rig.advance(0.3)
        try rig.send(Samples.post())
        rig.advance(2)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.advance(0.3)
        let slowest = try #require(rig.slowest.slowest.first)
        #expect(slowest.nanoseconds == 2_000_000_000)
        #expect(slowest.unixSeconds == ConnectionRig.now.unixSeconds)
        #expect(rig.slowest.slowest.count == 1)
        #expect(!slowest.deviceID.isEmpty)
    }

    @Test func `a batch without a result records nothing about its device`() throws {
        let rig = try ConnectionRig()
        rig.advance(0.3)
        try rig.send(Samples.post())
        rig.advance(1)
        rig.sink.finishHeld(.unavailable(retryAfter: .seconds(1)))
        rig.run()
        #expect(try rig.answer().status == 503)
        rig.advance(0.3)
        #expect(rig.slowest.slowest.isEmpty)
    }

    @Test func `quarantined readings are counted by reason`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(Samples.bodyWithFaults))
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        let series = rig.registry.figures()["sluice_quarantined_readings_total"]
        let counts = series.filter { $0.value > 0 }.map { [$0["reason"], "\(Int($0.value))"] }
        #expect(
            counts.sorted { ($0[0] ?? "") < ($1[0] ?? "") }
                == [["lat_out_of_range", "1"], ["type_unknown", "1"]])
    }

    @Test func `the running time of a loop is counted`() throws {
        let rig = try ConnectionRig()
        rig.advance(0.3)
        let before = rig.registry.figures().sum("sluice_event_loop_cpu_seconds_total")
        #expect(before > 0)
        var waste = 0
        for number in 0..<3_000_000 { waste &+= number ^ waste }
        rig.advance(0.3)
        #expect(rig.registry.figures().sum("sluice_event_loop_cpu_seconds_total") > before)
        #expect(waste != 1)
    }
}
