import Readings

/// What a good reading says, ready to be written.
struct GoodReading {
    enum Payload {
        /// A negative accuracy means unknown.
        case gps(latitude: Double, longitude: Double, accuracy: Double)
        case vital(code: Int16, value: Double)
        case event(label: [UInt8], valueText: [UInt8]?, metadata: [UInt8]?)
    }

    /// Microseconds since 2000.
    var time: Int64
    /// Lower-cased; nil means the envelope's.
    var deviceID: String?
    var payload: Payload
}

/// The rules, in the order of ``QuarantineReason``.
extension PlainReading {
    /// A rule that was broken.
    struct Fault: Error {
        let reason: QuarantineReason
        init(_ reason: QuarantineReason) { self.reason = reason }
    }

    /// - Parameter times: accepted times, microseconds since 2000.
    func judge(limits: ReadingLimits, times: ClosedRange<Int64>) throws(Fault) -> GoodReading {
        if range.count > limits.readingBytesMax { throw Fault(.readingTooLarge) }
        if depth > limits.readingDepthMax { throw Fault(.nestedTooDeep) }
        if hasDuplicateKey { throw Fault(.duplicateKey) }
        let kind = try kind()
        let time = try time(times)
        let deviceID = try deviceID(limits)
        let payload: GoodReading.Payload
        switch kind {
        case .gps: payload = try gps()
        case .vital: payload = try vital()
        case .event: payload = try event(limits)
        }
        return GoodReading(time: time, deviceID: deviceID, payload: payload)
    }

    private func isGiven(_ field: Field) -> Bool {
        self[field].kind != .absent && self[field].kind != .null
    }

    private func kind() throws(Fault) -> ReadingKind {
        guard isGiven(.type) else { throw Fault(.typeMissing) }
        let kind = withText(.type) { text in
            ReadingKind.allCases.first {
                text.count == $0.name.utf8CodeUnitCount && text.matches($0.name)
            }
        }
        guard let kind else { throw Fault(.typeUnknown) }
        return kind
    }

    private func time(_ accepted: ClosedRange<Int64>) throws(Fault) -> Int64 {
        guard isGiven(.t) else { throw Fault(.timeMissing) }
        guard let time = withText(.t, { TimestampParser.parse($0) }) else {
            throw Fault(.timeInvalid)
        }
        if time > accepted.upperBound { throw Fault(.timeInFuture) }
        if time < accepted.lowerBound { throw Fault(.timeTooOld) }
        return time
    }

    private func deviceID(_ limits: ReadingLimits) throws(Fault) -> String? {
        guard isGiven(.deviceID) else { return nil }
        guard let text = text(.deviceID), !text.hasUnpairedSurrogate, !text.hasNul else {
            throw Fault(.deviceIDInvalid)
        }
        let deviceID = String(decoding: text.bytes, as: UTF8.self)
        guard (1...limits.deviceIDCharactersMax).contains(deviceID.unicodeScalars.count) else {
            throw Fault(.deviceIDInvalid)
        }
        return deviceID.lowercased()
    }

    private func gps() throws(Fault) -> GoodReading.Payload {
        guard isGiven(.latitude) else { throw Fault(.latitudeMissing) }
        guard let latitude = number(.latitude) else { throw Fault(.latitudeInvalid) }
        guard (-90...90).contains(latitude) else { throw Fault(.latitudeOutOfRange) }
        guard isGiven(.longitude) else { throw Fault(.longitudeMissing) }
        guard let longitude = number(.longitude) else { throw Fault(.longitudeInvalid) }
        guard (-180...180).contains(longitude) else { throw Fault(.longitudeOutOfRange) }
        var accuracy = -1.0
        if isGiven(.accuracy) {
            guard let given = number(.accuracy) else { throw Fault(.accuracyInvalid) }
            guard given.isFinite else { throw Fault(.accuracyOutOfRange) }
            accuracy = given
        }
        return .gps(latitude: latitude, longitude: longitude, accuracy: accuracy)
    }

