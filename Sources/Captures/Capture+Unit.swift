public import Ingestion
import JSONText
public import Readings

extension Capture {
    /// Captures as lanes write them; what the statement says is for ``CaptureReply``.
    public static let unitKind = UnitKind(
        name: "capture", statement: "SELECT place, result FROM sluice.store_captures($1, $2, $3)")

    /// What a lane is given.
    ///
    /// - Parameters:
    ///   - user: whose it is; see ``isUserID(_:)``.
    ///   - receivedAt: now. Orders the forms of a capture only where the lane's stamp is not known,
    ///     which is in programs of an older version.
    public func unit(user: String, receivedAt: Timestamp) -> WorkUnit {
        precondition(Self.isUserID(user), "BUG: a user id that was not checked")
        var json = "{\"id\":"
        json.reserveCapacity(256 + (transcription?.utf8.count ?? 0))
        JSONString.append(id, to: &json)
        Self.append("user", user, to: &json)
        Self.append("t", capturedAt.microsecondsText, to: &json)
        Self.append("at", receivedAt.microsecondsText, to: &json)
        Self.append("photo", photoURL, to: &json)
        Self.append("audio", audioURL, to: &json)
        Self.append("text", transcription, to: &json)
        json += "}"
        return WorkUnit(kind: Self.unitKind, owner: user, payload: json)
    }

    private static func append(_ key: StaticString, _ value: String?, to json: inout String) {
        guard let value else { return }
        json += ",\"\(key)\":"
        JSONString.append(value, to: &json)
    }
}
