import Foundation

/// What an answer means for the segment that was sent.
///
/// - Source: the answers of `POST /ingest`, README, "Answers".
enum Verdict: Equatable, Sendable {
    /// The server has it: delete it.
    case delivered(Receipt)
    /// Too large, or something in it makes the whole batch wrong: send its halves. A single reading
    /// is moved aside.
    case cut(reason: String)
    /// Its metadata are wrong: never send it again as it is.
    case reject(reason: String)
    /// These credentials may not send it; others of the queue they may.
    case hold(reason: String)
    /// This server can't read compressed bodies: send it as it is.
    case uncompressed
    /// Nothing is wrong with it. At the earliest after these seconds, if the server named them.
    case later(reason: String, afterSeconds: Double?)

    /// Longer times in `Retry-After` are cut to an hour.
    static let retrySecondsMax = 3600.0
    /// Bytes of an answer that are kept as a reason.
    static let reasonBytesMax = 1000

    /// Only Sluice may decide what becomes of readings. The sign-in page of a wireless network answers
    /// 200, too, and a proxy or a server of something else 400.
    ///
    /// - Parameters:
    ///   - retryAfter: the header field of that name.
    ///   - readings: how many were sent, which Sluice's 200 and 202 repeat.
    ///   - isCompressed: whether the body was sent compressed.
    static func on(
        status: Int, retryAfter: String?, body: Data, readings: Int, isCompressed: Bool
    ) -> Verdict {
        let reason = "\(status) " + String(decoding: body.prefix(reasonBytesMax), as: UTF8.self)
        let answer = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
        switch (status, answer["detail"]) {
        case (200, _), (202, _):
            guard let receipt = Receipt(body), receipt.records == readings else {
                return .later(reason: "not the server's answer: " + reason, afterSeconds: nil)
            }
            return .delivered(receipt)
        // Without an offset it is not the body that is wrong.
        case (400, is String) where answer["offset"] is NSNumber, (413, is String):
            return .cut(reason: reason)
        // Halves also pass a proxy with a limit of its own.
        case (413, _) where readings > 1: return .cut(reason: reason)
        case (422, let faults as [Any]):
            return faults.contains(where: isOfMetadata)
                ? .reject(reason: reason) : .cut(reason: reason)
        case (415, _) where isCompressed: return .uncompressed
        case (403, _): return .hold(reason: reason)
        // The address, the key or the server must be put right; the readings are not to blame.
        default:
            let seconds = retryAfter.flatMap(UInt32.init).map(Double.init)
            return .later(
                reason: reason, afterSeconds: seconds.map { min(max(0, $0), retrySecondsMax) })
        }
    }

    /// Whether a 422 blames a field of the metadata, which all readings share.
    private static func isOfMetadata(_ fault: Any) -> Bool {
        let steps = (fault as? [String: Any])?["loc"] as? [Any] ?? []
        return steps.contains { $0 as? String == "metadata" }
    }
}
