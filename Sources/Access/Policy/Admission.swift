/// What a caller's credentials are good for.
public enum Admission: Sendable {
    /// Go on.
    case admitted(Caller)
    /// Nothing was shown, or nothing that counts: 401. Why is told to nobody.
    case unauthorized
    /// It is known who calls, and this is not his: 403.
    case forbidden
    /// Nobody has to show anything, and a page of another site asks: 403.
    case otherSite
    /// It can't be told yet: issued keys have not been read. 503.
    case unknown
}
