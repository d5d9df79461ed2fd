import HTTP
import JSONText
import NIOCore

/// OpenTelemetry's protocol over HTTP, as JSON or Protocol Buffers: metrics and logs.
///
/// - A data point becomes a vital whose name is the metric's and, behind it, the values of its
///   attributes (``OTLPName``); of a histogram its count, sum, minimum and maximum. A log record
///   becomes an event.
/// - The device is the first of the resource's attributes in ``deviceKeys``. Where that is a host,
///   which several services share, the service's name is one of the attributes of each point.
/// - What is quarantined is told as `partialSuccess`, and the client must not send it again.
/// - Protocol Buffers are read as the JSON that the same exporter would send (``OTLPWire``). Answers
///   and errors have the form of the request.
/// - Source: OTLP Specification 1.9, "OTLP/HTTP", and the JSON mapping of its messages.
enum OTLP {
    /// What the two paths differ in.
    enum Signal: String {
        case metrics, logs

        var rejected: StaticString {
            switch self {
            case .metrics: "rejectedDataPoints"
            case .logs: "rejectedLogRecords"
            }
        }

        /// The keys of the lists, from the outermost.
        var groups: String { self == .metrics ? "resourceMetrics" : "resourceLogs" }
        var scopes: String { self == .metrics ? "scopeMetrics" : "scopeLogs" }
        var items: String { self == .metrics ? "metrics" : "logRecords" }
    }

    /// That of `/ingest`.
    static let bytesMax = 16 << 20

    private static let deviceKeys = [
        "device.id", "service.instance.id", "host.id", "host.name", service,
    ]
    private static let service = "service.name"

