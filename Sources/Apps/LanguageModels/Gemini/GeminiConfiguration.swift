/// The model's address, and limits for its cost and time.
public struct GeminiConfiguration: Sendable {
    /// The service's key. It is sent as a header and appears nowhere else.
    public var key = ""
    /// The service's URL, without a path. Tests set it to a server of their own.
    public var baseURL = "https://generativelanguage.googleapis.com"
    /// The model's name. It must accept images and answer by a schema.
    public var model = "gemini-2.5-flash"
    /// The time limit for one try, including reading the whole answer.
    public var tryTimeout: Duration = .seconds(30)
    /// The time limit for all tries of one question and the pauses between them.
    public var totalTimeout: Duration = .seconds(60)
    /// The number of tries, including the first. Only statuses 429 and 5xx, broken connections and
    /// time-outs are retried.
    public var triesMax = 3
    /// The pause before the second try. It doubles before each further try. Up to half of it is
    /// added at random. A longer `Retry-After` wins.
    public var pause: Duration = .milliseconds(500)
    /// Requests in any 60 seconds, per process. When they are used up, a question fails at once.
    public var requestsPerMinuteMax = 60
    /// Requests in 24 hours, per process, counted from its start.
    public var requestsPerDayMax = 5000
    /// The size limit of an answer; a larger one is a failure.
    public var answerBytesMax = 1 << 20
    /// The size limit of an image. A larger one is left out, and only the text is sent. The service
    /// takes requests of up to 20 MiB, with images in base 64.
    public var imageBytesMax = 10 << 20

    /// The defaults, without a key.
    public init() {}
}

extension GeminiConfiguration: CustomStringConvertible, CustomReflectable {
    /// The settings that are useful in a log, without the key.
    public var description: String { "\(model) at \(baseURL), tries \(triesMax)" }
    /// Keeps the key out of `dump` too.
    public var customMirror: Mirror { Mirror(self, children: ["settings": description]) }
}
