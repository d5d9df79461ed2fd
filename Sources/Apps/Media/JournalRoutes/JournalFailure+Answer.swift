import HTTPTypes
import Inspections
import Media

/// What a client is told about a form that is rejected, or about a file in it.
extension JournalFailure {
    /// The HTTP status.
    var status: HTTPResponse.Status {
        switch self {
        case .multipart, .field, .filesTooMany, .fileMissing: .badRequest
        case .file(let problem): problem.fault.status
        case .discardedTooMuch: .contentTooLarge
        case .expired: .requestTimeout
        case .store: .internalServerError
        case .inspection: .serviceUnavailable
        }
    }

    /// The error as a sentence.
    var sentence: String {
        switch self {
        case .field(let fault): fault.sentence
        case .filesTooMany(1): "there must be one file only"
        case .filesTooMany(let limit): "there must not be more than \(limit) files"
        case .fileMissing: "the form has no file"
        case .file(let problem): problem.sentence
        case .discardedTooMuch(let bytesMax):
            "more than \(bytesMax) bytes of the form are of files or parts that are not taken"
        case .expired: "the form took too long, send it again"
        case .multipart, .store, .inspection: "the form could not be stored"
        }
    }
}

extension FileProblem {
    /// The file's name, and its fault as a sentence.
    var sentence: String { "\(name.isEmpty ? part : name): \(fault.sentence)" }
}

extension FileFault {
    /// The HTTP status if no file of the form was stored.
    var status: HTTPResponse.Status {
        switch self {
        case .tooLarge: .contentTooLarge
        case .typeUnsupported, .locationNotRemovable: .unprocessableContent
        case .empty: .badRequest
        }
    }

    /// The fault as a sentence.
    var sentence: String {
        switch self {
        case .tooLarge(let bytesMax): "the file must not be larger than \(bytesMax) bytes"
        case .typeUnsupported(let found, let accepted):
            "the file is \(found.map(\.rawValue) ?? "of no known type") and must be one of "
                + accepted.map(\.rawValue).joined(separator: ", ")
        case .empty: "the file is empty"
        case .locationNotRemovable:
            "the file may name a place that could not be removed from it; with keepLocation=true "
                + "it is stored as it is"
        }
    }
}

extension FieldFault {
    /// The fault as a sentence.
    var sentence: String {
        switch reason {
        case .missing: "\(field) is missing or blank"
        case .tooLong(let bytesMax): "\(field) must not be longer than \(bytesMax) bytes"
        case .itemTooLong(let bytesMax):
            "\(field) must not have an item that is longer than \(bytesMax) bytes"
        case .notText: "\(field) is not text in UTF-8, or holds a NUL"
        case .notNumber: "\(field) is not a number"
        case .outOfRange: "\(field) is out of range"
        case .notInteger: "\(field) is not an integer"
        case .notDate:
            "\(field) is not a date of ISO 8601, such as 2026-01-24 or 2026-01-24T10:30:00Z"
        case .notBoolean: "\(field) must be true or false"
        case .tooManyItems(let max): "\(field) must not have more than \(max) items"
        case .repeated: "\(field) comes more than once"
        case .tooManyParts(let max): "the form must not have more than \(max) parts"
        case .notJSON(let offset): "\(field) is not JSON: fault at byte \(offset)"
        case .notObject: "\(field) is not a JSON object"
        case .notString: "\(field) must be a string"
        case .notStrings: "\(field) must be a string or an array of strings"
        case .nothingToChange(let fields):
            "\(field) has none of the fields \(fields.joined(separator: ", "))"
        }
    }
}
