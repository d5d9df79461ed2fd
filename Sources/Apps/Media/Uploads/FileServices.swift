public import HTTP
public import Instruments
public import Media

/// What the routes of all systems with files have in common: the limits of uploads and downloads.
public struct FileServices: Sendable {
    /// The limits.
    public let configuration: RouteConfiguration
    /// Admits uploads.
    public let uploads: UploadAdmission
    /// Places of clients that are sent a file.
    public let downloads: PlaceCounter<ClientAddress>

    /// - Parameters:
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    ///   - space: free space of the file system to which uploads are written.
    ///   - registry: gets the metrics of uploads.
    public init(_ configuration: RouteConfiguration, space: FreeSpace, registry: Registry) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.configuration = configuration
        uploads = UploadAdmission(configuration, space, registry)
        downloads = PlaceCounter(max: configuration.downloadsMax)
    }
}
