import HTTP
import HTTPTypes

extension RequestFailure {
    /// 422: JSON, but not of the format.
    static func member(_ path: [String], _ sentence: String, type: String) -> RequestFailure {
        RequestFailure(
            .unprocessableContent, sentence, place: .member(path: path, index: nil, type: type))
    }

    /// 413: a body of the permitted size becomes more than its readings may take.
    static let readingsTooMany = RequestFailure(
        .contentTooLarge, "The body has more readings than one request may bring")

    /// 422: the request says nowhere of which device it is.
    ///
    /// - Parameter remedy: where in the app a device is named.
    static func deviceMissing(_ remedy: String) -> RequestFailure {
        RequestFailure(.unprocessableContent, "The request names no device: \(remedy)")
    }
}
