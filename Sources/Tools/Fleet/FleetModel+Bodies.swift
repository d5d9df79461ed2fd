extension FleetModel {
    /// Appends the request body of a window. Equal windows give equal bytes.
    public func appendBody(of window: BatchWindow, to body: inout ByteWriter) {
        let start = body.count
        if let fault = window.fault {
            appendFaulty(fault, window: window, to: &body)
            return
        }
        switch profile.spelling {
        case .plain:
            head(of: window, to: &body)
            readings(of: window, to: &body)
            body.put("]}")
        case .mixed:
            let bits = mixed(traits[window.device].salt ^ UInt64(window.range.lowerBound) ^ 0xB0D)
            mixedEnvelope(of: window, bits: bits, to: &body)
        }
        precondition(body.count > start, "BUG: an empty body")
    }

    private func head(of window: BatchWindow, to body: inout ByteWriter) {
        body.put("{\"metadata\":{\"device_id\":\"")
        body.put(text: devices[window.device].sentID)
        body.put("\",\"version\":\"1.0\",\"model_name\":\"iPhone 15 Pro\"},\"data\":[")
    }

    private func readings(of window: BatchWindow, to body: inout ByteWriter) {
        for index in 0..<window.range.count {
            if index > 0 { body.put(byte: UInt8(ascii: ",")) }
            let reading = reading(
                device: window.device, sequence: window.sequence(at: index))
            appendReading(reading, device: window.device, to: &body)
        }
    }

    /// Appends one reading as it appears in a body, from `{` to `}`.
    public func appendReading(device: Int, sequence: Int, to body: inout ByteWriter) {
        appendReading(reading(device: device, sequence: sequence), device: device, to: &body)
    }

    @inline(__always)
    private func appendReading(
        _ reading: SimulatedReading, device: Int, to body: inout ByteWriter
    ) {
        if let malformation = reading.malformation {
            appendMalformed(reading, malformation, to: &body)
        } else if profile.spelling == .plain, !reading.isFromWatch {
            appendPlain(reading, to: &body)
        } else {
            // In a plain fleet a watch's reading is plain apart from its device id.
            var layout = Layout(order: .canonical)
            if profile.spelling == .mixed { layout = Layout(bits: reading.spellingBits) }
            appendLaidOut(reading, device: devices[device], layout: layout, to: &body)
        }
    }

    private func appendMalformed(
        _ reading: SimulatedReading, _ malformation: Malformation, to body: inout ByteWriter
    ) {
        // The unknown key makes each reading unique and identifies it to the oracle.
        body.put("{\"n\":")
        body.put(decimal: Int64(reading.sequence))
        switch malformation.time {
        case .right:
            body.put(",\"t\":\"")
            body.put(time: reading.time, form: .seconds)
            body.put("\"")
        case .absent: break
        case .instead(let text): body.put(text: ",\"t\":\"" + text + "\"")
        }
        body.put(byte: UInt8(ascii: ","))
        body.put(text: malformation.fields)
        body.put(byte: UInt8(ascii: "}"))
    }

    private func mixedEnvelope(of window: BatchWindow, bits: UInt64, to body: inout ByteWriter) {
        let isDataFirst = bits & 3 == 0
        let space: StaticString = bits & 12 == 0 ? "\n  " : ""
        let device = devices[window.device]
        body.put("{")
        for part in isDataFirst ? [1, 0] : [0, 1] {
            body.put(space)
            if part == 0 {
                body.put("\"metadata\":{\"version\":null,\"user_id\":\"")
                body.put(text: device.userID)
                body.put("\",\"device_\\u0069d\":\"")
                body.put(text: device.sentID)
                body.put("\",\"model_name\":\"Pixel \\u2764\",\"extra\":[1,{\"a\":null}]}")
            } else {
                body.put("\"data\":[")
                readings(of: window, to: &body)
                body.put("]")
            }
            if part == (isDataFirst ? 1 : 0) { body.put(",") }
        }
        if bits & 48 == 0 { body.put(" , \"note\" : \"ignored\" ") }
        body.put(space)
        body.put("}")
    }

    private func appendFaulty(
        _ fault: BatchFault, window: BatchWindow, to body: inout ByteWriter
    ) {
        switch fault {
        case .notJSON:
            body.put("device=")
            body.put(text: devices[window.device].sentID)
        case .cutShort:
            head(of: window, to: &body)
            readings(of: window, to: &body)
            body.truncate(to: body.count - 1)
        case .badUTF8:
            head(of: window, to: &body)
            readings(of: window, to: &body)
            body.put("],\"x\":\"\u{e9}\"}")
            // Replaces the second byte of é: the first byte alone is invalid UTF-8.
            body.replace(at: body.count - 3, byte: UInt8(ascii: "A"))
        case .trailingComma:
            head(of: window, to: &body)
            readings(of: window, to: &body)
            body.put(",]}")
        case .deviceIDAbsent:
            body.put("{\"metadata\":{\"version\":\"1.0\"},\"data\":[")
            readings(of: window, to: &body)
            body.put("]}")
        case .dataObject:
            body.put("{\"metadata\":{\"device_id\":\"")
            body.put(text: devices[window.device].sentID)
            body.put("\"},\"data\":{}}")
        case .elementNumber:
            head(of: window, to: &body)
            readings(of: window, to: &body)
            body.put(",7]}")
        }
    }
}
