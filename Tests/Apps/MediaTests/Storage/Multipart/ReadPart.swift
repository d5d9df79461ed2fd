import Media

/// A part as a reader of the whole body would return it.
struct ReadPart: Equatable {
    var header: PartHeader
    var body: [UInt8] = []

    /// Reads `body` in chunks of these lengths and the rest in one. Each chunk has memory of its
    /// own, so that reading beyond a chunk reads beyond an allocation.
    static func all(
        _ body: [UInt8], boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits(),
        chunks lengths: some Sequence<Int> = []
    ) throws(MultipartError) -> [ReadPart] {
        var reader = MultipartReader(boundary: boundary, limits: limits)
        var collector = Collector()
        var place = 0
        for length in lengths where place < body.count {
            let end = min(body.count, place + length)
            try collector.read(Array(body[place..<end]), &reader)
            place = end
        }
        try collector.read(Array(body[place...]), &reader)
        try reader.finish()
        precondition(collector.isFinished, "finish() came back without the event")
        precondition(reader.offset == body.count, "\(reader.offset) of \(body.count) bytes read")
        return collector.parts
    }

    private struct Collector {
        var parts: [ReadPart] = []
        var isInPart = false
        var isFinished = false

        mutating func read(
            _ chunk: [UInt8], _ reader: inout MultipartReader
        ) throws(MultipartError) {
            while let event = try reader.next(in: chunk.span.bytes) {
                precondition(!isFinished, "an event after the last")
                switch event {
                case .partBegins(let header):
                    precondition(!isInPart)
                    isInPart = true
                    parts.append(ReadPart(header: header))
                case .body(let range):
                    precondition(isInPart && !range.isEmpty)
                    parts[parts.count - 1].body += chunk[range]
                case .withheld(let bytes):
                    precondition(isInPart && !bytes.isEmpty)
                    parts[parts.count - 1].body += bytes
                case .partEnds:
                    precondition(isInPart)
                    isInPart = false
                case .finished:
                    precondition(!isInPart)
                    isFinished = true
                }
            }
        }
    }
}

extension ReadPart {
    static func outcome(
        _ body: [UInt8], boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits(),
        chunks: some Sequence<Int> = []
    ) -> Result<[ReadPart], MultipartError> {
        do throws(MultipartError) {
            return .success(try all(body, boundary: boundary, limits: limits, chunks: chunks))
        } catch {
            return .failure(error)
        }
    }
}
