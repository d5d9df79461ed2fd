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

    /// - Parameters:
    ///   - retryAfter: the header field of that name.
    ///   - readings: how many were sent. An answer that does not name their number is not from the
    ///     server: the sign-in page of a wireless network answers 200, too.
    ///   - isCompressed: whether the body was sent compressed.
    static func on(
        status: Int, retryAfter: String?, body: Data, readings: Int, isCompressed: Bool
    ) -> Verdict {
        let reason = "\(status) " + String(decoding: body.prefix(reasonBytesMax), as: UTF8.self)
        switch status {
        case 200, 202:
            guard let receipt = Receipt(body), receipt.records == readings else {
                return .later(reason: "not the server's answer: " + reason, afterSeconds: nil)
            }
            return .delivered(receipt)
        case 400, 413: return .cut(reason: reason)
        case 422: return isOfMetadata(body) ? .reject(reason: reason) : .cut(reason: reason)
        case 415 where isCompressed: return .uncompressed
        case 403: return .hold(reason: reason)
        // The address, the key or the server must be put right; the readings are not to blame.
        default:
            let seconds = retryAfter.flatMap(UInt32.init).map(Double.init)
            return .later(
                reason: reason, afterSeconds: seconds.map { min(max(0, $0), retrySecondsMax) })
        }
    }

    /// Whether a 422 blames a field of the metadata, which all readings share.
    private static func isOfMetadata(_ body: Data) -> Bool {
        struct Refusal: Decodable {
            struct Detail: Decodable {
                let loc: [Step]
            }
            let detail: [Detail]
        }
        struct Step: Decodable {
            let name: String?

            init(from decoder: any Decoder) throws {
                name = try? decoder.singleValueContainer().decode(String.self)
            }
        }
        let refusal = try? JSONDecoder().decode(Refusal.self, from: body)
        return refusal?.detail.contains { $0.loc.contains { $0.name == "metadata" } } ?? false
    }
}
