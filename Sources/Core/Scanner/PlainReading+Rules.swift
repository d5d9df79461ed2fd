import Readings

/// The rules, in the order of ``QuarantineReason``.
extension PlainReading {
    /// A rule that was broken.
    struct Fault: Error {
        let reason: QuarantineReason
        init(_ reason: QuarantineReason) { self.reason = reason }
    }

    /// - Parameters:
    ///   - isBare: there is no envelope: the reading must name its device, and may name its user.
    ///   - times: accepted times, microseconds since 2000.
    ///   - fields: set to the tuple's fields after its time, each after its length.
    func judge(
        isBare: Bool, limits: ReadingLimits, times: ClosedRange<Int64>, fields: inout [UInt8]
    ) throws(Fault) -> GoodReading {
        if range.count > limits.readingBytesMax { throw Fault(.readingTooLarge) }
        if depth > limits.readingDepthMax { throw Fault(.nestedTooDeep) }
        if hasDuplicateKey { throw Fault(.duplicateKey) }
        let kind = try kind()
        let time = try time(times)
        let deviceID = try deviceID(limits)
        if isBare, deviceID == nil { throw Fault(.deviceIDMissing) }
        let userID = isBare ? try userID(limits) : nil
        let metric = try metric(kind)
        fields.removeAll(keepingCapacity: true)
        for column in Field.ofKinds[kind] {
            if column.count > 1 {
                try appendShared(column, to: &fields)
                continue
            }
            let (field, schema) = column[0]
            if metric != nil, schema.name == Self.code {
                // The place of the name in the batch comes here.
                put(field: 0 as Int16, to: &fields)
                continue
            }
            do throws(ReadingField.Fault) {
                try append(field, schema, limits, to: &fields)
            } catch {
                throw Fault(schema.reason(error))
            }
        }
        return GoodReading(
            kind: kind, time: time, deviceID: deviceID, userID: userID,
            metric: metric)
    }

    private static let code = "code"

    /// The name of a measurement that has no code; with a code, a name is not needed and not read.
    private func metric(_ kind: ReadingKind) throws(Fault) -> String? {
        guard kind == .vital, isGiven(.metric),
            let code = Field.ofKinds[kind].joined().first(where: { $0.schema.name == Self.code }),
            !isGiven(code.field)
        else { return nil }
        let name = withText(.metric) { text in
            MetricName.isValid(text) ? String(decoding: text, as: UTF8.self) : nil
        }
        guard let name else { throw Fault(.metricInvalid) }
        return name
    }

    /// The device and the user that a reading names, whatever else is wrong with it; nil if it names
    /// no valid ones. Of a repeated key the last one counts.
    func sender(_ limits: ReadingLimits) -> (deviceID: String, userID: String?)? {
        do throws(Fault) {
            guard let deviceID = try deviceID(limits) else { return nil }
            return (deviceID, try userID(limits))
        } catch {
            return nil
        }
    }

    func isGiven(_ field: Field) -> Bool {
        self[field].kind != .absent && self[field].kind != .null
    }

    private static let kinds = ReadingKind.allCases.map { (kind: $0, name: Array($0.name.utf8)) }

    private func kind() throws(Fault) -> ReadingKind {
        guard isGiven(.type) else { throw Fault(.typeMissing) }
        let kind = withText(.type) { text in
            Self.kinds.first { $0.name.count == text.count && $0.name.elementsEqual(text) }?.kind
        }
        guard let kind else { throw Fault(.typeUnknown) }
        return kind
    }

    private func time(_ accepted: ClosedRange<Int64>) throws(Fault) -> Int64 {
        guard isGiven(.t) else { throw Fault(.timeMissing) }
        guard let time = time(.t) else { throw Fault(.timeInvalid) }
        if time > accepted.upperBound { throw Fault(.timeInFuture) }
        if time < accepted.lowerBound { throw Fault(.timeTooOld) }
        return time
    }

