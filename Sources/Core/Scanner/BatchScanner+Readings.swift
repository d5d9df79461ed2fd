import Readings

/// The elements of `data`: the hot loop.
extension BatchScanner {
    mutating func advanceInData(_ window: Window) throws(JSONCursor.Stop) {
        while true {
            // Between readings.
            var byte = window[position]
            while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                position &+= 1
                byte = window[position]
            }
            if position >= window.end { return }
            switch state {
            case .afterElement where byte == 0x2C:
                position &+= 1
                state = .element
                continue
            case .afterElement where byte == 0x5D, .firstElement where byte == 0x5D:
                position &+= 1
                state = .afterMember
                return
            case .afterElement:
                throw .unexpectedByte(at: position)
            default:
                break
            }
            guard byte == 0x7B else { throw notAReading(byte) }

            var reading = FastReading()
            let next = reading.read(
                window, at: position, wide: false, limits: fastLimits, times: &times,
                metadata: &flat, details: &details)
            if next > 0, write(reading, window) {
                received &+= 1
                position = next
                if window[next] == 0x2C {
                    position &+= 1
                    state = .element
                } else {
                    state = .afterElement
                }
                continue
            }
            if readWide(window) {
                state = .afterElement
                continue
            }
            try readPlainly(window)
            if state == .skippingReading { return }
        }
    }

    /// The wide fast path.
    ///
    /// - Parameter lineEnd: of a reading that must be alone in its line.
    @inline(never)
    mutating func readWide(_ window: Window, lineEnd: Int? = nil) -> Bool {
        var reading = FastReading()
        var next = reading.read(
            window, at: position, wide: true, limits: fastLimits, times: &times,
            metadata: &flat, details: &details)
        guard next > 0 else { return false }
        if let lineEnd {
            guard next <= lineEnd else { return false }
            next = window.skip(next, true)
            guard next >= lineEnd else { return false }
        }
        guard write(wide: reading, window) else { return false }
        received &+= 1
        position = next
        return true
    }

    func notAReading(_ byte: UInt8) -> JSONCursor.Stop {
        switch byte {
        case 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E:
            .envelope(
                isBare
                    ? .bareElementNotObject(index: received) : .elementNotObject(index: received))
        default:
            .unexpectedByte(at: position)
        }
    }

    /// - Returns: false when the reading needs the complete path after all.
    @inline(always)
    private mutating func write(_ reading: FastReading, _ window: Window) -> Bool {
        rows.append(reading, window, key: deviceKey)
            || rows.append(
                rich: reading, window, key: deviceKey, metadata: flat, details: details, fastLimits)
    }

    private mutating func write(wide reading: FastReading, _ window: Window) -> Bool {
        // Beside an envelope, a device or user of a reading's own is left to the complete path.
        guard isBare == !reading.deviceID.isEmpty, isBare || reading.userID.isEmpty else {
            return false
        }
        let batch = isBare ? bare.batch(window, reading.deviceID, reading.userID) : nil
        if !reading.metric.isEmpty {
            guard let place = place(of: reading.metric, window) else { return false }
            let named = batch.map { $0.withNames() } ?? ownNamed()
            named.rows.note(time: reading.time)
            named.rows.tuples.appendVital(
                key: batch?.key.value ?? deviceKey, time: reading.time, code: place,
                value: reading.value)
            return true
        }
        guard let batch else { return write(reading, window) }
        return batch.rows.append(reading, window, key: batch.key.value)
            || batch.rows.append(
                rich: reading, window, key: batch.key.value, metadata: flat, details: details,
                fastLimits)
    }

    /// The complete path, for readings that the fast path does not know.
    @inline(never)
    mutating func readPlainly(_ window: Window) throws(JSONCursor.Stop) {
        let reading: PlainReading
        do {
            reading = try PlainReading(window, at: position)
        } catch {
            guard error.isNeedMore, window.end - position >= limits.readingBytesMax else {
                throw error
            }
            validator = StreamingValidator(takesNonFinite: true)
            oversized = []
            state = .skippingReading
            return
        }
        try judge(reading)
        position = reading.range.upperBound
        state = .afterElement
    }

    /// Stores a reading, or quarantines it.
    mutating func judge(_ reading: PlainReading) throws(JSONCursor.Stop) {
        do throws(PlainReading.Fault) {
            let good = try reading.judge(
                isBare: isBare, limits: limits, times: fastLimits.earliest...fastLimits.latest,
                fields: &plainFields)
            if let metric = good.metric {
                guard let place = place(of: metric) else {
                    throw PlainReading.Fault(.metricTooMany)
                }
                plainFields[4] = UInt8(place >> 8)
                plainFields[5] = UInt8(truncatingIfNeeded: place)
            }
            write(good)
            received += 1
            reading.addIgnored(of: good, isBare: isBare, to: &ignored)
        } catch {
            let kept = min(reading.range.count, limits.readingBytesMax)
            let start = reading.range.lowerBound
            // Whether a reading that is too large was read as a whole depends on the chunks.
            let isKnown = isBare && error.reason != .readingTooLarge
            try quarantine(
                error.reason, body: reading.window.bytes(start..<start + kept),
                of: isKnown ? reading.sender(limits) : nil)
        }
    }

    /// The place of a metric's name in the batch; nil if there are too many.
    private mutating func place(of metric: String) -> Int16? {
        if let known = metricPlaces[metric] { return known }
        guard metricNames.count < MetricName.ofKeyMax else { return nil }
        let place = Int16(metricNames.count)
        metricNames.append(metric)
        metricPlaces[metric] = place
        return place
    }

    /// The same for a name that is not checked yet; mostly it is that of the previous reading.
    private mutating func place(of metric: Range<Int>, _ window: Window) -> Int16? {
        if let lastMetric, window.holds(lastMetric.name, at: metric) { return lastMetric.place }
        let name = window.text(metric)
        guard MetricName.isValid(name), let place = place(of: String(decoding: name, as: UTF8.self))
        else { return nil }
        lastMetric = (window.bytes(metric), place)
        return place
    }

    /// The envelope's device's readings by name.
    private mutating func ownNamed() -> NamedVitals {
        let own = named ?? NamedVitals()
        named = own
        return own
    }

    private mutating func write(_ reading: GoodReading) {
        if isBare, let deviceID = reading.deviceID {
            bare.batch(deviceID, reading.userID).append(reading, plainFields)
            return
        }
        let idKey = reading.deviceID.map { DeviceIDKey(of: $0) }
        guard let deviceID = reading.deviceID, let idKey, idKey != sender?.idKey else {
            guard reading.metric != nil else {
                return rows[reading.kind].append(reading, plainFields, key: deviceKey)
            }
            return ownNamed().rows.append(reading, plainFields, key: deviceKey)
        }
        let index: Int
        if let known = overridingIndex[idKey] {
            index = known
        } else {
            index = overriding.count
            // `finish` gives it to the user if the envelope comes later.
            overriding.append(
                DeviceBatch(
                    sender: Sender(
                        deviceID: deviceID, idKey: idKey, userID: sender?.userID ?? "",
                        namesUser: sender?.namesUser ?? false)))
            overridingIndex[idKey] = index
        }
        overriding[index].append(reading, plainFields)
    }

    /// Quarantines a reading; it counts as received.
    ///
    /// - Parameter sender: what it names in a body without envelope; nil if that is not known.
    mutating func quarantine(
        _ reason: QuarantineReason, body: [UInt8],
        of sender: (deviceID: String, userID: String?)?
    ) throws(JSONCursor.Stop) {
        let index = received
        received += 1
        guard quarantined.count < limits.quarantinedMax else {
            throw .envelope(.tooManyInvalid(max: limits.quarantinedMax))
        }
        let reading = QuarantinedReading(index: index, reason: reason, body: body)
        quarantined.append(reading)
        if isBare { bare.add(reading, of: sender) }
    }
}

