/// What is wrong with an installation, or soon will be: `sluice doctor`.
///
/// Three steps that know nothing of each other. *Gathering* asks PostgreSQL and the system for
/// ``Facts``, changes nothing, and leaves out what it may not see. The *rules* (``Examination``) are
/// functions from facts to ``Finding``s, without I/O, so that each of them is tested by facts made up
/// for it. *Rendering* (``ReportText``, JSON) is for people and for programs.
///
/// Every finding says what was found as a figure, why it matters, and what to do, as a command or a
/// setting that can be copied. Severities: ``Severity/problem``: data is lost, or service ends, if
/// nobody acts, or the server does not work at all; ``Severity/warning``: it works, and less safely
/// or slowly than it should; ``Severity/notice``: worth knowing; ``Severity/ok``.
///
/// Without a database the rest is examined all the same.
public enum Diagnosis {
    /// The major version of PostgreSQL that the tests run on.
    public static let versionTested = 15
}
