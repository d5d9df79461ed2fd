import Ingest
import Instruments
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Many requests at once on one connection.
@Suite struct IngestPipeliningTests {
    @Test func `pipelined requests are answered in their order`() throws {
        let rig = try ConnectionRig()
        try rig.send(
            Samples.post(Samples.body(readings: 1)) + Samples.post(Samples.body(readings: 2))
                + Samples.post("nonsense") + Samples.post(Samples.body(readings: 4)))
        // The second request waits for the first, although it has arrived.
        #expect(rig.sink.heldCount == 1)
        #expect(try rig.output() == "")
        var records: [Int?] = []
        for _ in 0..<3 {
            rig.commitHeld()
            records += try rig.answers().map { $0.number("records") }
        }
        #expect(records == [1, 2, nil, 4])
        rig.expectNothingHeld()
    }

    /// Answering inside the delivery of the previous request would recurse once for each of these.
    @Test func `any number of refusals can wait behind one batch`() throws {
        let rig = try ConnectionRig()
        let refused = String(
            repeating: "POST /ingest HTTP/1.1\r\nHost: localhost\r\ncontent-length:0\r\n\r\n",
            count: 20_000)
        try rig.send(Samples.post() + refused)
        #expect(try rig.output() == "")
        rig.commitHeld()
        let answers = try rig.answers()
        #expect(answers.count == 20_001)
        #expect(answers[0].status == 200)
        #expect(answers.dropFirst().allSatisfy { $0.status == 401 })
        rig.expectNothingHeld()
    }

    @Test func `any number of faulty bodies can wait behind one batch`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post() + String(repeating: Samples.post("x"), count: 10_000))
        rig.commitHeld()
        let answers = try rig.answers()
        #expect(answers.count == 10_001)
        #expect(answers.dropFirst().allSatisfy { $0.status == 400 })
        rig.expectNothingHeld()
    }

    @Test func `ten thousand batches on one connection`() throws {
        let rig = try ConnectionRig()
        try rig.send(String(repeating: Samples.post(Samples.body(readings: 1)), count: 10_000))
        for _ in 0..<10_000 { rig.commitHeld() }
        let answers = try rig.answers()
        #expect(answers.count == 10_000)
        #expect(answers.allSatisfy { $0.number("stored") == 1 })
        #expect(rig.book.stored == 10_000)
        rig.expectNothingHeld()
    }

    @Test func `one read ahead is allowed while a batch waits`() throws {
        let (rig, reads) = try Self.rigWithReadCounter()
        try rig.send(Samples.post())
        #expect(reads.count == 1)
        // Further input is buffered; there is no third read before the answer.
        try rig.send(Samples.post() + Samples.post())
        #expect(reads.count == 1)
        rig.commitHeld()
        rig.commitHeld()
        #expect(reads.count == 1)
        rig.commitHeld()
        #expect(reads.count == 2)
        try rig.send(Samples.post())
        #expect(reads.count == 3)
    }

    @Test func `a client that does not read its answers is not read from`() throws {
        let (rig, reads) = try Self.rigWithReadCounter()
        rig.channel.isWritable = false
        rig.channel.pipeline.fireChannelWritabilityChanged()
        try rig.send(Samples.post("x"))
        #expect(reads.count == 0)
        rig.channel.isWritable = true
        rig.channel.pipeline.fireChannelWritabilityChanged()
        #expect(reads.count == 1)
    }

    private static func rigWithReadCounter() throws -> (ConnectionRig, ReadCounter) {
        let rig = try ConnectionRig()
        let reads = ReadCounter()
        try rig.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        return (rig, reads)
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = Any
        var count = 0
        func read(context: ChannelHandlerContext) { count += 1 }
    }
}