    private func deviceID(_ limits: ReadingLimits) throws(Fault) -> String? {
        guard isGiven(.deviceID) else { return nil }
        guard let id = id(.deviceID, limits) else { throw Fault(.deviceIDInvalid) }
        return id.lowercased()
    }

    private func userID(_ limits: ReadingLimits) throws(Fault) -> String? {
        guard isGiven(.userID) else { return nil }
        guard let id = id(.userID, limits) else { throw Fault(.userIDInvalid) }
        return id
    }

    /// - Returns: nil unless the value is a text that may be an id.
    private func id(_ field: Field, _ limits: ReadingLimits) -> String? {
        switch self[field].kind {
        case .string: return Self.id(window.text(self[field].range), limits)
        case .escapedString:
            let text = Unescaped(window.text(self[field].range))
            guard !text.hasUnpairedSurrogate, !text.hasNul else { return nil }
            return text.bytes.withUnsafeBufferPointer { Self.id($0, limits) }
        default: return nil
        }
    }

    private static func id(
        _ text: UnsafeBufferPointer<UInt8>, _ limits: ReadingLimits
    ) -> String? {
        let id = String(decoding: text, as: UTF8.self)
        // No text has more characters than bytes.
        let isValid =
            !text.isEmpty
            && (text.count <= limits.deviceIDCharactersMax
                || id.unicodeScalars.count <= limits.deviceIDCharactersMax)
        return isValid ? id : nil
    }

    /// The checks of one field, in the order of ``ReadingField/faults``.
    private func append(
        _ field: Field, _ schema: ReadingField, _ limits: ReadingLimits, to fields: inout [UInt8]
    ) throws(ReadingField.Fault) {
        guard isGiven(field) else {
            guard schema.isOptional else { throw .missing }
            return put(-1 as Int32, to: &fields)
        }
        switch schema.rule {
        case .number(let range):
            guard let number = number(field) else { throw .invalid }
            guard range.contains(number) else { throw .outOfRange }
            put(field: number.isSubnormal ? 0 : number, to: &fields)
        case .measure:
            guard let number = number(field) else { throw .invalid }
            // 1e-400 is no zero, although it is one as a double.
            let isValid =
                number == 0
                ? isZero(field) : ReadingField.magnitudes.contains(number.magnitude)
            guard isValid else { throw .outOfRange }
            put(field: number, to: &fields)
        case .amount:
            guard let number = number(field) else { throw .invalid }
            guard number.isFinite else { throw .outOfRange }
            if number < 0 { return put(-1 as Int32, to: &fields) }
            put(field: number, to: &fields)
        case .finite:
            guard let number = number(field) else { throw .invalid }
            guard number.isFinite else { throw .outOfRange }
            put(field: number, to: &fields)
        case .share:
            preconditionFailure("BUG: a column of its own for \(schema.name)")
        case .integer:
            guard let number = number(field), isIntegral(field) else { throw .invalid }
            guard let number = Int16(exactly: number) else { throw .outOfRange }
            put(field: number, to: &fields)
        case .text(let bytesMax, let mayBeEmpty):
            guard let text = text(field), !text.hasUnpairedSurrogate,
                mayBeEmpty || !text.bytes.isEmpty
            else { throw .invalid }
            if text.bytes.count > bytesMax(limits) { throw .tooLong }
            if text.hasNul { throw .containsNul }
            put(Int32(text.bytes.count), to: &fields)
            fields += text.bytes
        case .object:
            guard self[field].kind == .object else { throw .invalid }
            let range = self[field].range
            if range.count > limits.metadataBytesMax { throw .tooLong }
            var canonical = CanonicalJSON(window, range, limits: limits)
            if let fault = canonical.write() { throw fault }
            // The binary form of jsonb is a version byte, 1, and its text.
            put(Int32(1 + canonical.output.count), to: &fields)
            fields.append(1)
            fields += canonical.output
        case .time:
            guard let time = time(field) else { throw .invalid }
            put(field: time, to: &fields)
        }
    }

