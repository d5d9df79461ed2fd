public import Gemini

/// What an operator may set about analysis.
public struct AnalysisConfiguration: Sendable {
    /// Which analyser runs first; the other one of the two is never asked on its own.
    public enum Choice: String, Sendable, CaseIterable {
        /// ``LocalAnalyser``: offline.
        case local
        /// ``GeminiAnalyser``, with ``LocalAnalyser`` where it fails.
        case gemini
    }

    /// The default is offline.
    public var analyser: Choice = .local
    /// Used when ``analyser`` is `gemini`.
    public var gemini = GeminiConfiguration()
    /// What `url` in the answer to an upload starts with, up to and with `/media/`: photos below it
    /// are read from the media store. nil: what any URL with that path names, unless ``photoHosts``
    /// names its host.
    public var mediaBase: String?
    /// Other hosts that photos are fetched from; see ``PhotoHost``. None by default.
    public var photoHosts: [PhotoHost] = []
    /// Also fetch from addresses of this machine and of private networks. Off, so that nobody can
    /// have the server ask what is behind the firewall.
    public var allowsPrivatePhotoHosts = false
    /// A larger photo is not looked at.
    public var photoBytesMax = 20 << 20
    /// For one photo from another host, redirects included.
    public var photoTimeout: Duration = .seconds(20)
    /// From a capture's analysis to its day's new summary, so that captures which come together
    /// are summed up together.
    public var summaryDelay: Duration = .milliseconds(250)
    /// After the first failure of a model the capture is analysed again so much later; twice as
    /// long after each further one, up to ``retryDelayMax``.
    public var retryDelay: Duration = .seconds(60)
    /// The longest pause between two tries.
    public var retryDelayMax: Duration = .seconds(6 * 3600)
    /// After so many failures in a row the fallback stays.
    public var retriesMax = 12

    /// The defaults.
    public init() {}
}
