public import Readings
import Scanner

/// The plain decoder that the scanner is compared with: takes a whole body, returns a verdict.
///
/// It is slow on purpose (a tree of the body, an array for each row): it has no optimisation that
/// could fail as the scanner's might.
public struct ReferenceDecoder: Sendable {
    /// The limits of a batch and its readings.
    public var limits: ReadingLimits
    /// The server's clock.
    public var now: Timestamp

    /// - Parameter now: the time from which "too old" and "in the future" are measured.
    public init(limits: ReadingLimits = ReadingLimits(), now: Timestamp) {
        self.limits = limits
        self.now = now
    }

    /// The complete verdict on one body, which is given as a whole.
    public func verdict(on body: [UInt8]) -> Verdict {
        var run = Run(decoder: self, parser: JSONParser(body))
        do throws(ScanError) {
            try run.decodeBody()
            return .taken(run.batch())
        } catch {
            return .refused(error, received: run.judgements.count)
        }
    }

    /// The decoding of one body.
    private struct Run {
        let decoder: ReferenceDecoder
        var parser: JSONParser
        var envelope: ReferenceEnvelope?
        var dataSeen = false
        /// One for each reading, in order.
        var judgements: [(judgement: ReferenceReading.Judgement, range: Range<Int>)] = []
        var quarantined = 0

        mutating func decodeBody() throws(ScanError) {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if parser.bytes.starts(with: mark) {
                parser.offset = 3
            } else if !parser.bytes.isEmpty, mark.starts(with: parser.bytes) {
                throw .truncated(offset: parser.bytes.count)
            }
            parser.skipSpace()
            if parser.next != UInt8(ascii: "{"), parser.startsValue {
                throw .envelope(.bodyNotObject)
            }
            try parser.expect("{")
            parser.skipSpace()
            if !parser.take("}") {
                while true {
                    try decodeMember()
                    parser.skipSpace()
                    if parser.take("}") { break }
                    try parser.expect(",")
                    parser.skipSpace()
                }
            }
            parser.skipSpace()
            guard parser.next == nil else { throw parser.fault }
            guard envelope != nil else { throw .envelope(.metadataMissing) }
            guard dataSeen else { throw .envelope(.dataMissing) }
        }

        private mutating func decodeMember() throws(ScanError) {
            let key = try parser.text()
            if key.is("metadata"), envelope != nil {
                throw .envelope(.duplicateKey(field: "metadata"))
            }
            if key.is("data"), dataSeen {
                throw .envelope(.duplicateKey(field: "data"))
            }
            parser.skipSpace()
            try parser.expect(":")
            parser.skipSpace()
            if key.is("metadata") {
                envelope = try ReferenceEnvelope(&parser, limits: decoder.limits)
            } else if key.is("data") {
                dataSeen = true
                try decodeData()
            } else {
                _ = try parser.value()
            }
        }

        private mutating func decodeData() throws(ScanError) {
            if parser.next != UInt8(ascii: "["), parser.startsValue {
                throw .envelope(.dataNotArray)
            }
            try parser.expect("[")
            parser.skipSpace()
            if parser.take("]") { return }
            while true {
                try decodeElement()
                parser.skipSpace()
                if parser.take("]") { return }
                try parser.expect(",")
                parser.skipSpace()
            }
        }

        private mutating func decodeElement() throws(ScanError) {
            if parser.next != UInt8(ascii: "{"), parser.startsValue {
                throw .envelope(.elementNotObject(index: judgements.count))
            }
            guard parser.next == UInt8(ascii: "{") else { throw parser.fault }
            parser.takesNonFinite = true
            let node = try parser.value()
            parser.takesNonFinite = false
            let reading = ReferenceReading(
                node: node, body: parser.bytes, limits: decoder.limits, now: decoder.now)
            let judgement = reading.judgement()
            judgements.append((judgement, node.range))
            if case .faulty = judgement { quarantined += 1 }
            guard quarantined <= decoder.limits.quarantinedMax else {
                throw .envelope(.tooManyInvalid(max: decoder.limits.quarantinedMax))
            }
        }

        /// Assigns the readings to their devices, once the envelope's device is known.
        func batch() -> DecodedBatch {
            guard let envelope else { preconditionFailure("BUG: a batch without envelope") }
            var batch = DecodedBatch()
            batch.received = judgements.count
            batch.devices = [envelope.device()]
            /// Rows that named the envelope's device before the envelope was read.
            var early: [ReferenceRow] = []
            for (index, (judgement, range)) in judgements.enumerated() {
                switch judgement {
                case .faulty(let reason):
                    batch.quarantined += 1
                    if batch.problems.count < Choices.problemsMax {
                        batch.problems.append(Problem(index: index, reason: reason))
                    }
                    let original = parser.bytes[range].prefix(decoder.limits.readingBytesMax)
                    batch.devices[0].quarantined.append(
                        QuarantinedReading(index: index, reason: reason, body: Array(original)))
                case .valid(let row, let deviceID):
                    let id = Array((deviceID ?? envelope.deviceID).utf8)
                    if deviceID != nil, id == batch.devices[0].id,
                        range.lowerBound < envelope.offset
                    {
                        early.append(row)
                    } else {
                        batch.add(row, id: id, of: envelope)
                    }
                }
            }
            for row in early { batch.add(row, id: batch.devices[0].id, of: envelope) }
            return batch
        }
    }
}

extension DecodedBatch {
    fileprivate mutating func add(
        _ row: ReferenceRow, id: [UInt8], of envelope: ReferenceEnvelope
    ) {
        let place: Int
        if let known = devices.firstIndex(where: { $0.id == id }) {
            place = known
        } else {
            place = devices.count
            devices.append(envelope.device(named: id))
        }
        devices[place][row.kind].append(row, tuple: row.tuple(key: devices[place].key))
    }
}
