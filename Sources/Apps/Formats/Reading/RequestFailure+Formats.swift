import HTTP
import HTTPTypes
import SwiftProtobuf

extension RequestFailure {
    /// 422: JSON, but not of the format.
    static func member(_ path: [String], _ sentence: String, type: String) -> RequestFailure {
        RequestFailure(
            .unprocessableContent, sentence, place: .member(path: path, index: nil, type: type))
    }

    /// 400: no message of Protocol Buffers, or none of the format.
    static func notProtobuf(_ error: BinaryDecodingError?) -> RequestFailure {
        let fault =
            switch error {
            case .truncated: "it ends too soon"
            case .invalidUTF8: "a text is not UTF-8"
            case .messageDepthLimit: "it is nested too deep"
            default: "it is malformed"
            }
        return RequestFailure(.badRequest, "Not a protobuf message of this format: \(fault)")
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
