public import Postgres

/// Seals and unseals a day by the statements alone, for tests of what reads and writes such days.
public enum SealedDay {
    /// - Parameter day: `2026-03-01`, with nothing left to sum.
    public static func seal(
        _ day: String, kinds: [String] = ["gps", "vital", "event"], on connection: Connection
    ) throws(PostgresError) {
        try connection.query("SELECT sluice.make_loop()")
        for kind in kinds {
            for sql in [
                "begin_sealing('\(kind)', '\(day)')",
                "seal_devices('\(kind)', '\(day)', -9223372036854775808, 1000000000)",
                "end_sealing('\(kind)', '\(day)')",
            ] { try connection.query("SELECT sluice.\(sql)") }
        }
    }

    /// - Parameter day: a sealed one.
    public static func unseal(
        _ day: String, kinds: [String] = ["gps", "vital", "event"], on connection: Connection
    ) throws(PostgresError) {
        for kind in kinds {
            for sql in [
                "begin_unsealing('\(kind)', '\(day)')",
                "unseal_devices('\(kind)', '\(day)', -9223372036854775808, 1000000000)",
                "end_unsealing('\(kind)', '\(day)')",
            ] { try connection.query("SELECT sluice.\(sql)") }
        }
    }
}
