import Access
import Analysis
import Edge
import Gemini
import Jobs
import Media

/// Settings of users' apps: credentials, TLS, sockets, files, jobs, analysis.
extension Settings {
    static let callers: [Setting] = [
        .secret(
            "SLUICE_JWT_SECRET", \.applications.tokenSecret,
            rule: "a secret of 32 bytes or more",
            "Secret for users' tokens (JWT; sub is the user) that are signed with HS256. Blank: "
                + "such tokens are refused.",
            isValid: { $0.utf8.count >= 32 }),
        .text(
            "SLUICE_JWT_KEYS", \.applications.tokenKeysPath,
            "JWKS file with public keys for users' tokens that are signed with ES256 or RS256. It "
                + "is read again when it changes."),
        .text(
            "SLUICE_JWT_ISSUER", \.applications.tokenIssuer,
            "Required iss of a token. Blank: any."),
        .text(
            "SLUICE_JWT_AUDIENCE", \.applications.tokenAudience,
            "A required member of a token's aud. Blank: none."),
        .flag(
            "SLUICE_JWT_EXPIRY_NEEDED", \.applications.needsTokenExpiry,
            "Refuse tokens without exp. Off: such tokens are valid until their key is replaced."),
        .flag(
            "SLUICE_METRICS_NEED_KEY", \.edge.metricsNeedKey,
            "GET /metrics requires a key with the scope status, like the status page, if "
                + "credentials are configured. Off: everybody who reaches the port can read it."),
        .secret(
            "SLUICE_APP_KEYS", \.applications.applicationKeys,
            rule: "keys of 1 to \(ConfiguredKeys.keyBytesMax) printable ASCII characters, "
                + "separated by commas",
            "Keys for all routes except /ingest, for any user. Keys from `sluice keys create "
                + "--scope` work too.",
            isValid: { list in
                guard let keys = try? ConfiguredKeys(list) else { return false }
                return keys.count > 0
            }),
        .flag(
            "SLUICE_ALLOW_OPEN", \.applications.isOpenAllowed,
            "Serve users' apps without token or key on an address that others can reach, and under "
                + "any Host. On loopback this is always so, unless a secret or a key is configured. "
                + "The status page, its events and its map still need a key (sluice keys create "
                + "NAME --scope status), except from this machine on loopback."),
        .flag(
            "SLUICE_TRUST_PATH_USER", \.applications.trustsPathUser,
            "With a secret or keys: captures and the journal, whose paths name the user, need no "
                + "token or key; one that is sent is checked, and whatever is sent in its place, such "
                + "as Authorization: Basic, gets a 401. Meal logs still require one, and it "
                + "identifies their user. For a network whose clients are all trusted."),
    ]

    static let transport: [Setting] = [
        .text(
            "SLUICE_TLS_CERT", \.applications.certificatePath,
            "PEM file with the server's certificate chain. The port then speaks only TLS, with "
                + "HTTP/2 too. It is read again when it changes. Blank: plain HTTP."),
        .text(
            "SLUICE_TLS_KEY", \.applications.keyPath,
            "PEM file with the certificate's private key, without a passphrase."),
        .integer(
            "SLUICE_SOCKETS_MAX", \.edge.sockets.socketsMax, 0...1_000_000,
            "Open WebSockets, in addition to SLUICE_CONNECTIONS_MAX; further ones get a 503."),
        .integer(
            "SLUICE_SOCKETS_PER_USER_MAX", \.edge.sockets.socketsPerUserMax, 1...1_000_000,
            "Open WebSockets of one user; further ones get a 429."),
        .bytes(
            "SLUICE_SOCKET_MESSAGE_BYTES_MAX", \.edge.sockets.messageBytesMax, 128...(16 << 20),
            "Size of a WebSocket message; a larger one closes the socket with 1009."),
        .integer(
            "SLUICE_SOCKET_FRAGMENTS_MAX", \.edge.sockets.fragmentsMax, 1...1_000_000,
            "Frames of one message; more close the socket with 1008."),
        .integer(
            "SLUICE_SOCKET_CONTROL_FRAMES_PER_SECOND_MAX",
            \.edge.sockets.controlFramesPerSecondMax, 1...1_000_000,
            "Pings and pongs of one socket per second; more close it with 1008."),
        .integer(
            "SLUICE_SOCKET_IN_FLIGHT_MAX", \.edge.sockets.inFlightMax, 1...100_000,
            "Messages of one socket that are not committed yet. At this limit the server reads no "
                + "more from it."),
        .bytes(
            "SLUICE_SOCKET_OUTBOUND_BYTES_MAX", \.edge.sockets.outboundBytesMax,
            1024...(1 << 30),
            "Bytes queued for a client that reads too slowly; more close its socket with 1013."),
        .duration(
            "SLUICE_SOCKET_IDLE_TIMEOUT", \.edge.sockets.idleTimeout, shortest...longest,
            "Time without a message in either direction; after it a meal log socket is closed."),
        .duration(
            "SLUICE_SOCKET_PING_INTERVAL", \.edge.sockets.pingInterval, shortest...longest,
            "Time without a byte from the client; after it the server sends a ping."),
        .duration(
            "SLUICE_SOCKET_PONG_TIMEOUT", \.edge.sockets.pongTimeout, shortest...longest,
            "Time from a ping to the next byte from the client; after it the connection is "
                + "closed."),
        .duration(
            "SLUICE_SOCKET_MESSAGE_TIMEOUT", \.edge.sockets.messageTimeout, shortest...longest,
            "Time from a message's first frame to its last; after it the socket is closed."),
        .duration(
            "SLUICE_SOCKET_CLOSE_TIMEOUT", \.edge.sockets.closeTimeout, shortest...longest,
            "Time for a client to answer a close; after it the connection is closed."),
    ]

