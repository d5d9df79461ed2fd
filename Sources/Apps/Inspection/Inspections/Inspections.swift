/// What the server and `sluice-inspect` say to each other about an uploaded file: orders, answers,
/// and the facts, limits and types in them.
///
/// ```
/// server ── words (InspectionOrder), the file as standard input ──▶ sluice-inspect
/// server ◀── bytes on standard output (InspectionAnswer) ───────── sluice-inspect
/// ```
/// This module reads no file. The server links it without the libraries that do (`Inspecting`).
///
/// A file may take over the process that reads it, so the server trusts no answer: numbers are
/// checked against their bounds, and ``FileEdit`` against the file.
package enum Inspections {
    /// The version of orders and answers, the first word of every order. A server and a program of
    /// different versions refuse to work with each other.
    package static let version = "1"
    /// The program's name.
    package static let program = "sluice-inspect"
    /// The exit status of a program that does not understand its order.
    package static let misunderstoodStatus: Int32 = 64
    /// The exit status if the limits can't be set; the file is not read then.
    package static let unlimitedStatus: Int32 = 71
}
