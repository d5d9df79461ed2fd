/// Where the model is, what it may cost, and how long it may take.
public struct GeminiConfiguration: Sendable {
    /// The service's key; it goes into a header and nowhere else.
    public var key = ""
    /// Without a path; tests set it to a server of their own.
    public var baseURL = "https://generativelanguage.googleapis.com"
    /// A model that takes images and answers by a schema.
    public var model = "gemini-2.5-flash"
    /// For one try, the whole answer included.
    public var tryTimeout: Duration = .seconds(30)
    /// For all tries of one question and the pauses between them.
    public var totalTimeout: Duration = .seconds(60)
    /// The first one included. Only 429, 5xx and broken connections are tried again.
    public var triesMax = 3
    /// Before the second try; doubled before each further one, each up to half as long again by
    /// chance. A longer `Retry-After` wins.
    public var pause: Duration = .milliseconds(500)
    /// Requests in any 60 seconds, by this process. When they are used up, a question fails at once.
    public var requestsPerMinuteMax = 60
    /// Requests in 24 hours, by this process since its start.
    public var requestsPerDayMax = 5000
    /// A larger answer fails.
    public var answerBytesMax = 1 << 20
    /// A larger image is not sent; the text is. The service takes 20 MiB of request, in base 64.
    public var imageBytesMax = 10 << 20

    /// The defaults, without a key.
    public init() {}
}

extension GeminiConfiguration: CustomStringConvertible, CustomReflectable {
    /// Everything that is good to know but the key.
    public var description: String { "\(model) at \(baseURL), tries \(triesMax)" }
    /// So that `dump` does not show the key either.
    public var customMirror: Mirror { Mirror(self, children: ["settings": description]) }
}
