/// `sluice doctor`: finds what is wrong with an installation, or will be soon.
///
/// It consists of checks (``Check``), each one value: what it asks PostgreSQL, how it judges the
/// answer, why that matters, and what to do. *Gathering* asks all questions, and the system, for
/// ``Facts``; it changes nothing, and omits what it may not read. The *judgements* are functions
/// from facts to ``Finding``s without I/O, so each can be tested with invented facts. *Rendering*
/// (``ReportText``, JSON) is for people and for programs.
///
/// Each finding states what was found (with a figure), why it matters, and what to do, as a command
/// or setting to copy. The severities:
/// - ``Severity/problem``: the server does not work, or without action data will be lost or service
///   will stop;
/// - ``Severity/warning``: it works, but less safely or more slowly than it should;
/// - ``Severity/notice``: worth knowing;
/// - ``Severity/ok``.
///
/// If the database is unreachable, everything else is still examined.
public enum Diagnosis {
    /// The major version of PostgreSQL that the tests run on.
    public static let versionTested = 15
}
