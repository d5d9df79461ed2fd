import Testing

@testable import Status

@Suite struct StageLoadTests {
    @Test func `in every stage the count is rate times time, under any load`() {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var situation = Situation()
            let batches = Double(Int.random(in: 1...2000, using: &dice))
            let wait = Double.random(in: 0...0.2, using: &dice)
            let service = Double.random(in: 0.0005...0.2, using: &dice)
            let edge = Double.random(in: 0...0.05, using: &dice)
            situation.load(
                batches: batches, wait: wait, service: service,
                busy: Double.random(in: 0...1, using: &dice), edge: edge)
            situation.now.batchesSpooled = Double.random(in: 0...batches, using: &dice)
            situation.now.uptime =
                situation.earlier.uptime + .milliseconds(Int.random(in: 500...3000, using: &dice))
            let stages = situation.report.stages
            #expect(stages.map(\.name) == StageLoad.Name.allCases)
            for stage in stages {
                let byLaw = stage.perSecond * (stage.seconds ?? 0)
                #expect(abs(stage.count - byLaw) <= 1e-9 * max(1, byLaw), "\(stage)")
                #expect(stage.count >= 0 && stage.perSecond >= 0)
                #expect((0...1).contains(stage.busyShare ?? 0))
            }
            // All stages together hold the pending batches: the rate times the whole latency.
            let total = stages.reduce(0) { $0 + $1.count }
            let interval = situation.report.intervalSeconds
            let expected = batches * (wait + service + edge) / interval
            #expect(abs(total - expected) <= 1e-4 * max(1, expected), "\(total) \(expected)")
        }
    }

    @Test func `a stage holds the count of a simulated queue`() {
        // One lane, a batch every 10 ms, groups of 25 ms: counted in steps of one millisecond.
        var (queue, inService, serviceEnds) = ([Int](), [Int](), 0)
        var (queueMilliseconds, serviceMilliseconds, busy) = (0, 0, 0)
        var lane = LaneSample()
        for now in 0..<10_000 {
            if now % 10 == 0 { queue.append(now) }
            if !inService.isEmpty, now >= serviceEnds {
                lane.staySeconds += Double(inService.count) * 0.025
                inService = []
            }
            if inService.isEmpty, !queue.isEmpty {
                lane.waitSeconds += queue.reduce(0) { $0 + Double(now - $1) } / 1000
                lane.batches += Double(queue.count)
                (inService, queue, serviceEnds) = (queue, [], now + 25)
            }
            queueMilliseconds += queue.count
            serviceMilliseconds += inService.count
            busy += inService.isEmpty ? 0 : 1
        }
        lane.busySeconds = Double(busy) / 1000
        var situation = Situation()
        situation.now.lanes = [lane]
        situation.earlier.lanes = [LaneSample()]
        situation.now.uptime = situation.earlier.uptime + .seconds(10)
        let stages = situation.report.stages
        #expect(abs(stages[1].count - Double(queueMilliseconds) / 10_000) < 0.02)
        #expect(abs(stages[2].count - Double(serviceMilliseconds) / 10_000) < 0.02)
        #expect(abs((stages[2].busyShare ?? 0) - Double(busy) / 10_000) < 0.001)
    }
}
