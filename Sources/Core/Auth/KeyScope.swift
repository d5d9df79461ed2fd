/// What a key may be used for. The table stores the raw value.
public enum KeyScope: String, CaseIterable, Sendable {
    /// `POST /ingest`.
    case ingest
    /// Memory captures: uploads and their files, the capture socket, the results.
    case captures
    /// Meal logs and consultations.
    case meals
    /// Multimedia records and their files.
    case media
    /// The server's status and the last position of every device: for operators. Configured
    /// application keys have this scope too. No user's token has it, and no device's key, because
    /// every device carries that one around.
    case status

    /// The scopes that users' apps need.
    public static let application: Set<KeyScope> = [.captures, .meals, .media]

    /// The paths name the user, and existing clients send no credentials: captures, including the
    /// files that their users' pages refer to, and the journal.
    var namesUserInPath: Bool { self == .captures || self == .media }
}
