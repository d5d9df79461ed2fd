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
                window, at: position, spaced: false, limits: fastLimits, times: &times,
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
            if readSpaced(window) { continue }
            try readPlainly(window)
            if state == .skippingReading { return }
        }
    }

    /// The fast path for pretty-printed JSON.
    @inline(never)
    private mutating func readSpaced(_ window: Window) -> Bool {
        var reading = FastReading()
        let next = reading.read(
            window, at: position, spaced: true, limits: fastLimits, times: &times,
            metadata: &flat, details: &details)
        guard next > 0, write(reading, window) else { return false }
        received &+= 1
        position = next
        state = .afterElement
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
        switch reading.kind {
        case .gps:
            rows.gps.note(time: reading.time)
            if reading.hasDetails {
                rows.gps.tuples.appendGPS(
                    key: deviceKey, time: reading.time, latitude: reading.latitude,
                    longitude: reading.longitude, accuracy: reading.accuracy, details)
            } else {
                rows.gps.tuples.appendGPS(
                    key: deviceKey, time: reading.time, latitude: reading.latitude,
                    longitude: reading.longitude, accuracy: reading.accuracy)
            }
        case .vital:
            rows.vital.note(time: reading.time)
            rows.vital.tuples.appendVital(
                key: deviceKey, time: reading.time,
                code: Int16(truncatingIfNeeded: reading.code), value: reading.value)
        case .event, .none:
            if reading.hasMetadata || reading.hasEscapes {
                guard
                    rows.event.tuples.appendRichEvent(
                        key: deviceKey, time: reading.time, window: window,
                        label: reading.label,
                        valueText: reading.hasValueText ? reading.valueText : nil,
                        hasMetadata: reading.hasMetadata, metadata: flat,
                        labelBytesMax: fastLimits.labelBytesMax,
                        valueTextBytesMax: fastLimits.valueTextBytesMax)
                else { return false }
            } else {
                rows.event.tuples.appendEvent(
                    key: deviceKey, time: reading.time, window: window, label: reading.label,
                    valueText: reading.hasValueText ? reading.valueText : nil)
            }
            rows.event.note(time: reading.time)
        }
        return true
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
            let own = named ?? NamedVitals()
            named = own
            return own.rows.append(reading, plainFields, key: deviceKey)
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
        let named = named ?? NamedVitals()
        self.named = named
        named.rows.append(reading, fields, key: key.value)
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
