public import Hummingbird
import HTTPTypes
public import Ingest

extension IdempotencyKey {
    /// The key in the request's `Idempotency-Key`; nil without one.
    ///
    /// - Throws: 400 for a key that is too long.
    public static func of(_ request: Request) throws(RequestFailure) -> IdempotencyKey? {
        guard let text = request.headers[.idempotencyKey], !text.isEmpty else { return nil }
        guard let key = IdempotencyKey(text) else {
            throw .idempotencyKeyTooLong(bytesMax: bytesMax)
        }
        return key
    }
}

extension HTTPField.Name {
    /// `Idempotency-Key`: one request, however often it is sent.
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}

extension RequestFailure {
    /// 422: another request of the user had the key.
    public static let idempotencyKeyReused = RequestFailure(
        .unprocessableContent,
        "another request was sent with this Idempotency-Key; give each request its own",
        field: "Idempotency-Key")
    /// 404: what the request made is there no more.
    public static let idempotentItemDeleted = RequestFailure(
        .notFound, "what was made with this Idempotency-Key has been deleted")
}
