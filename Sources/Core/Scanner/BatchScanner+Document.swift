import Readings

/// The document around the readings: which token may come next, and what it means.
extension BatchScanner {
    /// Scans as far as the buffered bytes allow.
    mutating func advance() throws(ScanError) {
        do throws(JSONCursor.Stop) {
            while position < input.end {
                let window = input.window
                switch state {
                case .element, .firstElement, .afterElement:
                    if isBare { try advanceInArray(window) } else { try advanceInData(window) }
                case .skippingKey, .skippingOther, .skippingMetadata, .skippingReading:
                    try skip(window)
                case .firstLine, .line, .skippingLine:
                    try advanceInLines(window)
                default:
                    try advanceOutsideData(window)
                }
            }
            attemptAt = 1
        } catch {
            guard error.isNeedMore else { throw scanError(error) }
            attemptAt = 2 * (input.end - position)
        }
    }

    /// The error with its place in the body.
    func scanError(_ stop: JSONCursor.Stop) -> ScanError {
        switch stop {
        case .needMore: .truncated(offset: inputOffset + input.end)
        case .unexpectedByte(let index):
            .unexpectedByte(input.window[index], offset: inputOffset + index)
        case .invalidUTF8(let index): .invalidUTF8(offset: inputOffset + index)
        case .nestedTooDeep(let index): .nestedTooDeep(offset: inputOffset + index)
        case .envelope(let fault): .envelope(fault)
        }
    }

    private mutating func advanceOutsideData(_ window: Window) throws(JSONCursor.Stop) {
        var cursor = JSONCursor(window: window, position: position)
        cursor.skipWhitespace()
        position = cursor.position
        guard position < window.end else { return }
        switch state {
        case .start:
            if cursor.byte == 0xEF, inputOffset + position == 0 {
                position = try endOfByteOrderMark(window)
                return
            }
            if cursor.byte != 0x7B {
                guard cursor.byte == 0x5B else {
                    throw startsValue(cursor.byte)
                        ? .envelope(.bodyNotObject) : cursor.stop(at: position)
                }
                position += 1
                isBare = true
                state = .firstElement
                return
            }
            cursor.position += 1
            state = .keyOrEnd
            // Nearly all bodies begin this way.
            if window.startsMetadata(at: cursor.position) {
                cursor.position += 11
                state = .metadata
            }
        case .keyOrEnd where cursor.byte == 0x7D:
            cursor.position += 1
            state = .end
        case .keyOrEnd, .key:
            try readKey(&cursor)
        case .metadataColon:
            try cursor.expect(0x3A)
            state = .metadata
        case .dataColon:
            try cursor.expect(0x3A)
            state = .data
        case .otherColon:
            try cursor.expect(0x3A)
            state = .other
        case .metadata:
            try readMetadata(&cursor)
        case .data:
            if cursor.byte != 0x5B {
                throw startsValue(cursor.byte)
                    ? .envelope(.dataNotArray) : cursor.stop(at: position)
            }
            cursor.position += 1
            hasData = true
            state = .firstElement
        case .other:
            // A null is no field.
            if cursor.byte != 0x6E { ignored.add(otherKey) }
            validator = StreamingValidator(takesNonFinite: true)
            state = .skippingOther
        case .afterMember:
            if !hasData, window.startsData(at: position) {
                cursor.position += 9
                hasData = true
                state = .firstElement
            } else if cursor.byte == 0x2C {
                cursor.position += 1
                state = .key
            } else {
                try cursor.expect(0x7D)
                state = .end
            }
        default:
            throw cursor.stop(at: position)
        }
        position = cursor.position
    }

    /// The body begins with the first byte of a byte order mark in UTF-8, which is skipped.
    private func endOfByteOrderMark(_ window: Window) throws(JSONCursor.Stop) -> Int {
        for (index, byte) in [(position + 1, 0xBB as UInt8), (position + 2, 0xBF)] {
            if index >= window.end { throw .needMore }
            if window[index] != byte { throw .unexpectedByte(at: position) }
        }
        return position + 3
    }

    private mutating func readKey(_ cursor: inout JSONCursor) throws(JSONCursor.Stop) {
        let key: JSONCursor.Text
        do {
            key = try cursor.string()
        } catch {
            // A key this long is unknown, and may be longer than any buffer.
            guard error.isNeedMore, cursor.window.end - position > Self.keyBytesMax else {
                throw error
            }
            cursor.position = position
            validator = StreamingValidator()
            otherKey = IgnoredFields()
            otherKey.add(unnamed: 1)
            state = .skippingKey
            return
        }
        if cursor.window.is(key, "metadata") {
            if sender != nil { throw .envelope(.duplicateKey(field: "metadata")) }
            state = .metadataColon
        } else if cursor.window.is(key, "data") {
            if hasData { throw .envelope(.duplicateKey(field: "data")) }
            state = .dataColon
        } else {
            otherKey = IgnoredFields()
            otherKey.add(key, cursor.window)
            state = .otherColon
        }
    }

    private mutating func readMetadata(_ cursor: inout JSONCursor) throws(JSONCursor.Stop) {
        if cursor.byte != 0x7B {
            throw startsValue(cursor.byte)
                ? .envelope(.metadataNotObject) : cursor.stop(at: position)
        }
        let sender: Sender
        do {
            sender = try Envelope.read(
                &cursor, limits: limits, bytesMax: Self.metadataBytesMax, senders: senders)
        } catch {
            switch error {
            case .fault(let fault):
                throw .envelope(fault)
            case .json(let stop):
                // Too large, but it may still turn out not to be JSON.
                guard stop.isNeedMore, cursor.window.end - position > Self.metadataBytesMax else {
                    throw stop
                }
                cursor.position = position
                validator = StreamingValidator(takesNonFinite: true)
                state = .skippingMetadata
                return
            }
        }
        self.sender = sender
        if sender.ignored.count > 0 { ignored.add(sender.ignored) }
        deviceKey = sender.key.value
        isKeyPending = received > 0
        state = .afterMember
    }

    /// Whether a byte starts a JSON value.
    private func startsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E: true
        default: false
        }
    }

    /// Continues to validate a key or value that is not read and may be larger than the buffer.
    private mutating func skip(_ window: Window) throws(JSONCursor.Stop) {
        let start = position
        let verdict = validator.consume(window, from: &position)
        if state == .skippingReading {
            let wanted = limits.readingBytesMax - oversized.count
            window.append(start..<min(position, start + wanted), to: &oversized)
        }
        switch verdict {
        case .needMore:
            return
        case .stopped(let stop):
            throw stop
        case .complete:
            switch state {
            case .skippingKey:
                state = .otherColon
            case .skippingMetadata:
                throw .envelope(.metadataTooLarge(bytesMax: Self.metadataBytesMax))
            case .skippingReading:
                try quarantine(.readingTooLarge, body: oversized, of: nil)
                oversized = []
                state = .afterElement
            default:
                state = .afterMember
            }
        }
    }
}

extension Window {
    /// `"metadata":`
    fileprivate func startsMetadata(at index: Int) -> Bool {
        load64(index) == 0x7461_6461_7465_6D22 && load32(index + 7) == 0x3A22_6174
    }

    /// `,"data":[`
    fileprivate func startsData(at index: Int) -> Bool {
        load64(index) == 0x3A22_6174_6164_222C && self[index + 8] == 0x5B
    }
}

extension JSONCursor.Stop {
    var isNeedMore: Bool {
        if case .needMore = self { true } else { false }
    }
}
