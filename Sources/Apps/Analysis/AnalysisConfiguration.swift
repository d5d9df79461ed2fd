public import Gemini

/// An operator's settings for analysis.
public struct AnalysisConfiguration: Sendable {
    /// The analyser in use.
    public enum Choice: String, Sendable, CaseIterable {
        /// ``LocalAnalyser``: offline.
        case local
        /// ``GeminiAnalyser``; if it fails, ``LocalAnalyser``.
        case gemini
    }

    /// Default `local`.
    public var analyser: Choice = .local
    /// Used when ``analyser`` is `gemini`.
    public var gemini = GeminiConfiguration()
    /// The beginning of `url` in the answer to an upload, including `/media/`. Photos below it are
    /// read from the media store. If nil, any URL with the path `/media/…` is read from the store,
    /// unless ``photoHosts`` has its host.
    public var mediaBase: String?
    /// Other hosts that photos are fetched from; see ``PhotoHost``. Default none.
    public var photoHosts: [PhotoHost] = []
    /// Whether photos are also fetched from addresses of this machine and of private networks. Off
    /// by default, so that no client can make the server send requests behind the firewall.
    public var allowsPrivatePhotoHosts = false
    /// The most bytes of a photo; a larger one is ignored. Default 20 MiB.
    public var photoBytesMax = 20 << 20
    /// The time limit for one photo from another host, including redirects. Default 20 s.
    public var photoTimeout: Duration = .seconds(20)
    /// The delay between a capture's analysis and its day's new summary, so that captures that
    /// arrive together share one summary. Default 250 ms.
    public var summaryDelay: Duration = .milliseconds(250)
    /// The pause before a capture is analysed again after a model's first failure. It doubles with
    /// each further failure, up to ``retryDelayMax``. Default 60 s.
    public var retryDelay: Duration = .seconds(60)
    /// The longest pause between two attempts. Default six hours.
    public var retryDelayMax: Duration = .seconds(6 * 3600)
    /// Retries after a model's failures; after them the fallback stays. Default 12.
    public var retriesMax = 12

    /// The defaults.
    public init() {}
}