    static let files: [Setting] = [
        .text(
            "SLUICE_PUBLIC_URL", \.applications.publicURL,
            rule: "an http:// or https:// URL with a host and an optional path",
            "Prefix of the URLs of uploaded files. Blank: the address that the client called.",
            isValid: RouteConfiguration.isPublicURL),
        .text(
            "MEDIA_STORE", \.applications.mediaStore,
            rule: "file:/path or s3://bucket/prefix?endpoint=https://host&region=name",
            "Where uploaded files are kept: a directory or an S3 bucket. Blank: media in the data "
                + "directory.",
            isValid: { (try? MediaLocation.parse($0)) != nil }),
        .secret(
            "AWS_ACCESS_KEY_ID", \.applications.bucketKeyID, rule: "text",
            "Access key id for the S3 bucket.", isValid: { !$0.isEmpty }),
        .secret(
            "AWS_SECRET_ACCESS_KEY", \.applications.bucketKey, rule: "text",
            "Secret access key for the S3 bucket.", isValid: { !$0.isEmpty }),
        .secret(
            "AWS_SESSION_TOKEN", \.applications.bucketToken, rule: "text",
            "Session token for the S3 bucket, if its keys expire.", isValid: { !$0.isEmpty }),
        .bytes(
            "SLUICE_CAPTURE_BYTES_MAX", \.edge.routes.captureBytesMax, 1024...(1 << 40),
            "Size of a capture's photo or recording; a larger file gets a 413."),
        .integer(
            "SLUICE_UPLOADS_MAX", \.edge.routes.uploadsMax, 1...10_000,
            "Concurrent uploads; further ones get a 503. Each upload takes up to 300 KiB of "
                + "memory."),
        .bytes(
            "SLUICE_UPLOAD_FREE_BYTES_MIN", \.edge.routes.freeBytesMin, 0...(1 << 50),
            "Space that uploads leave free on their file system for the spool and the database; "
                + "with less free, uploads get a 507. Use more than SLUICE_SPOOL_FREE_BYTES_MIN."),
        .bytes(
            "SLUICE_UPLOAD_BYTES_PER_DAY", \.edge.routes.uploadBytesPerDay, 0...(1 << 50),
            "Bytes that one user may upload per day on this node; more get a 429. Without tokens, "
                + "an address counts as a user; keys have their own quotas. 0: no limit."),
        .integer(
            "SLUICE_UPLOAD_FILES_PER_DAY", \.edge.routes.uploadFilesPerDay, 0...1_000_000_000,
            "Files that one user may upload per day on this node; more get a 429. 0: no limit."),
        .integer(
            "SLUICE_INSPECTION_SECONDS_PER_HOUR", \.inspector.secondsPerHour, 0...1_000_000,
            "Seconds of processor time that one user's files may take per hour on this node, for "
                + "inspection and thumbnails. It refills evenly; a user with none left gets a 429. "
                + "0: no limit."),
    ]

    static let jobs: [Setting] = [
        .integer(
            "SLUICE_JOBS_CONCURRENCY", \.jobs.concurrency, 0...1000,
            "Concurrent jobs of this process. 0: none; other nodes run the jobs."),
        .duration(
            "SLUICE_JOB_LEASE", \.jobs.lease, .seconds(1)...longest,
            "How long a job stays with a process that gives no sign of life."),
        .duration(
            "SLUICE_JOB_RUN_MAX", \.jobs.runMax, .seconds(1)...longest,
            "Time for one run of a job; after it the run has failed."),
        .integer(
            "SLUICE_JOB_ATTEMPTS_MAX", \.jobs.attemptsMax, 1...1000,
            "Failed runs after which a job is dead; see `sluice jobs`."),
        .duration(
            "SLUICE_JOB_PAUSE_MIN", \.jobs.pauseMin, .milliseconds(10)...longest,
            "Pause after a job's first failure. It doubles with each failure."),
        .duration(
            "SLUICE_JOB_PAUSE_MAX", \.jobs.pauseMax, .milliseconds(10)...(.seconds(30 * 86_400)),
            "Longest pause between runs of a failing job."),
        .duration(
            "SLUICE_JOB_POLL_INTERVAL", \.jobs.pollInterval, .milliseconds(100)...longest,
            "How often to look for jobs that were not announced."),
        .duration(
            "SLUICE_JOB_STOP_MAX", \.jobs.stopMax, .zero...longest,
            "How long a stop waits for running jobs; then other nodes may run them."),
    ]

