import Encodings
import Foundation
import HTTP
import JSONText
import SwiftProtobuf

/// A body of Protocol Buffers as the JSON that the same exporter would send, so that ``OTLP`` reads
/// one form.
///
/// Source: Protocol Buffers, "ProtoJSON Format", and OTLP Specification 1.9, "JSON Protobuf Encoding",
/// which writes ids in hexadecimal digits.
extension OTLPWire {
    private static let options = {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        return options
    }()

    /// The body of an export request.
    ///
    /// - Throws: 400 if it is no such message, with what is wrong.
    static func json(of body: RawSpan, _ signal: OTLP.Signal) throws(RequestFailure) -> Fields {
        let request = try read(Request.self, body.withUnsafeBytes { Data($0) })
        let groups = try request.groups.map { (group) throws(RequestFailure) in
            try json(ofGroup: group, signal)
        }
        return Fields([member(signal.groups, .array(groups))])
    }

    private static func read<Wire: SwiftProtobuf.Message>(
        _ type: Wire.Type, _ bytes: Data
    ) throws(RequestFailure) -> Wire {
        do {
            return try Wire(serializedBytes: bytes, options: options)
        } catch {
            throw .notProtobuf(error as? BinaryDecodingError)
        }
    }

    private static func member(_ key: String, _ value: JSONValue) -> JSONMember {
        JSONMember(key: key, value: value)
    }

    private static func json(
        ofGroup bytes: Data, _ signal: OTLP.Signal
    ) throws(RequestFailure) -> JSONValue {
        let group = try read(Group.self, bytes)
        let scopes = try group.scopes.map { (bytes) throws(RequestFailure) in
            let items = try read(Scope.self, bytes).items.map { (item) throws(RequestFailure) in
                switch signal {
                case .metrics: try json(ofMetric: item)
                case .logs: try json(ofRecord: item)
                }
            }
            return JSONValue.object([member(signal.items, .array(items))])
        }
        return .object([
            member("resource", .object(try attributes(group.resource.attributes))),
            member(signal.scopes, .array(scopes)),
        ])
    }

    // MARK: Metrics

    private static func json(ofMetric bytes: Data) throws(RequestFailure) -> JSONValue {
        let metric = try read(Metric.self, bytes)
        var members = [member("name", .string(metric.name))]
        func add(
            _ kind: String, _ points: Points, _ read: (Data) throws(RequestFailure) -> JSONValue
        ) throws(RequestFailure) {
            guard !points.dataPoints.isEmpty else { return }
            let points = try points.dataPoints.map(read)
            members.append(member(kind, .object([member("dataPoints", .array(points))])))
        }
        try add("gauge", metric.gauge, number)
        try add("sum", metric.sum, number)
        try add("histogram", metric.histogram) { (bytes) throws(RequestFailure) in
            let point = try read(HistogramPoint.self, bytes)
            return try figures(
                point.timeUnixNano, point.attributes, point.count,
                [
                    ("sum", point.hasSum ? point.sum : nil),
                    ("min", point.hasMin ? point.min : nil),
                    ("max", point.hasMax ? point.max : nil),
                ])
        }
        try add("exponentialHistogram", metric.exponentialHistogram) {
            (bytes) throws(RequestFailure) in
            let point = try read(ExponentialHistogramPoint.self, bytes)
            return try figures(
                point.timeUnixNano, point.attributes, point.count,
                [
                    ("sum", point.hasSum ? point.sum : nil),
                    ("min", point.hasMin ? point.min : nil),
                    ("max", point.hasMax ? point.max : nil),
                ])
        }
        try add("summary", metric.summary) { (bytes) throws(RequestFailure) in
            let point = try read(SummaryPoint.self, bytes)
            return try figures(
                point.timeUnixNano, point.attributes, point.count, [("sum", point.sum)])
        }
        return .object(members)
    }

    private static func number(_ bytes: Data) throws(RequestFailure) -> JSONValue {
        let point = try read(NumberPoint.self, bytes)
        var members = try attributes(point.attributes)
        members += time("timeUnixNano", point.timeUnixNano)
        switch point.value {
        case .asDouble(let value): members.append(member("asDouble", json(of: value)))
        case .asInt(let value): members.append(member("asInt", .string("\(value)")))
        case nil: break
        }
        return .object(members)
    }

