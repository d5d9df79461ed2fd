import HTTP
import HTTPTypes
import JSONText

/// Traccar Client, and what speaks its protocol "OsmAnd": a position in the query, in a form, or as
/// JSON.
///
/// - The app takes a 200 for delivered; its body is empty.
/// - Speeds are in knots in the query and in forms, as the protocol says, and in metres a second in
///   JSON. GPSLogger has the same fields with a template of its user's, in metres a second.
/// - Source: the Traccar documentation, "OsmAnd protocol", and the app's sources.
struct Traccar: Sendable {
    /// Many positions of the JSON form in one request.
    static let bytesMax = 1 << 20

    /// In the path, and in the name of a device that has none.
    let name: String
    /// Of the query and of forms.
    let speedUnit: SpeedUnit

    static let client = Traccar(name: "traccar", speedUnit: .knots)
    static let gpsLogger = Traccar(name: "gpslogger", speedUnit: .metresPerSecond)

    var format: InputFormat {
        InputFormat(
            challenge: "Basic realm=\"sluice\"", media: .any, bytesMax: Self.bytesMax,
            spooledStatus: 200, contentType: "text/plain", answer: { _, _, _ in },
            translation: { (bytes, request) throws(RequestFailure) in
                try translate(bytes, request)
            })
    }

    private func translate(
        _ bytes: RawSpan, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        if Self.isJSON(bytes) { return try translate(try JSONBody.object(bytes), request) }
        let form = try Self.form(bytes)
        let names = Set(form.map(\.name))
        let fields = Fields(
            texts: form + request.query.fields().filter { !names.contains($0.name) })
        let origin = try origin(fields.text("id") ?? fields.text("deviceid"), request)
        var position = Position(
            lat: fields.values("lat"), lon: fields.values("lon"), acc: fields.values("accuracy"),
            alt: fields.values("altitude"), speed: fields.values("speed"), speedUnit: speedUnit,
            course: fields.values("bearing", or: "heading"))
        for case .string(let pair) in fields.values("location") {
            let parts = pair.split(separator: ",", omittingEmptySubsequences: false)
            if parts.count > 0 { position.lat.append(.string(String(parts[0]))) }
            if parts.count > 1 { position.lon.append(.string(String(parts[1]))) }
        }
        guard !position.lat.isEmpty || !position.lon.isEmpty || fields.has("alarm") else {
            throw RequestFailure(.badRequest, "lat and lon are missing")
        }
        let moment = Moment(
            of: .object(fields.members), times: fields.values("timestamp").lazy.map(Self.time))
        var text = ReadingsText(device: origin.device, user: origin.user)
        if !position.lat.isEmpty || !position.lon.isEmpty { moment.add(position, to: &text) }
        moment.add(
            metric: Moment.battery, fields.values("batt", or: "battery"), to: &text,
            Percentage.ofPercent)
        moment.add(metric: "odometer", fields.values("odometer"), to: &text)
        for name in ["alarm", "event"] where fields.has(name) {
            moment.add(event: name, fields.values(name), to: &text)
        }
        moment.add(motion: fields.values("activity"), to: &text)
        return text
    }

    private func origin(
        _ device: String?, _ request: InputRequest
    ) throws(RequestFailure) -> Origin {
        guard let origin = Origin(request, devices: [device], app: name) else {
            throw RequestFailure(.badRequest, "id is missing: the device's identifier")
        }
        return origin
    }

    /// A plus in a query is no space, because times have zones. Between date and time it is one, as
    /// many programs encode it.
    private static func time(_ value: JSONValue) -> JSONValue {
        guard case .string(let text) = value else { return value }
        var bytes = Array(text.utf8)
        guard bytes.count > 10, bytes[10] == UInt8(ascii: "+") else { return value }
        bytes[10] = UInt8(ascii: " ")
        return .string(String(decoding: bytes, as: UTF8.self))
    }

    /// The form of version 9: one location, or a list of them.
    private func translate(
        _ body: Fields, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        let origin = try origin(body.text("device_id") ?? body.text("id"), request)
        let locations = body.elements("location")
        guard body.has("location") else {
            throw .member(["location"], "Field required", type: "missing")
        }
        guard !locations.isEmpty else { return nil }
        var text = ReadingsText(device: origin.device, user: origin.user)
        for location in locations { Self.add(location, to: &text) }
        return text
    }

    private static func add(_ element: JSONValue, to text: inout ReadingsText) {
        let location = Fields(element) ?? Fields([])
        let moment = Moment(of: element, times: location.values("timestamp"))
        let place = location.object("coords")
        moment.add(
            Position(
                lat: place.values("latitude"), lon: place.values("longitude"),
                acc: place.values("accuracy"), alt: place.values("altitude"),
                vacc: place.values("altitude_accuracy"), speed: place.values("speed"),
                course: place.values("heading")),
            to: &text)
        moment.add(
            metric: Moment.battery, location.object("battery").values("level"), to: &text,
            Percentage.ofFraction)
        moment.add(metric: "odometer", location.values("odometer"), to: &text)
        if location.has("event") {
            moment.add(event: "event", location.values("event"), to: &text)
        }
        moment.add(motion: location.object("activity").values("type"), to: &text)
        let extras = location.object("extras")
        if extras.has("alarm") {
            moment.add(event: "alarm", extras.values("alarm"), to: &text)
        }
    }

    private static func isJSON(_ bytes: RawSpan) -> Bool {
        bytes.withUnsafeBytes { body in
            let first = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0xEF
        }
    }

    /// The fields of a form (URL Standard, section 5).
    private static func form(
        _ bytes: RawSpan
    ) throws(RequestFailure) -> [(name: String, value: String)] {
        guard bytes.byteCount > 0 else { return [] }
        let text = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
        guard let text else { throw RequestFailure(.badRequest, "The form is not UTF-8") }
        return RequestQuery(text).fields(plusIsSpace: true)
    }
}