    static func format(_ signal: Signal) -> InputFormat {
        InputFormat(
            challenge: "Bearer", media: .jsonOrProtobuf, bytesMax: bytesMax, spooledStatus: 200,
            contentType: nil,
            answer: { outcome, request, body in
                let rejected = outcome.quarantined
                if request.isProtobuf {
                    body.writeBytes(OTLPWire.answer(rejected: rejected, quarantined))
                } else if rejected == 0 {
                    body.writeStaticString("{}")
                } else {
                    body.writeString(
                        #"{"partialSuccess":{"\#(signal.rejected)":"\#(rejected)","#
                            + #""errorMessage":"\#(quarantined)"}}"#)
                }
            },
            translation: { (bytes, request) throws(RequestFailure) in
                let body =
                    request.isProtobuf
                    ? try OTLPWire.json(of: bytes, signal) : try JSONBody.object(bytes)
                return try translate(body, signal, request)
            })
    }

    private static let quarantined = "quarantined; see sluice quarantine list"

    /// The form of google.rpc.Status.
    static let envelope = ErrorEnvelope(
        { #"{"message":"# + JSONString.quoted($0.sentence) + "}" },
        protobuf: { OTLPWire.status($0.sentence) })

    private static func translate(
        _ body: Fields, _ signal: Signal, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        let groups = try body.array(signal.groups) ?? []
        guard !groups.isEmpty else { return nil }
        let resources = groups.map { group in
            Resource(attributes(of: Fields(group)?.object("resource")))
        }
        guard
            let origin = Origin(request, devicesOfParts: resources.map(\.device), app: "otlp")
        else {
            throw .deviceMissing("set a resource attribute such as service.name")
        }
        var text = ReadingsText()
        for (group, resource) in zip(groups, resources) {
            let sender = Sender(
                device: resource.device ?? origin.device, user: resource.user ?? origin.user,
                service: resource.service)
            let scopes = objects([group], sender, &text).flatMap { $0.elements(signal.scopes) }
            for scope in objects(scopes, sender, &text) {
                for item in objects(scope.elements(signal.items), sender, &text) {
                    switch signal {
                    case .metrics: add(metric: item, sender, to: &text)
                    case .logs: add(record: item, sender, to: &text)
                    }
                    try text.checkSize()
                }
            }
        }
        return text.count == 0 ? nil : text
    }

    /// Of whom readings are.
    private struct Sender {
        let device: String
        let user: String?
        /// Only where the device is a host.
        let service: String?
    }

    /// What the attributes of a resource say.
    private struct Resource {
        let device: String?
        let user: String?
        let service: String?

        init(_ attributes: Fields) {
            let key = deviceKeys.first { attributes.text($0) != nil }
            device = key.flatMap { attributes.text($0) }
            user = attributes.text("enduser.id") ?? attributes.text("user.id")
            service = key?.hasPrefix("host.") == true ? attributes.text(OTLP.service) : nil
        }
    }

    /// The objects of a list. Any other element becomes a reading without time, which the scanner
    /// quarantines.
    private static func objects(
        _ elements: [JSONValue], _ sender: Sender, _ text: inout ReadingsText
    ) -> [Fields] {
        elements.compactMap { element in
            if let fields = Fields(element) { return fields }
            Moment(of: element, times: [], device: sender.device, user: sender.user)
                .add(event: "otlp", to: &text)
            return nil
        }
    }

    // MARK: Metrics

    private static func add(
        metric: Fields, _ sender: Sender, to text: inout ReadingsText
    ) {
        let name = metric.text("name") ?? ""
        let service = [sender.service].compactMap(\.self)
        let ownName = OTLPName.name(name, service)
        for kind in ["gauge", "sum", "histogram", "exponentialHistogram", "summary"] {
            let points = metric.object(kind).elements("dataPoints")
            for point in objects(points, sender, &text) {
                let moment = moment(of: point, sender)
                let values = attributes(of: point).members.map { Self.text($0.value) }
                if kind == "gauge" || kind == "sum" {
                    moment.add(
                        metric: values.isEmpty ? ownName : OTLPName.name(name, service + values),
                        point.values("asDouble", or: "asInt"), to: &text)
                } else {
                    for figure in ["count", "sum", "min", "max"] {
                        moment.add(
                            metric: OTLPName.name(name, [figure] + service + values),
                            point.values(figure),
                            to: &text)
                    }
                }
            }
        }
    }

    // MARK: Logs

    private static func add(
        record: Fields, _ sender: Sender, to text: inout ReadingsText
    ) {
        var metadata = attributes(of: record).members
        if let service = sender.service {
            metadata.append(JSONMember(key: Self.service, value: .string(service)))
        }
        for key in ["severityNumber", "traceId", "spanId"] {
            metadata += record.values(key).map { JSONMember(key: key, value: $0) }
        }
        moment(of: record, sender).add(
            event: record.text("eventName") ?? record.text("severityText") ?? "log",
            Values(record.values("body").lazy.map { Self.body(plain($0)) }),
            metadata: Fields(metadata), to: &text)
    }

    /// A body as a text. One that no database holds is left for the scanner to find.
    private static func body(_ value: JSONValue) -> JSONValue {
        value == .noText ? value : .string(text(value))
    }

    // MARK: Values

    private static func text(_ value: JSONValue) -> String {
        value.text ?? String(decoding: value.json, as: UTF8.self)
    }

    /// Nanoseconds since 1970, mostly as a text, to milliseconds whose digits are all kept.
    private static func moment(of item: Fields, _ sender: Sender) -> Moment {
        // Zero means that the time is unknown.
        func known(_ key: String) -> Values {
            Values(item.values(key).lazy.filter { $0.text != "0" })
        }
        let times = known("timeUnixNano")
        return Moment(
            of: .object(item.members),
            times: (times.isEmpty ? known("observedTimeUnixNano") : times).lazy.map(milliseconds),
            device: sender.device, user: sender.user)
    }

    private static func milliseconds(_ time: JSONValue) -> JSONValue {
        guard let digits = time.text?.utf8, digits.count > 6,
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Double(
                "\(Substring(digits.dropLast(6))).\(Substring(digits.suffix(6)))")
        else { return time }
        return .number(milliseconds)
    }

    /// Attributes as an object, in their order.
    private static func attributes(of item: Fields?) -> Fields {
        var members: [JSONMember] = []
        for case .array(let pairs) in item?.values("attributes") ?? [] {
            for pair in pairs {
                guard let pair = Fields(pair), let key = pair.text("key") else { continue }
                let value = plain(pair.values("value").first ?? .null)
                members.append(JSONMember(key: key, value: value))
            }
        }
        return Fields(members)
    }

    /// The value in an `AnyValue`.
    private static func plain(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value, let member = members.first else { return value }
        switch member.key {
        case "arrayValue":
            let list = Fields(member.value)?.values("values").first
            if case .array(let elements) = list { return .array(elements.map { plain($0) }) }
            return .array([])
        case "kvlistValue":
            return .object(attributes(of: Fields(member.value).map(renamed)).members)
        case "intValue": return member.value.number.map { .number($0) } ?? member.value
        case "stringValue", "boolValue", "doubleValue", "bytesValue": return member.value
        default: return value
        }
    }

    /// A list of keys and values as attributes.
    private static func renamed(_ list: Fields) -> Fields {
        Fields(list.values("values").map { JSONMember(key: "attributes", value: $0) })
    }
}