    private static func figures(
        _ nanoseconds: UInt64, _ pairs: [Data], _ count: UInt64,
        _ figures: [(key: String, value: Double?)]
    ) throws(RequestFailure) -> JSONValue {
        var members = try attributes(pairs)
        members += time("timeUnixNano", nanoseconds)
        members.append(member("count", .string("\(count)")))
        for figure in figures {
            if let value = figure.value { members.append(member(figure.key, json(of: value))) }
        }
        return .object(members)
    }

    // MARK: Logs

    private static func json(ofRecord bytes: Data) throws(RequestFailure) -> JSONValue {
        let record = try read(LogRecord.self, bytes)
        var members = try attributes(record.attributes)
        members += time("timeUnixNano", record.timeUnixNano)
        members += time("observedTimeUnixNano", record.observedTimeUnixNano)
        if record.severityNumber != 0 {
            members.append(member("severityNumber", .number(Double(record.severityNumber))))
        }
        members.append(member("severityText", .string(record.severityText)))
        members.append(member("eventName", .string(record.eventName)))
        if record.hasBody { members.append(member("body", try json(of: record.body, depth: 0))) }
        members.append(member("traceId", .string(Hexadecimal.text(record.traceID))))
        members.append(member("spanId", .string(Hexadecimal.text(record.spanID))))
        return .object(members)
    }

    // MARK: Values

    /// None if the time is unknown.
    private static func time(_ key: String, _ nanoseconds: UInt64) -> [JSONMember] {
        nanoseconds == 0 ? [] : [member(key, .string("\(nanoseconds)"))]
    }

    private static func json(of value: Double) -> JSONValue {
        if value.isFinite { return .number(value) }
        return .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    private static func attributes(_ pairs: [Data]) throws(RequestFailure) -> [JSONMember] {
        pairs.isEmpty ? [] : [member("attributes", .array(try json(ofPairs: pairs, depth: 0)))]
    }

    private static func json(
        ofPairs pairs: [Data], depth: Int
    ) throws(RequestFailure) -> [JSONValue] {
        try pairs.map { (bytes) throws(RequestFailure) in
            let pair = try read(KeyValue.self, bytes)
            return .object([
                member("key", .string(pair.key)),
                member("value", try json(of: pair.value, depth: depth)),
            ])
        }
    }

    /// - Parameter depth: lists and arrays around the value.
    private static func json(
        of value: AnyValue, depth: Int
    ) throws(RequestFailure) -> JSONValue {
        guard depth < JSONReader.usualDepthMax else {
            throw .notProtobuf(.messageDepthLimit)
        }
        switch value.value {
        case .string(let text): return .object([member("stringValue", .string(text))])
        case .bool(let value): return .object([member("boolValue", .bool(value))])
        case .int(let value): return .object([member("intValue", .string("\(value)"))])
        case .double(let value): return .object([member("doubleValue", json(of: value))])
        case .array(let array):
            let values = try array.values.map { (bytes) throws(RequestFailure) in
                try json(of: try read(AnyValue.self, bytes), depth: depth + 1)
            }
            return .object([
                member("arrayValue", .object([member("values", .array(values))]))
            ])
        case .list(let list):
            let pairs = try json(ofPairs: list.values, depth: depth + 1)
            return .object([
                member("kvlistValue", .object([member("values", .array(pairs))]))
            ])
        case .bytes(let bytes):
            return .object([member("bytesValue", .string(bytes.base64EncodedString()))])
        case nil: return .null
        }
    }
}

/// Answers.
extension OTLPWire {
    /// The answer to an export of which so many items were not taken; with none, an empty message.
    static func answer(rejected: Int, _ sentence: String) -> [UInt8] {
        var response = Response()
        if rejected > 0 {
            response.partialSuccess.rejected = Int64(rejected)
            response.partialSuccess.errorMessage = sentence
        }
        return bytes(of: response)
    }

    /// An error.
    static func status(_ sentence: String) -> [UInt8] {
        var status = Status()
        status.message = sentence
        return bytes(of: status)
    }

    private static func bytes(of message: some SwiftProtobuf.Message) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            preconditionFailure("BUG: a message that can't be written")
        }
    }
}
