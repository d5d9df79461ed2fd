import SpoolLog

extension SpoolConfiguration {
    /// Segments that a few records fill.
    static var small: SpoolConfiguration {
        var configuration = SpoolConfiguration()
        configuration.segmentBytesMax = 16 * 1024
        configuration.bytesMax = 6 * 16 * 1024
        configuration.freeBytesMin = 8 * 1024
        configuration.spareSegmentsMax = 2
        configuration.recordBytesMax = 4 * 1024
        configuration.bufferBytesMax = 2 * 1024
        return configuration
    }
}