    private func vital() throws(Fault) -> GoodReading.Payload {
        guard isGiven(.code) else { throw Fault(.codeMissing) }
        guard let code = number(.code), isIntegral(.code) else { throw Fault(.codeInvalid) }
        guard let code = Int16(exactly: code) else { throw Fault(.codeOutOfRange) }
        guard isGiven(.value) else { throw Fault(.valueMissing) }
        guard let value = number(.value) else { throw Fault(.valueInvalid) }
        guard value.isFinite else { throw Fault(.valueOutOfRange) }
        return .vital(code: code, value: value)
    }

    private func event(_ limits: ReadingLimits) throws(Fault) -> GoodReading.Payload {
        guard isGiven(.label) else { throw Fault(.labelMissing) }
        guard let label = text(.label), !label.hasUnpairedSurrogate, !label.bytes.isEmpty else {
            throw Fault(.labelInvalid)
        }
        if label.bytes.count > limits.labelBytesMax { throw Fault(.labelTooLong) }
        if label.hasNul { throw Fault(.labelContainsNul) }

        var valueText: [UInt8]?
        if isGiven(.valueText) {
            guard let text = text(.valueText), !text.hasUnpairedSurrogate else {
                throw Fault(.valueTextInvalid)
            }
            if text.bytes.count > limits.valueTextBytesMax { throw Fault(.valueTextTooLong) }
            if text.hasNul { throw Fault(.valueTextContainsNul) }
            valueText = text.bytes
        }

        var metadata: [UInt8]?
        if isGiven(.metadata) {
            guard self[.metadata].kind == .object else { throw Fault(.metadataInvalid) }
            let range = self[.metadata].range
            if range.count > limits.metadataBytesMax { throw Fault(.metadataTooLong) }
            var canonical = CanonicalJSON(window, range, limits: limits)
            if let reason = canonical.write() { throw Fault(reason) }
            metadata = canonical.output
        }
        return .event(label: label.bytes, valueText: valueText, metadata: metadata)
    }

    /// A string field's contents, unescaped; nil when it is no string.
    private func text(_ field: Field) -> Unescaped? {
        switch self[field].kind {
        case .string: Unescaped(plain: window.bytes(self[field].range))
        case .escapedString: Unescaped(window.text(self[field].range))
        default: nil
        }
    }

    /// The same, on loan; nil when it is no string or `body` gives nil.
    private func withText<Result>(
        _ field: Field, _ body: (UnsafeBufferPointer<UInt8>) -> Result?
    ) -> Result? {
        switch self[field].kind {
        case .string: body(window.text(self[field].range))
        case .escapedString:
            Unescaped(window.text(self[field].range)).bytes.withUnsafeBufferPointer { body($0) }
        default: nil
        }
    }

    /// A number, or a string that is exactly one; infinite when it is too large for a double.
    private func number(_ field: Field) -> Double? {
        let value = self[field]
        switch value.kind {
        case .number: return window.number(in: value.range)
        case .string, .escapedString:
            return withNumber(inString: field) { $0.number(in: $1) }
        default: return nil
        }
    }

    /// - Precondition: ``number(_:)`` gave a value.
    private func isIntegral(_ field: Field) -> Bool {
        switch self[field].kind {
        case .number: window.isIntegral(self[field].range)
        default: withNumber(inString: field) { $0.isIntegral($1) } ?? false
        }
    }

    private func withNumber<Result>(
        inString field: Field, _ body: (Window, Range<Int>) -> Result
    ) -> Result? {
        guard let text = text(field) else { return nil }
        // Numbers are read from padded bytes only.
        var padded = PaddedInput()
        padded.replace(first: 0, with: text.bytes.span.bytes)
        var cursor = JSONCursor(window: padded.window, position: 0)
        guard let range = try? cursor.number(), range.count == text.bytes.count else { return nil }
        return body(padded.window, range)
    }
}
