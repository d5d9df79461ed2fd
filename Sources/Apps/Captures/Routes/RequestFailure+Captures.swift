import Captures
import HTTP
import HTTPTypes
import Uploads

/// What a client of memory captures is told.
extension RequestFailure {
    /// The failure for an error of captures or files; nil for others.
    static func ofCaptures(_ error: any Error) -> RequestFailure? {
        guard let fault = error as? ProfileFault else { return ofFiles(error) }
        var status = HTTPResponse.Status.badRequest
        if case .tooLarge = fault { status = .contentTooLarge }
        return RequestFailure(status, fault.detail)
    }

    static let captureIDInvalid = RequestFailure(
        .badRequest,
        "the capture id must be 1 to 128 letters, digits, hyphens, underscores or dots and not "
            + "begin with a dot")
    static let dateInvalid = RequestFailure(
        .badRequest, "the date must be a day of the calendar, YYYY-MM-DD")
    static let nameInvalid = RequestFailure(
        .badRequest,
        "the name must have 1 to \(Capture.contactNameCharactersMax) characters, none of them for control"
    )
    static let limitInvalid = RequestFailure(
        .badRequest, "limit must be 1 to \(CapturePage.limitMax)")
    static let offsetInvalid = RequestFailure(
        .badRequest, "offset must be 0 to \(CapturePage.offsetMax)")
    static let fileMissing = RequestFailure(.badRequest, "the body has no part named file")
    static let fileEmpty = RequestFailure(.badRequest, "the file is empty")
    static let fileTwice = RequestFailure(
        .badRequest, "the body has more than one part named file")
    static let fileTypeUnsupported = RequestFailure(
        .unsupportedMediaType,
        "the file is neither a picture nor a sound, or not what it claims")

    static func fileTooLarge(bytesMax: Int) -> RequestFailure {
        RequestFailure(.contentTooLarge, "the file must not be larger than \(bytesMax) bytes")
    }
}