    /// Appends the column of several fields.
    private func appendShared(
        _ column: [(field: Field, schema: ReadingField)], to fields: inout [UInt8]
    ) throws(Fault) {
        var word: Int64 = 0
        var isKnown = false
        for (field, schema) in column {
            guard case .share(let bits, let max) = schema.rule else {
                preconditionFailure("BUG: \(schema.name) shares a column")
            }
            var part: Int64 = 1 << Int64(bits) - 1
            if isGiven(field) {
                guard let number = number(field) else { throw Fault(schema.reason(.invalid)) }
                guard number.isFinite, number <= Double(max) else {
                    throw Fault(schema.reason(.outOfRange))
                }
                if number >= 0 {
                    part = Int64((number * 1e6).rounded())
                    isKnown = true
                }
            }
            word = word << Int64(bits) | part
        }
        guard isKnown else { return put(-1 as Int32, to: &fields) }
        put(field: word, to: &fields)
    }

    private func put(_ value: some FixedWidthInteger, to fields: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { fields.append(contentsOf: $0) }
    }

    private func put<Value: FixedWidthInteger>(field value: Value, to fields: inout [UInt8]) {
        put(Int32(MemoryLayout<Value>.size), to: &fields)
        put(value, to: &fields)
    }

    /// −0 is written as 0, which it equals.
    private func put(field value: Double, to fields: inout [UInt8]) {
        put(field: (value + 0.0).bitPattern, to: &fields)
    }

    /// A string field's contents, unescaped; nil when the value is not a string.
    private func text(_ field: Field) -> Unescaped? {
        switch self[field].kind {
        case .string: Unescaped(plain: window.bytes(self[field].range))
        case .escapedString: Unescaped(window.text(self[field].range))
        default: nil
        }
    }

    /// The same, on loan; nil when the value is not a string or `body` returns nil.
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

    /// Microseconds since 2000: a text in any form of ``TimestampParser``, or a number.
    private func time(_ field: Field) -> Int64? {
        if self[field].kind == .number {
            return TimestampParser.time(of: self[field].range, window)
        }
        if let time = withText(field, TimestampParser.parse) { return time }
        let number = withNumber(inString: field) { window, range -> Int64? in
            // Eight digits are a date, and no time.
            let isDate = range.count == 8 && window.text(range).allSatisfy { $0 &- 0x30 <= 9 }
            return isDate ? nil : TimestampParser.time(of: range, window)
        }
        return number ?? nil
    }

    /// A number, or a string that is exactly one number; infinite when too large for a double.
    private func number(_ field: Field) -> Double? {
        let value = self[field]
        switch value.kind {
        case .number: return window.number(in: value.range)
        case .string, .escapedString:
            return withNumber(inString: field) { $0.number(in: $1) }
        default: return nil
        }
    }

    /// - Precondition: ``number(_:)`` returned a value.
    private func isIntegral(_ field: Field) -> Bool {
        switch self[field].kind {
        case .number: window.isIntegral(self[field].range)
        default: withNumber(inString: field) { $0.isIntegral($1) } ?? false
        }
    }

    /// - Precondition: ``number(_:)`` returned a value.
    private func isZero(_ field: Field) -> Bool {
        switch self[field].kind {
        case .number: window.isZero(self[field].range)
        default: withNumber(inString: field) { $0.isZero($1) } ?? false
        }
    }

    private func withNumber<Result>(
        inString field: Field, _ body: (Window, Range<Int>) -> Result
    ) -> Result? {
        guard let text = text(field) else { return nil }
        // Numbers can only be read from padded bytes.
        var padded = PaddedInput()
        padded.replace(first: 0, with: text.bytes.span.bytes)
        var cursor = JSONCursor(window: padded.window, position: 0)
        guard let range = try? cursor.number(), range.count == text.bytes.count else { return nil }
        return body(padded.window, range)
    }
}
