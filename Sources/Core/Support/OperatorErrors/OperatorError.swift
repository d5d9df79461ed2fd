/// An error that tells an operator itself what happened, what to do about it, and with which code a
/// command ends because of it. So the command line prints every such error in one way and knows
/// none of their types.
///
/// The texts carry facts such as paths and limits. They never carry secrets or what devices sent.
public protocol OperatorError: Error {
    /// What happened: one clause or a few, without a full stop at the end.
    var sentence: String { get }
    /// What to do; nil if the sentence implies it or nothing helps.
    var remedy: String? { get }
    /// Of the process, as in `sysexits.h` mainly: 64 wrong configuration or usage, 65 wrong data, 69
    /// the database is unavailable, 71 an error of the operating system, 73 a file can't be created,
    /// 75 try again later.
    var exitCode: Int32 { get }
}

extension OperatorError {
    /// None.
    public var remedy: String? { nil }

    /// Sentence and remedy.
    public var operatorText: String { remedy.map { "\(sentence); \($0)" } ?? sentence }
}
