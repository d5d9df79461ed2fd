import Testing

@testable import Jobs

@Suite struct JobPauseTests {
    @Test func `pauses double up to their limit, each shortened by up to half`() {
        let configuration = JobConfiguration()
        for (attempt, seconds) in [(1, 2.0), (2, 4), (3, 8), (11, 2048), (12, 3600), (1000, 3600)] {
            for _ in 0..<50 {
                let pause = JobRunner.pause(afterAttempt: attempt, configuration)
                #expect(pause >= .seconds(seconds / 2) && pause <= .seconds(seconds))
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a bell that has rung ends the next wait at once, but only that one`() async {
        let bell = WakeUp()
        bell.ring()
        bell.ring()
        let began = ContinuousClock.now
        // Without the ring this would wait for an hour.
        await bell.wait(for: .seconds(3600))
        await bell.wait(for: .milliseconds(50))
        #expect(.now - began >= .milliseconds(50))
        let ringing = Task {
            try? await Task.sleep(for: .milliseconds(50))
            bell.ring()
        }
        await bell.wait(for: .seconds(3600))
        await ringing.value
    }
}