    static let analysis: [Setting] = [
        .choice(
            "SLUICE_ANALYSER", \.analysis.analyser,
            "Analyser of captures: local works offline; gemini uses a model, and local if the "
                + "model fails."),
        .choice(
            "MEAL_PARSER", \.applications.mealParser,
            "Parser of meals written in words: local works offline; gemini uses a model, and local "
                + "if the model has no answer."),
        .text(
            "SLUICE_WORDS_DIRECTORY", \.applications.wordsDirectory,
            "Directory with word tables, such as units.tsv, that extend or replace the built-in "
                + "tables of local; see `sluice words`. Read at the start. Blank: the built-in "
                + "tables."),
        .secret(
            "GEMINI_API_KEY", \.applications.modelKey, rule: "text",
            "Key of the model's service, for SLUICE_ANALYSER=gemini and MEAL_PARSER=gemini.",
            isValid: { !$0.isEmpty }),
        .text(
            "GEMINI_BASE_URL", \.analysis.gemini.baseURL,
            rule: "an http:// or https:// URL with a host and an optional path",
            "URL of the model's service.", isValid: RouteConfiguration.isPublicURL),
        .text(
            "GEMINI_MODEL", \.analysis.gemini.model,
            rule: "letters, digits, hyphens, underscores and dots",
            "Name of a model that accepts images.",
            isValid: { $0.wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil }),
        .duration(
            "GEMINI_TRY_TIMEOUT", \.analysis.gemini.tryTimeout, shortest...longest,
            "Time for one request to the model."),
        .duration(
            "GEMINI_TOTAL_TIMEOUT", \.analysis.gemini.totalTimeout, shortest...longest,
            "Time for all requests of one capture. After it the local analysis is stored, and the "
                + "model is asked again later."),
        .integer(
            "GEMINI_TRIES_MAX", \.analysis.gemini.triesMax, 1...10,
            "Requests per attempt to analyse a capture."),
        .duration(
            "GEMINI_PAUSE", \.analysis.gemini.pause, .milliseconds(1)...longest,
            "Pause before the second request for a capture. It doubles with each request."),
        .integer(
            "GEMINI_REQUESTS_PER_MINUTE_MAX", \.analysis.gemini.requestsPerMinuteMax,
            0...1_000_000, "Requests of this process per minute; beyond that, local is used."),
        .integer(
            "GEMINI_REQUESTS_PER_DAY_MAX", \.analysis.gemini.requestsPerDayMax,
            0...100_000_000,
            "Requests of this process per day; the first day begins at its start. Beyond that, "
                + "local is used."),
        .bytes(
            "GEMINI_ANSWER_BYTES_MAX", \.analysis.gemini.answerBytesMax, 1024...(64 << 20),
            "Size of an answer; a larger one is ignored."),
        .bytes(
            "GEMINI_IMAGE_BYTES_MAX", \.analysis.gemini.imageBytesMax, 0...(64 << 20),
            "Size of an image; a larger image is not sent to the model, only the text."),
        .text(
            "SLUICE_PHOTO_HOSTS", \.applications.photoHosts,
            rule: "hosts such as a.example.com or a.example.com:8443, separated by commas",
            "Other hosts from which photos of captures are fetched. Default: none.",
            isValid: { list in
                ServiceConfiguration.list(list).allSatisfy { PhotoHost($0) != nil }
            }),
        .flag(
            "SLUICE_PHOTO_HOSTS_PRIVATE", \.analysis.allowsPrivatePhotoHosts,
            "Also fetch photos from addresses of this machine and of private networks."),
        .bytes(
            "SLUICE_PHOTO_BYTES_MAX", \.analysis.photoBytesMax, 1024...(1 << 30),
            "Size of a photo; a larger one is not analysed."),
        .duration(
            "SLUICE_PHOTO_TIMEOUT", \.analysis.photoTimeout, shortest...longest,
            "Time for fetching a photo from another host."),
        .duration(
            "SLUICE_SUMMARY_DELAY", \.analysis.summaryDelay, .zero...longest,
            "Delay from a capture's analysis to the new summary of its day, so that captures that "
                + "arrive together cause one summary."),
        .duration(
            "SLUICE_ANALYSIS_RETRY_DELAY", \.analysis.retryDelay, .milliseconds(100)...longest,
            "Pause after a model's failure before it is asked again. It doubles with each "
                + "failure."),
        .duration(
            "SLUICE_ANALYSIS_RETRY_DELAY_MAX", \.analysis.retryDelayMax,
            .milliseconds(100)...(.seconds(30 * 86_400)),
            "Longest pause before the model is asked again."),
        .integer(
            "SLUICE_ANALYSIS_RETRIES_MAX", \.analysis.retriesMax, 0...1000,
            "Consecutive failures of the model after which the local analysis is final."),
    ]
}
