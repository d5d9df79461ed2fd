import HTTP
import JSONText
import NIOCore

/// Overland for iOS: `{"locations":[GeoJSON Feature…],"current":{…},"trip":{…}}`.
///
/// - The app deletes a batch after a 200 with `{"result":"ok"}` and keeps it after all else.
/// - `current` is a position that is in the queue, too, and comes in a later batch: it is left out.
/// - A feature with `action` is an entry of the app's log and becomes an event.
/// - Source: the app's README, section "API".
enum Overland {
    /// A thousand locations, the most of a batch, take about 600 KB.
    static let bytesMax = 4 << 20

    static let format = InputFormat(
        challenge: "Bearer", media: .any, bytesMax: bytesMax, spooledStatus: 200,
        answer: { _, _, body in body.writeStaticString(#"{"result":"ok"}"#) },
        translation: translate)

    /// The app shows `error` to its user.
    static let envelope = ErrorEnvelope { problem in
        #"{"result":"error","error":"# + JSONString.quoted(problem.sentence) + "}"
    }

    private static func translate(
        _ bytes: RawSpan, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        let body = try JSONBody.object(bytes)
        guard let features = try body.array("locations") else {
            throw .member(["locations"], "Field required", type: "missing")
        }
        guard !features.isEmpty else { return nil }
        let devices = features.map { device(of: properties(of: $0)) }
        guard let origin = Origin(request, devicesOfParts: devices, app: "overland") else {
            throw .deviceMissing("set a device id in the app's settings, below the receiver's URL")
        }
        var text = ReadingsText(device: origin.device, user: origin.user)
        for feature in features { add(feature, origin, to: &text) }
        return text
    }

    private static func properties(of feature: JSONValue) -> Fields {
        Fields(feature)?.object("properties") ?? Fields([])
    }

    private static func device(of properties: Fields) -> String? {
        properties.text("device_id") ?? properties.text("unique_id")
    }

    private static func add(_ feature: JSONValue, _ origin: Origin, to text: inout ReadingsText) {
        let properties = properties(of: feature)
        let device = device(of: properties)
        let moment = Moment(
            of: feature, times: properties.values("timestamp"),
            device: device == origin.device ? nil : device)
        if properties.has("action") {
            moment.add(
                event: "overland", properties.values("action"),
                metadata: properties.without(["timestamp", "action", "device_id"]), to: &text)
            return
        }
        var position = Position(
            acc: properties.values("horizontal_accuracy"), alt: properties.values("altitude"),
            vacc: properties.values("vertical_accuracy"), speed: properties.values("speed"),
            course: properties.values("course"))
        let geometry = Fields(feature)?.object("geometry")
        for case .array(let pair) in geometry?.values("coordinates") ?? [] {
            if pair.count > 0 { position.lon.append(pair[0]) }
            if pair.count > 1 { position.lat.append(pair[1]) }
        }
        moment.add(position, to: &text)
        moment.add(
            metric: Moment.battery, properties.values("battery_level"), to: &text,
            Percentage.ofFraction)
        moment.add(motion: properties.values("motion"), to: &text)
    }
}
