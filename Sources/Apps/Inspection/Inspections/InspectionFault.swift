/// Why a file has no thumbnail.
package enum InspectionFault: Error, Equatable, Sendable {
    case unreadable
    case tooManyPixels
}
