import Readings

/// Bodies of other formats than that of `/ingest`. Each reading becomes the same row as there, but
/// for the code of a metric.
extension FleetModel {
    /// Appends the request body of a window in a format.
    public func appendBody(
        of window: BatchWindow, as format: BodyFormat, to body: inout ByteWriter
    ) {
        switch format {
        case .ingest: appendBody(of: window, to: &body)
        case .ndjson: appendLines(of: window, to: &body)
        case .overland: appendFeatures(of: window, to: &body)
        case .owntracks: appendLocation(of: window, to: &body)
        case .otlp: appendDataPoints(of: window, to: &body)
        }
    }

    private func appendLines(of window: BatchWindow, to body: inout ByteWriter) {
        for index in 0..<window.range.count {
            appendReading(
                device: window.device, sequence: window.sequence(at: index), to: &body)
            body.truncate(to: body.count - 1)
            body.put(",\"device_id\":\"")
            body.put(text: devices[window.device].sentID)
            body.put("\"}\n")
        }
    }

    private func appendFeatures(of window: BatchWindow, to body: inout ByteWriter) {
        body.put("{\"locations\":[")
        for index in 0..<window.range.count {
            let reading = reading(device: window.device, sequence: window.sequence(at: index))
            guard case .gps(let latitude, let longitude, let accuracy, _) = reading.content else {
                continue
            }
            if index > 0 { body.put(byte: UInt8(ascii: ",")) }
            body.put("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
            body.put(number: longitude)
            body.put(byte: UInt8(ascii: ","))
            body.put(number: latitude)
            body.put("]},\"properties\":{\"timestamp\":\"")
            body.put(time: reading.time, form: .seconds)
            body.put("\",\"device_id\":\"")
            body.put(text: devices[window.device].sentID)
            body.put("\"")
            if case .metres(let metres) = accuracy {
                body.put(",\"horizontal_accuracy\":")
                body.put(number: metres)
            }
            body.put("}}")
        }
        body.put("]}")
    }

    private func appendLocation(of window: BatchWindow, to body: inout ByteWriter) {
        let reading = reading(device: window.device, sequence: window.sequence(at: 0))
        guard case .gps(let latitude, let longitude, let accuracy, _) = reading.content else {
            return
        }
        let device = devices[window.device]
        body.put("{\"_type\":\"location\",\"topic\":\"owntracks/")
        body.put(text: device.userID)
        body.put("/")
        body.put(text: device.sentID)
        body.put("\",\"tst\":")
        body.put(decimal: reading.time.unixSeconds)
        appendPosition(latitude, longitude, accuracy, to: &body)
        body.put("}")
    }

    private func appendDataPoints(of window: BatchWindow, to body: inout ByteWriter) {
        body.put("{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"device.id\",")
        body.put("\"value\":{\"stringValue\":\"")
        body.put(text: devices[window.device].sentID)
        body.put("\"}}]},\"scopeMetrics\":[{\"metrics\":[{\"name\":\"")
        body.put(text: BodyFormat.otlp.metric ?? "")
        body.put("\",\"gauge\":{\"dataPoints\":[")
        for index in 0..<window.range.count {
            let reading = reading(device: window.device, sequence: window.sequence(at: index))
            guard case .vital(_, let value) = reading.content else { continue }
            if index > 0 { body.put(byte: UInt8(ascii: ",")) }
            body.put("{\"timeUnixNano\":\"")
            body.put(decimal: reading.time.unixSeconds)
            body.put("000000000\",\"asDouble\":")
            body.put(number: value)
            body.put("}")
        }
        body.put("]}}]}]}]}")
    }
}
