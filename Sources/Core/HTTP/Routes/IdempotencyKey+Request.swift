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
