import Auth
import HTTP
import HTTPTypes
import JSONText
import Instruments
import NIOCore
import Readings

/// OwnTracks for iOS and Android in HTTP mode: one message a request, an object with `_type`.
///
/// - The apps keep a message until they get a 2xx whose body is a JSON array, and send the next one
///   only then. So messages of types that hold no reading are answered `[]`, too, and counted.
/// - Device and user are those of `X-Limit-D` and `X-Limit-U`, or of the topic
///   `owntracks/USER/DEVICE`.
/// - An encrypted message is refused with the remedy: its answer would make the app delete it.
/// - Source: the OwnTracks Booklet, "JSON" and "HTTP".
struct OwnTracks: Sendable {
    /// A list of waypoints is the largest.
    static let bytesMax = 1 << 20

    /// Counts messages without a reading.
    let ignored: Counter

    var format: InputFormat {
        InputFormat(
            challenge: "Basic realm=\"sluice\"", media: .any, bytesMax: Self.bytesMax,
            spooledStatus: 200, answer: { _, _, body in body.writeStaticString("[]") },
            translation: { (bytes, request) throws(RequestFailure) in
                try translate(bytes, request)
            })
    }

    private func translate(
        _ bytes: RawSpan, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        if bytes.byteCount == 0 {
            ignored.increment()
            return nil
        }
        let message = try JSONBody.object(bytes)
        let type = message.text("_type")
        if type == "encrypted" {
            throw RequestFailure(
                .unprocessableContent,
                "Encrypted messages can't be read here: remove the encryption key in the app's "
                    + "settings, and let it use https")
        }
        guard Self.kinds.contains(type ?? "") else {
            ignored.increment()
            return nil
        }
        guard let origin = Self.origin(message, request) else {
            throw .deviceMissing("set a device id in the app's settings")
        }
        var text = ReadingsText(device: origin.device, user: origin.user)
        Self.add(type ?? "", message, to: &text)
        if text.count == 0 {
            ignored.increment()
            return nil
        }
        return text
    }

    private static let kinds: Set<String> = [
        "location", "transition", "waypoint", "waypoints", "steps", "status",
    ]

    private static func origin(_ message: Fields, _ request: InputRequest) -> Origin? {
        let topic = (message.text("topic") ?? "").utf8.split(separator: UInt8(ascii: "/"))
        let isWhole = topic.count >= 3
        let (user, device) =
            isWhole ? (String(Substring(topic[1])), String(Substring(topic[2]))) : (nil, nil)
        return Origin(
            request, devices: [request.field("x-limit-d"), device], last: [message.text("tid")],
            users: [request.field("x-limit-u"), user, request.basic?.user], app: "owntracks")
    }

    private static func add(_ type: String, _ message: Fields, to text: inout ReadingsText) {
        let moment = Moment(of: .object(message.members), times: message.values("tst"))
        switch type {
        case "location":
            addLocation(message, moment, to: &text)
        case "transition":
            moment.add(
                event: "region_" + (message.text("event") ?? "event"), message.values("desc"),
                metadata: message.without(["_type", "tst", "event", "desc", "topic", "tid", "_id"]),
                to: &text)
        case "waypoint":
            addWaypoint(.object(message.members), to: &text)
        case "waypoints":
            for waypoint in message.elements("waypoints") { addWaypoint(waypoint, to: &text) }
        case "steps":
            addSteps(message, to: &text)
        default:
            // A status has no time of its own.
            let now = JSONValue.number(Double(Timestamp.now().unixSeconds))
            (moment.hasTime ? moment : Moment(of: .null, times: [now])).add(
                event: "owntracks_status",
                metadata: message.without(["_type", "tst", "topic", "_id"]),
                to: &text)
        }
    }

    private static func addLocation(
        _ message: Fields, _ moment: Moment, to text: inout ReadingsText
    ) {
        moment.add(
            Position(
                lat: message.values("lat"), lon: message.values("lon"), acc: message.values("acc"),
                alt: message.values("alt"), vacc: message.values("vac"),
                speed: message.values("vel"), speedUnit: .kilometresPerHour,
                course: message.values("cog")),
            to: &text)
        moment.add(
            metric: Moment.battery, message.values("batt"), to: &text, Percentage.ofPercent)
        moment.add(metric: "pressure_kpa", message.values("p"), to: &text)
        moment.add(motion: message.values("motionactivities"), to: &text)
        if message.has("poi") { moment.add(event: "poi", message.values("poi"), to: &text) }
    }

    private static func addWaypoint(_ waypoint: JSONValue, to text: inout ReadingsText) {
        let fields = Fields(waypoint) ?? Fields([])
        Moment(of: waypoint, times: fields.values("tst")).add(
            event: "waypoint", fields.values("desc"),
            metadata: fields.without(["_type", "tst", "desc", "topic", "tid", "_id"]), to: &text)
    }

    /// Counts from `from` to `to`; −1 is unknown.
    private static func addSteps(_ message: Fields, to text: inout ReadingsText) {
        let moment = Moment(
            of: .object(message.members), times: message.values("to", or: "tst"))
        func known(_ number: Double) -> Double? { number < 0 ? nil : number }
        moment.add(code: 20, message.values("steps"), to: &text, known)
        moment.add(code: 21, message.values("distance"), to: &text, known)
        moment.add(metric: "floors_up", message.values("floorsup"), to: &text, known)
        moment.add(metric: "floors_down", message.values("floorsdown"), to: &text, known)
    }
}
