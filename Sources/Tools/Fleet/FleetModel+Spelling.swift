import Readings

extension FleetModel {
    /// Appends a well-formed reading in the given layout.
    public func appendReading(
        device: Int, sequence: Int, layout: Layout, to body: inout ByteWriter
    ) {
        var layout = layout
        if case .random(let salt) = layout.order {
            layout.order = .random(mixed(salt ^ UInt64(sequence) ^ UInt64(device) << 40))
        }
        layout.hasAnyTimeForm = profile.spelling == .mixed
        appendLaidOut(
            reading(device: device, sequence: sequence), device: devices[device], layout: layout,
            to: &body)
    }

    @inline(__always)
    func appendPlain(_ reading: SimulatedReading, to body: inout ByteWriter) {
        body.put("{\"t\":\"")
        body.put(time: reading.time, form: .seconds)
        switch reading.content {
        case .gps(let latitude, let longitude, let accuracy, _):
            body.put("\",\"type\":\"gps\"")
            appendPosition(latitude, longitude, accuracy, to: &body)
        case .vital(let code, let value):
            body.put("\",\"type\":\"vital\",\"code\":")
            body.put(decimal: Int64(code))
            body.put(",\"val\":")
            body.put(number: value)
        case .event(let label, let text, let metadata):
            body.put("\",\"type\":\"event\",\"label\":\"")
            body.put(text: Phrases.labels[label].json)
            if let text {
                body.put("\",\"val_text\":\"")
                body.put(text: Phrases.texts[text].json)
            }
            body.put("\"")
            if let metadata {
                body.put(",\"metadata\":")
                body.put(text: Phrases.metadata[metadata].json)
            }
        }
        body.put(byte: UInt8(ascii: "}"))
    }

    /// The members of a position, with a comma in front.
    @inline(__always)
    func appendPosition(
        _ latitude: SimulatedNumber, _ longitude: SimulatedNumber,
        _ accuracy: SimulatedReading.Accuracy, to body: inout ByteWriter
    ) {
        body.put(",\"lat\":")
        body.put(number: latitude)
        body.put(",\"lon\":")
        body.put(number: longitude)
        if case .metres(let metres) = accuracy {
            body.put(",\"acc\":")
            body.put(number: metres)
        }
    }

    private enum Field {
        case t, type, lat, lon, acc, alt, vacc, speed, course, code, val, label, valText, metadata,
            deviceID, extra
    }

    func appendLaidOut(
        _ reading: SimulatedReading, device: SimulatedDevice, layout: Layout,
        to body: inout ByteWriter
    ) {
        let fields = ordered(fields(of: reading, layout: layout), by: layout.order)
        body.put("{")
        for (place, field) in fields.enumerated() {
            if place > 0 { body.put(",") }
            if layout.isIndented { body.put("\n      ") }
            append(field, of: reading, device: device, layout: layout, to: &body)
        }
        if layout.isIndented { body.put("\n    ") }
        body.put("}")
    }

    private func fields(of reading: SimulatedReading, layout: Layout) -> [Field] {
        var fields: [Field] = [.t, .type]
        switch reading.content {
        case .gps(_, _, let accuracy, let details):
            fields += [.lat, .lon]
            if case .absent = accuracy {} else { fields.append(.acc) }
            if let details { fields += self.fields(of: details) }
        case .vital:
            fields += [.code, .val]
        case .event(_, let text, let metadata):
            fields.append(.label)
            if text != nil { fields.append(.valText) }
            if metadata != nil { fields.append(.metadata) }
        }
        if reading.isFromWatch { fields.append(.deviceID) }
        if layout.oddities % 16 == 1 { fields.append(.extra) }
        return fields
    }

    private func fields(of details: SimulatedDetails) -> [Field] {
        var fields: [Field] = []
        if !details.altitude.isAbsent { fields.append(.alt) }
        if !details.verticalAccuracy.isAbsent { fields.append(.vacc) }
        if !details.speed.isAbsent { fields.append(.speed) }
        if !details.course.isAbsent { fields.append(.course) }
        return fields
    }

    private func ordered(_ fields: [Field], by order: Layout.Order) -> [Field] {
        switch order {
        case .canonical: return fields
        case .fixed:
            // Odd places backwards, then even places, which matches no declaration order.
            let odd = stride(from: 1, to: fields.count, by: 2).map { fields[$0] }
            let even = stride(from: 0, to: fields.count, by: 2).map { fields[$0] }
            return odd.reversed() + even
        case .random(let bits):
            var generator = SeededGenerator(seed: bits)
            return fields.shuffled(using: &generator)
        }
    }

    private func append(
        _ field: Field, of reading: SimulatedReading, device: SimulatedDevice, layout: Layout,
        to body: inout ByteWriter
    ) {
        func key(_ name: StaticString) {
            body.put("\"")
            body.put(name)
            body.put(layout.isIndented ? "\" : " : "\":")
        }
        switch (field, reading.content) {
        case (.t, _):
            key("t")
            body.put("\"")
            body.put(
                time: reading.time,
                form: layout.hasAnyTimeForm ? TimeForm(bits: reading.spellingBits) : .seconds)
            body.put("\"")
        case (.type, _):
            key(layout.oddities % 32 == 2 ? "t\\u0079pe" : "type")
            body.put(text: "\"\(reading.kind.name)\"")
        case (.lat, .gps(let latitude, _, _, _)):
            key("lat")
            append(latitude, asText: layout.oddities % 32 == 3, to: &body)
        case (.lon, .gps(_, let longitude, _, _)):
            key("lon")
            append(longitude, asText: layout.oddities % 32 == 4, to: &body)
        case (.acc, .gps(_, _, let accuracy, _)):
            key("acc")
            switch accuracy {
            case .metres(let metres): append(metres, asText: false, to: &body)
            case .unknown: body.put("-1")
            case .null, .absent: body.put("null")
            }
        case (.alt, .gps(_, _, _, let details?)):
            key("alt")
            body.put(details.altitude.json)
        case (.vacc, .gps(_, _, _, let details?)):
            key("vacc")
            body.put(details.verticalAccuracy.json)
        case (.speed, .gps(_, _, _, let details?)):
            key("speed")
            body.put(details.speed.json)
        case (.course, .gps(_, _, _, let details?)):
            key("course")
            body.put(details.course.json)
        case (.code, .vital(let code, _)):
            key("code")
            body.put(decimal: Int64(code))
            if layout.oddities % 32 == 5 { body.put(".0") }
        case (.val, .vital(_, let value)):
            key("val")
            append(value, asText: layout.oddities % 32 == 6, to: &body)
        case (.label, .event(let label, _, _)):
            key("label")
            body.put(text: "\"" + Phrases.labels[label].json + "\"")
        case (.valText, .event(_, let text?, _)):
            key("val_text")
            body.put(text: "\"" + Phrases.texts[text].json + "\"")
        case (.metadata, .event(_, _, let metadata?)):
            key("metadata")
            body.put(text: Phrases.metadata[metadata].json)
        case (.deviceID, _):
            key("device_id")
            body.put(text: "\"" + device.watchID.uppercased() + "\"")
        case (.extra, _):
            key("extra")
            body.put("{\"a\":[1,2,{\"b\":\"\\u0041\"}],\"c\":true}")
        default:
            preconditionFailure("BUG: \(field) does not belong to \(reading.kind)")
        }
    }

    private func append(_ number: SimulatedNumber, asText: Bool, to body: inout ByteWriter) {
        if asText { body.put("\"") }
        body.put(number: number)
        if asText { body.put("\"") }
    }
}