extension DeviceBatch {
    fileprivate func append(_ reading: GoodReading, _ fields: [UInt8]) {
        guard reading.metric != nil else {
            return rows[reading.kind].append(reading, fields, key: key.value)
        }
        withNames().rows.append(reading, fields, key: key.value)
    }

    /// Its readings by name.
    fileprivate func withNames() -> NamedVitals {
        let named = named ?? NamedVitals()
        self.named = named
        return named
    }
}

extension ByKind<KindRows> {
    /// Appends one row from the fast path. Takes no more than most readings need: arguments cost their
    /// loads, whether they are used or not.
    ///
    /// - Returns: false for a rich reading.
    @inline(always)
    fileprivate mutating func append(
        _ reading: FastReading, _ window: Window, key: Int64
    ) -> Bool {
        switch reading.kind {
        case .gps:
            guard !reading.hasDetails else { return false }
            gps.note(time: reading.time)
            gps.tuples.appendGPS(
                key: key, time: reading.time, latitude: reading.latitude,
                longitude: reading.longitude, accuracy: reading.accuracy)
        case .vital:
            vital.note(time: reading.time)
            vital.tuples.appendVital(
                key: key, time: reading.time,
                code: Int16(truncatingIfNeeded: reading.code), value: reading.value)
        case .event, .none:
            guard !reading.hasMetadata, !reading.hasEscapes else { return false }
            event.tuples.appendEvent(
                key: key, time: reading.time, window: window, label: reading.label,
                valueText: reading.hasValueText ? reading.valueText : nil)
            event.note(time: reading.time)
        }
        return true
    }

    /// The same for a position with details, and for an event with metadata or escapes.
    ///
    /// - Returns: false when the reading needs the complete path after all.
    @inline(always)
    fileprivate mutating func append(
        rich reading: FastReading, _ window: Window, key: Int64, metadata: borrowing FlatObject,
        details: PositionDetails, _ limits: FastLimits
    ) -> Bool {
        if reading.kind == .gps {
            gps.note(time: reading.time)
            gps.tuples.appendGPS(
                key: key, time: reading.time, latitude: reading.latitude,
                longitude: reading.longitude, accuracy: reading.accuracy, details)
            return true
        }
        guard
            event.tuples.appendRichEvent(
                key: key, time: reading.time, window: window, label: reading.label,
                valueText: reading.hasValueText ? reading.valueText : nil,
                hasMetadata: reading.hasMetadata, metadata: metadata,
                labelBytesMax: limits.labelBytesMax, valueTextBytesMax: limits.valueTextBytesMax)
        else { return false }
        event.note(time: reading.time)
        return true
    }
}

extension KindRows {
    /// Appends one row from the complete path.
    fileprivate mutating func append(_ reading: GoodReading, _ fields: [UInt8], key: Int64) {
        note(time: reading.time)
        let count = reading.kind.schema.columns.count
        tuples.append(key: key, time: reading.time, fieldCount: count, fields)
    }
}
