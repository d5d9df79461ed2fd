import Foundation
import SluiceService

extension Complaint {
    /// Why there is nothing to see.
    init(_ loss: StatusWatch.Loss, _ url: String) {
        let code =
            switch loss {
            case .keyRefused: EX_NOPERM
            case .insecure, .otherForm: EX_PROTOCOL
            case .unreachable, .silent, .ended, .unknown, .refused: EX_UNAVAILABLE
            }
        self.init("\(url): \(Self.text(loss))", code: code)
    }

    static func text(_ loss: StatusWatch.Loss) -> String {
        switch loss {
        case .unreachable: "nobody answers"
        case .insecure:
            "no TLS connection: its certificate is not trusted here or is for another name, or it "
                + "speaks no TLS"
        case .silent: "it does not answer in time"
        case .ended: "the server ended the connection"
        case .keyRefused:
            "no key that may see this: it takes one of SLUICE_APP_KEYS, or one made with "
                + "`sluice keys create NAME --scope status`; see --key"
        case .unknown: "there is no Sluice with a status"
        case .refused(let status): "it can't say now (\(status))"
        case .otherForm: "its report is of another version than this program"
        }
    }
}
