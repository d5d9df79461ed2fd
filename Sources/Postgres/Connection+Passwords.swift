import CLibpq

extension Connection {
    /// A password in the form in which the server keeps it (SCRAM-SHA-256), for CREATE ROLE: the
    /// password itself is then in no statement and no server's log.
    ///
    /// Sends nothing; takes some milliseconds, which is the form's purpose.
    public func scramSecret(of password: String, role: String) throws(PostgresError) -> String {
        let handle = try live()
        guard let secret = PQencryptPasswordConn(handle, password, role, "scram-sha-256") else {
            throw PostgresError(
                .refused, message: "no SCRAM secret: \(Self.firstLine(PQerrorMessage(handle)))")
        }
        defer { PQfreemem(secret) }
        return String(cString: secret)
    }
}
