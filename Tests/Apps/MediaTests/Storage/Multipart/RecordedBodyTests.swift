import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecordedBodyTests {
    @Test(arguments: RecordedBody.all)
    func `a real client's body is read, wherever it is cut`(_ recorded: RecordedBody) throws {
        let (body, boundary) = try recorded.load()
        let expected = recorded.parts.map { ReadPart(header: $0.0, body: $0.1) }
        #expect(try ReadPart.all(body, boundary: boundary) == expected)
        let bytewise = repeatElement(1, count: body.count)
        #expect(try ReadPart.all(body, boundary: boundary, chunks: bytewise) == expected)
        for place in 0...body.count {
            #expect(try ReadPart.all(body, boundary: boundary, chunks: [place]) == expected)
        }
    }

    @Test(arguments: RecordedBody.all)
    func `every shorter body is truncated`(_ recorded: RecordedBody) throws {
        let (body, boundary) = try recorded.load()
        // One line end follows the closing boundary.
        for length in 0..<(body.count - 2) {
            #expect(throws: MultipartError.truncated(offset: length)) {
                try ReadPart.all(Array(body[..<length]), boundary: boundary)
            }
        }
    }

    @Test(arguments: RecordedBody.all)
    func `a damaged body never traps and reads the same in any chunks`(
        _ recorded: RecordedBody
    ) throws {
        let (body, boundary) = try recorded.load()
        let interesting = Array("\r\n-\";:=\\%* \0".utf8) + [0xFF]
        for seed in 0..<400 {
            var dice = Dice(seed: UInt64(seed))
            var spoilt = body
            for _ in 0...Int.random(in: 0..<4, using: &dice) {
                let place = Int.random(in: 0..<spoilt.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: spoilt[place] = interesting.randomElement(using: &dice)!
                case 1: spoilt.insert(interesting.randomElement(using: &dice)!, at: place)
                case 2: spoilt.remove(at: place)
                default:
                    let end = min(spoilt.count, place + Int.random(in: 1..<40, using: &dice))
                    spoilt.insert(contentsOf: spoilt[place..<end], at: place)
                }
            }
            let whole = ReadPart.outcome(spoilt, boundary: boundary)
            let lengths = (0..<spoilt.count).map { _ in Int.random(in: 0..<7, using: &dice) }
            let cut = ReadPart.outcome(spoilt, boundary: boundary, chunks: lengths)
            #expect(whole == cut, "seed \(seed)")
        }
    }
}
