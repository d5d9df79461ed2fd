public import NIOCore

/// A format in which devices post readings: who sends, what the body says, and how the answers are
/// written. ``Route/input(_:_:label:in:_:)`` gives it a method and a path. An object, because each
/// request carries it.
///
/// Everything else is the same for all formats and is none of theirs: quotas and limits,
/// decompression, time-outs, lanes, spool, quarantine and counters. So each keeps the promise of
/// `/ingest`: a 2xx after COMMIT or when the batch is on disk, each reading once, a bad reading in
/// quarantine and not in the way of others. Failures are told in the form of the route's system
/// (``ErrorEnvelope``).
///
/// - **Keys are the same everywhere.** `X-API-Key`, a bearer token or the password of Basic
///   authentication; and since some apps can set no header, the path's parameter `{key}`, if it has
///   one. Nothing logs paths, and the labels of metrics have the pattern. A user's token is taken in
///   the same places, and readings of another user than the sender's are refused
///   (``Auth/KeyBinding``).
/// - **One scanner judges readings.** The body of ``ingest`` is scanned as it arrives. The body of
///   any other format is collected, and a function translates it into a body of `/ingest`
///   (``ReadingsText``), which is then scanned. A translation leaves out what is not there and
///   passes on what is wrong; the scanner finds it and quarantines that reading. The quarantine
///   holds the translated reading, which can be requeued like any other.
/// - **A format costs `/ingest` nothing.** What a route's format is, is looked up once a request;
///   a reading passes no closure.
/// - **Limit.** A translation has no pauses. One of a body of more than ``TranslatedBody/inlineBytes``
///   runs on a worker's thread, any other on the event loop. Memory of a request: its body, and while
///   it is translated also the text.
public final class InputFormat: Sendable {
    /// Writes the body of an answer.
    public typealias Answer =
        @Sendable (InputOutcome, InputRequest, inout ByteBuffer) -> Void
    /// Translates a whole body.
    ///
    /// - Returns: nil if it holds nothing to store; the client is answered at once.
    /// - Throws: if it is not of the format; nothing is stored.
    public typealias Translation =
        @Sendable (RawSpan, InputRequest) throws(RequestFailure) -> ReadingsText?

    /// How a body becomes readings.
    public enum Body: Sendable {
        /// It is one of `/ingest`.
        case readings
        /// At most so many bytes, after decompression, and the function that translates them.
        case translated(bytesMax: Int, Translation)
    }

    /// How a body may be declared. One that is not declared is taken as the first of these.
    public enum Media: Sendable {
        /// In any way: the app's declaration says nothing.
        case any
        case json
        /// JSON, or a JSON text a line.
        case jsonOrLines
        /// JSON, or ``protobufType``; ``InputRequest/isProtobuf`` says which.
        case jsonOrProtobuf

        /// For people.
        var names: String {
            switch self {
            case .any: "any"
            case .json: "application/json"
            case .jsonOrLines: "application/json or application/x-ndjson"
            case .jsonOrProtobuf: "application/json or \(InputFormat.protobufType)"
            }
        }

        func takes(_ type: IngestHead.ContentType) -> Bool {
            switch (self, type) {
            case (.any, _), (_, .absent), (_, .json): true
            case (.jsonOrLines, .lines), (.jsonOrProtobuf, .protobuf): true
            case (_, .lines), (_, .protobuf), (_, .other): false
            }
        }
    }

    /// The content type of Protocol Buffers.
    public static let protobufType = "application/x-protobuf"

    /// The value of `WWW-Authenticate` in a 401.
    let challenge: String
    let media: Media
    let body: Body
    /// The status of the answer to a batch that is on disk and not in the database yet.
    let spooledStatus: Int
    /// nil: that of the request.
    let contentType: String?
    let answer: Answer

    /// A format whose bodies are translated.
    ///
    /// - Parameters:
    ///   - challenge: the value of `WWW-Authenticate` in a 401.
    ///   - media: how a body may be declared.
    ///   - bytesMax: of a body, after decompression; the server's limit counts, too.
    ///   - spooledStatus: for clients that take only a 200 for delivered.
    ///   - contentType: of answers; nil means that of the request.
    ///   - answer: writes the answer to a batch that is stored or on disk.
    public convenience init(
        challenge: String, media: Media = .json, bytesMax: Int, spooledStatus: Int = 202,
        contentType: String? = "application/json",
        answer: @escaping Answer, translation: @escaping Translation
    ) {
        self.init(
            challenge: challenge, media: media,
            body: .translated(bytesMax: bytesMax, translation), spooledStatus: spooledStatus,
            contentType: contentType, answer: answer)
    }

    private init(
        challenge: String, media: Media, body: Body, spooledStatus: Int, contentType: String?,
        answer: @escaping Answer
    ) {
        self.challenge = challenge
        self.media = media
        self.body = body
        self.spooledStatus = spooledStatus
        self.contentType = contentType
        self.answer = answer
    }

    /// Bytes of a body, after decompression, beside the server's limit.
    var bytesMax: Int {
        switch body {
        case .readings: .max
        case .translated(let bytesMax, _): bytesMax
        }
    }

    var isTranslated: Bool {
        if case .translated = body { true } else { false }
    }

    /// `POST /ingest`.
    static let ingest = InputFormat(
        challenge: "X-API-Key", media: .jsonOrLines, body: .readings, spooledStatus: 202,
        contentType: "application/json"
    ) { outcome, _, body in outcome.write(to: &body) }
}
