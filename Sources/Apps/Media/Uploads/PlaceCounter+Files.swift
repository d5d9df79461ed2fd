public import HTTP

extension PlaceCounter<ClientAddress> {
    /// About the time that a download takes.
    private static var retryAfter: Duration { .seconds(5) }

    /// Takes a place for sending a stored file.
    ///
    /// - Throws: ``RequestFailure/downloadsTooMany(retryAfter:)``.
    public func takeForFile(_ address: ClientAddress?) throws(RequestFailure) -> Place {
        do throws(SharedPlaces<ClientAddress>.Refusal) {
            return try take(address)
        } catch {
            throw .downloadsTooMany(retryAfter: Self.retryAfter)
        }
    }
}
