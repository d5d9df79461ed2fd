import Channels
import Dispatch
import Synchronization
import Testing

@Suite struct BoundedChannelTests {
    @Test func `a full channel keeps nothing and takes again once there is room`() {
        let channel = BoundedChannel<Int>(bytesMax: 100)
        #expect(channel.offer(1, bytes: 60) == .taken)
        #expect(channel.offer(2, bytes: 41) == .full)
        #expect(channel.offer(3, bytes: 40) == .taken)
        #expect(channel.depth == (2, 100))
        #expect(!channel.hasRoom(for: 1))
        var group: [Int] = []
        channel.take(upTo: 60, into: &group)
        #expect(group == [1])
        #expect(channel.offer(4, bytes: 60) == .taken)
    }

    @Test func `an empty channel takes one element of any size`() {
        let channel = BoundedChannel<Int>(bytesMax: 10)
        #expect(channel.offer(1, bytes: 1000) == .taken)
        #expect(channel.offer(2, bytes: 0) == .full)
        var group: [Int] = []
        channel.take(upTo: 1, into: &group)
        #expect(group == [1])
    }

    @Test func `a group keeps the order and ends before it would be too large`() {
        let channel = BoundedChannel<Int>(bytesMax: 1000)
        for number in 0..<10 { #expect(channel.offer(number, bytes: 30) == .taken) }
        var group: [Int] = []
        channel.take(upTo: 100, into: &group)
        #expect(group == [0, 1, 2])
        group.removeAll()
        channel.take(upTo: 1_000_000, into: &group)
        #expect(group == Array(3..<10))
        #expect(channel.depth == (0, 0))
    }

    @Test func `one flow can't fill a channel that others need too`() {
        let channel = BoundedChannel<Int>(bytesMax: 1000)
        var noisy = 0
        while channel.offer(1, bytes: 10, flow: 7) == .taken { noisy += 10 }
        #expect((750...850).contains(noisy), "\(noisy)")
        #expect(channel.offer(1, bytes: 10, flow: 7) == .shareUsedUp)
        #expect(channel.offer(2, bytes: 10, flow: 8) == .taken)
        var quiet = 10
        while channel.offer(2, bytes: 10, flow: 8) == .taken { quiet += 10 }
        #expect(quiet >= 100, "\(quiet)")
        // Taken elements free their flow's share.
        var group: [Int] = []
        channel.take(upTo: 500, into: &group)
        #expect(channel.offer(1, bytes: 10, flow: 7) == .taken)
    }

    @Test func `a flow's one large element is taken, and its siblings stay with it`() {
        let channel = BoundedChannel<Int>(bytesMax: 100)
        #expect(channel.offer(1, bytes: 5000, flow: 1) == .taken)
        #expect(channel.offer(2, bytes: 10, flow: 1) == .full)
        #expect(channel.offer(2, bytes: 10, flow: 1, isBound: false) == .taken)
        var group: [Int] = []
        channel.take(upTo: .max, into: &group)
        #expect(group == [1, 2])
        #expect(channel.depth == (0, 0))
        #expect(channel.offer(3, bytes: 100, flow: 1) == .taken)
    }

    @Test func `a closed channel gives back what it has and takes no more`() {
        let channel = BoundedChannel<Int>(bytesMax: 100)
        #expect(channel.offer(1, bytes: 1) == .taken)
        channel.close()
        #expect(channel.offer(2, bytes: 1) == .closed)
        var group: [Int] = []
        channel.take(upTo: 100, into: &group)
        #expect(group == [1])
    }

    /// Many producers, and one consumer that the signal wakes. Nothing is lost or duplicated, each
    /// producer's elements keep their order, and the channel never exceeds its bytes.
    @Test(.timeLimit(.minutes(10)))
    func `each taken element comes out once, in its producer's order`() async {
        let producers = 8
        let each = 5000
        let channel = BoundedChannel<(producer: Int, number: Int)>(bytesMax: 640)
        let seen = Tally(producers: producers)
        let queue = DispatchQueue(label: "consumer")
        let signal = LaneSignal(queue: queue) {
            while true {
                var group: [(producer: Int, number: Int)] = []
                channel.take(upTo: 200, into: &group)
                if group.isEmpty { return }
                seen.state.withLock { seen in
                    for element in group {
                        if seen.next[element.producer] != element.number { seen.wrong += 1 }
                        seen.next[element.producer] = element.number + 1
                        seen.count += 1
                    }
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<producers {
                group.addTask {
                    for number in 0..<each {
                        while channel.offer((producer, number), bytes: 32) != .taken {
                            await Task.yield()
                        }
                        signal.raise()
                        if channel.depth.bytes > 640 { seen.state.withLock { $0.wrong += 1 } }
                    }
                }
            }
        }
        while seen.state.withLock({ $0.count }) < producers * each { await Task.yield() }
        #expect(seen.state.withLock { $0.wrong } == 0)
        #expect(seen.state.withLock { $0.next } == [Int](repeating: each, count: producers))
    }
}

/// What the consumer has seen so far.
private final class Tally: Sendable {
    struct State {
        /// By producer, the number that must come next.
        var next: [Int]
        var count = 0
        var wrong = 0
    }

    let state: Mutex<State>

    init(producers: Int) {
        state = Mutex(State(next: [Int](repeating: 0, count: producers)))
    }
}
