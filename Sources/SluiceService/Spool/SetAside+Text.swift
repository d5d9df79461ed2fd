import Foundation
public import Spooling

extension SetAside.Reason {
    /// What happened to the file, and to what was acknowledged.
    public var text: String {
        switch self {
        case .damaged:
            "a file of the spool is damaged: acknowledged records in it can't be read any more"
        case .unreadable(let error):
            "a file of the spool can't be read: \(String(cString: strerror(error.errno)))"
        case .cutShort:
            "a file of the spool was cut short: what is gone may have been acknowledged"
        case .doubtful:
            """
            the end of what was written to a file of the spool is broken: it may have been \
            acknowledged, or a crash cut it off before
            """
        }
    }
}
