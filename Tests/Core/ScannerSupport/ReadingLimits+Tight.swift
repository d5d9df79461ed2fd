public import Readings

extension ReadingLimits {
    /// Limits so low that short random bodies exceed all of them.
    public static var tight: ReadingLimits {
        var limits = ReadingLimits()
        limits.deviceIDCharactersMax = 40
        limits.attributeCharactersMax = 20
        limits.labelBytesMax = 24
        limits.valueTextBytesMax = 40
        limits.metadataBytesMax = 120
        limits.metadataGrowthMax = 60
        limits.readingBytesMax = 600
        limits.readingDepthMax = 8
        limits.quarantinedMax = 3
        return limits
    }
}
