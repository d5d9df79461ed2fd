import Glibc
public import OperatorErrors

extension StatusWatch.Loss: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .unreachable: "nobody answers"
        case .insecure:
            "no TLS connection: the certificate is not trusted here or is for another name, or the "
                + "server does not use TLS"
        case .silent: "the server does not answer in time"
        case .ended: "the server closed the connection"
        case .keyRefused: "the key is missing or may not read the status"
        case .unknown: "this server is not a Sluice with a status"
        case .refused(let status): "the status is unavailable now (\(status))"
        case .otherForm: "the server's report has another format"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .keyRefused:
            "use one of SLUICE_APP_KEYS, or one from `sluice keys create NAME --scope status`; see "
                + "--key"
        case .otherForm: "use the server's version of sluice"
        case .unreachable, .insecure, .silent, .ended, .unknown, .refused: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .keyRefused: EX_NOPERM
        case .insecure, .otherForm: EX_PROTOCOL
        case .unreachable, .silent, .ended, .unknown, .refused: EX_UNAVAILABLE
        }
    }
}
