public import Readings
public import Scanner

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
    public func verdict(on body: [UInt8], _ shape: BodyShape = .document) -> Verdict {
        var run = Run(decoder: self, parser: JSONParser(body))
        do throws(ScanError) {
            switch shape {
            case .document: try run.decodeBody()
            case .lines: try run.decodeLines()
            }
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
        /// There is no envelope.
        var isBare = false
        /// One for each reading, in order.
        var judgements: [Judged] = []
        var ignored = ReferenceIgnored()
        var metricNames: [String] = []
        var quarantined = 0

        struct Judged {
            let judgement: ReferenceReading.Judgement
            /// As it is quarantined.
            let original: [UInt8]
            /// Where it begins in the body, or in its line.
            let offset: Int
            /// What it names in a body without envelope.
            var sender: ReferenceReading.Sender?
        }

        mutating func decodeBody() throws(ScanError) {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if parser.bytes.starts(with: mark) {
                parser.offset = 3
            } else if !parser.bytes.isEmpty, mark.starts(with: parser.bytes) {
                throw .truncated(offset: parser.bytes.count)
            }
            parser.skipSpace()
            if parser.next == UInt8(ascii: "[") {
                isBare = true
                try decodeData()
                parser.skipSpace()
                guard parser.next == nil else { throw parser.fault }
                return
            }
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
            let keyStart = parser.offset
            let key = try parser.text()
            let keyBytes = parser.offset - keyStart - 2
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
                parser.takesNonFinite = true
                defer { parser.takesNonFinite = false }
                let read = try ReferenceEnvelope(&parser, limits: decoder.limits)
                for member in read.ignored { ignored.add(member, inside: "metadata.") }
                envelope = read
            } else if key.is("data") {
                dataSeen = true
                try decodeData()
            } else {
                parser.takesNonFinite = true
                defer { parser.takesNonFinite = false }
                ignored.add(.init(key: key, keyBytes: keyBytes, value: try parser.value()))
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
                throw .envelope(
                    isBare
                        ? .bareElementNotObject(index: judgements.count)
                        : .elementNotObject(index: judgements.count))
            }
            guard parser.next == UInt8(ascii: "{") else { throw parser.fault }
            parser.takesNonFinite = true
            let node = try parser.value()
            parser.takesNonFinite = false
            try judge(node, in: parser.bytes)
        }

        private mutating func judge(_ node: JSONNode, in body: [UInt8]) throws(ScanError) {
            let reading = ReferenceReading(
                node: node, body: body, isBare: isBare, limits: decoder.limits, now: decoder.now)
            var judgement = reading.judgement()
            if case .valid(var row, let deviceID, let userID) = judgement, let name = row.metric {
                if !metricNames.contains(name), metricNames.count < Choices.metricNamesMax {
                    metricNames.append(name)
                }
                if let place = metricNames.firstIndex(of: name) {
                    row.fields[0] = ReferenceRow.bytes(of: Int16(place))
                    judgement = .valid(row, deviceID: deviceID, userID: userID)
                } else {
                    judgement = .faulty(.metricTooMany)
                }
            }
            if case .valid(let row, _, _) = judgement {
                let common =
                    ["t", "type", "device_id"] + (isBare ? ["user_id"] : [])
                    + (row.metric == nil ? [] : ["metric"])
                ignored.add(
                    node.members ?? [], own: common + row.kind.schema.fields.map(\.name))
            }
            let isTooLarge = node.range.count > decoder.limits.readingBytesMax
            try add(
                Judged(
                    judgement: judgement,
                    original: Array(body[node.range].prefix(decoder.limits.readingBytesMax)),
                    offset: node.range.lowerBound,
                    sender: isTooLarge ? nil : reading.sender()))
        }

        private mutating func add(_ judged: Judged) throws(ScanError) {
            judgements.append(judged)
            if case .faulty = judged.judgement { quarantined += 1 }
            guard quarantined <= decoder.limits.quarantinedMax else {
                throw .envelope(.tooManyInvalid(max: decoder.limits.quarantinedMax))
            }
        }

        // MARK: Lines

        private static let compressed: [[UInt8]] = [
            [0x1F, 0x8B], [0x28, 0xB5], [0x04, 0x22], [0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C],
            [0x78, 0xDA], [0xFE, 0xFF], [0xFF, 0xFE], [0x00],
        ]

        mutating func decodeLines() throws(ScanError) {
            isBare = true
            let bytes = parser.bytes
            if Self.compressed.contains(where: { bytes.starts(with: $0) }) {
                throw .unexpectedByte(bytes[0], offset: 0)
            }
            if bytes.count > 1, bytes[1] == 0 { throw .unexpectedByte(0, offset: 1) }
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D].contains(byte) }
            for line in text.split(separator: 0x0A) {
                let line = Array(line.drop(while: isSpace))
                if !line.isEmpty { try decodeLine(line) }
            }
        }

        private mutating func decodeLine(_ line: [UInt8]) throws(ScanError) {
            let bytesMax = decoder.limits.readingBytesMax
            guard line.count <= bytesMax else {
                return try add(
                    Judged(
                        judgement: .faulty(.readingTooLarge),
                        original: Array(line.prefix(bytesMax)),
                        offset: 0))
            }
            var own = JSONParser(line)
            own.takesNonFinite = true
            let node: JSONNode
            do throws(ScanError) {
                guard own.next == UInt8(ascii: "{") else { throw own.fault }
                node = try own.value()
                own.skipSpace()
                guard own.next == nil else { throw own.fault }
            } catch {
                var reason = QuarantineReason.lineInvalid
                if case .nestedTooDeep = error { reason = .nestedTooDeep }
                var original = line
                while let last = original.last, [0x20, 0x09, 0x0D].contains(last) {
                    original.removeLast()
                }
                return try add(
                    Judged(judgement: .faulty(reason), original: original, offset: 0))
            }
            try judge(node, in: line)
        }

        /// Assigns the readings to their devices, once the envelope's device is known.
        func batch() -> DecodedBatch {
            if isBare { return bareBatch() }
            guard let envelope else { preconditionFailure("BUG: a batch without envelope") }
            var batch = DecodedBatch()
            batch.received = judgements.count
            batch.metricNames = metricNames
            batch.ignoredCount = ignored.count
            batch.ignored = ignored.names
            batch.devices = [envelope.device()]
            /// Rows that named the envelope's device before the envelope was read.
            var early: [ReferenceRow] = []
            for (index, judged) in judgements.enumerated() {
                switch judged.judgement {
                case .faulty(let reason):
                    batch.quarantined += 1
                    if batch.problems.count < Choices.problemsMax {
                        batch.problems.append(Problem(index: index, reason: reason))
                    }
                    batch.devices[0].quarantined.append(
                        QuarantinedReading(index: index, reason: reason, body: judged.original))
                case .valid(let row, let deviceID, _):
                    let id = Array((deviceID ?? envelope.deviceID).utf8)
                    if deviceID != nil, id == batch.devices[0].id,
                        judged.offset < envelope.offset
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

        /// Assigns the readings to the devices that they name.
        private func bareBatch() -> DecodedBatch {
            var batch = DecodedBatch()
            batch.received = judgements.count
            batch.metricNames = metricNames
            batch.ignoredCount = ignored.count
            batch.ignored = ignored.names
            var nameless = DecodedDevice(id: [], userID: [], key: DeviceKey(of: "", user: ""))
            for (index, judged) in judgements.enumerated() {
                switch judged.judgement {
                case .faulty(let reason):
                    batch.quarantined += 1
                    if batch.problems.count < Choices.problemsMax {
                        batch.problems.append(Problem(index: index, reason: reason))
                    }
                    let reading = QuarantinedReading(
                        index: index, reason: reason, body: judged.original)
                    if let sender = judged.sender {
                        batch.devices[batch.place(of: sender)].quarantined.append(reading)
                    } else {
                        nameless.quarantined.append(reading)
                    }
                case .valid(let row, let deviceID, let userID):
                    guard let deviceID else { preconditionFailure("BUG: no device") }
                    let place = batch.place(of: .init(deviceID: deviceID, userID: userID))
                    batch.devices[place].append(row)
                }
            }
            if !nameless.quarantined.isEmpty || batch.devices.isEmpty {
                batch.devices.append(nameless)
            }
            return batch
        }
    }
}

extension DecodedBatch {
    /// The place of a device, which is added if it is new.
    fileprivate mutating func place(of sender: ReferenceReading.Sender) -> Int {
        let userID = sender.userID ?? sender.deviceID
        let (id, user) = (Array(sender.deviceID.utf8), Array(userID.utf8))
        if let known = devices.firstIndex(where: { $0.id == id && $0.userID == user }) {
            return known
        }
        devices.append(
            DecodedDevice(
                id: id, userID: user, key: DeviceKey(of: sender.deviceID, user: userID)))
        return devices.count - 1
    }

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
        devices[place].append(row)
    }
}

extension DecodedDevice {
    fileprivate mutating func append(_ row: ReferenceRow) {
        let tuple = row.tuple(key: key)
        if row.metric == nil {
            self[row.kind].append(row, tuple: tuple)
        } else {
            named.append(row, tuple: tuple)
        }
    }
}
