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
            "Users' tokens (JWT, sub is the user) signed with HS256 and this secret are accepted.",
            isValid: { $0.utf8.count >= 32 }),
        .text(
            "SLUICE_JWT_KEYS", \.applications.tokenKeysPath,
            "JWKS file with public keys: users' tokens signed with ES256 or RS256 are accepted. It is "
                + "read again when it changes."),
        .text(
            "SLUICE_JWT_ISSUER", \.applications.tokenIssuer,
            "What a token's iss must be. Blank: anything."),
        .text(
            "SLUICE_JWT_AUDIENCE", \.applications.tokenAudience,
            "What a token's aud must contain. Blank: anything."),
        .flag(
            "SLUICE_JWT_EXPIRY_NEEDED", \.applications.needsTokenExpiry,
            "Refuse tokens without exp. Without this they are good until their key is replaced."),
        .flag(
            "SLUICE_METRICS_NEED_KEY", \.edge.metricsNeedKey,
            "GET /metrics asks for a key with the scope status, as the status page does, where "
                + "somebody has to show something. Without this it is open to whoever reaches the "
                + "port."),
        .secret(
            "SLUICE_APP_KEYS", \.applications.applicationKeys,
            rule: "keys of 1 to \(ConfiguredKeys.keyBytesMax) printable ASCII characters, "
                + "separated by commas",
            "Keys that open all routes but /ingest, for any user. Keys made with `sluice keys create "
                + "--scope` do too.",
            isValid: { list in
                guard let keys = try? ConfiguredKeys(list) else { return false }
                return keys.count > 0
            }),
        .flag(
            "SLUICE_ALLOW_OPEN", \.applications.isOpenAllowed,
            "Serve users' apps without token or key on an address that others can reach. On loopback "
                + "that is so anyway, as long as there is no secret and no key."),
        .flag(
            "SLUICE_TRUST_PATH_USER", \.applications.trustsPathUser,
            "Beside a secret or keys: captures and the journal, whose paths name the user, need no "
                + "token or key; one that is sent is checked. Meal logs want one, and it says whose "
                + "they are. For a network whose clients are all trusted."),
    ]

    static let transport: [Setting] = [
        .text(
            "SLUICE_TLS_CERT", \.applications.certificatePath,
            "PEM file with the server's certificate and those above it: the port speaks TLS only, "
                + "with HTTP/2 too. Read again when it changes. Blank: plain HTTP."),
        .text(
            "SLUICE_TLS_KEY", \.applications.keyPath,
            "PEM file with the certificate's private key, without a passphrase."),
        .integer(
            "SLUICE_SOCKETS_MAX", \.edge.sockets.socketsMax, 0...1_000_000,
            "Open WebSockets, beside SLUICE_CONNECTIONS_MAX; one more gets a 503."),
        .integer(
            "SLUICE_SOCKETS_PER_USER_MAX", \.edge.sockets.socketsPerUserMax, 1...1_000_000,
            "Open WebSockets of one user; one more gets a 429."),
        .bytes(
            "SLUICE_SOCKET_MESSAGE_BYTES_MAX", \.edge.sockets.messageBytesMax, 128...(16 << 20),
            "A message on a WebSocket; a larger one closes it with 1009."),
        .integer(
            "SLUICE_SOCKET_FRAGMENTS_MAX", \.edge.sockets.fragmentsMax, 1...1_000_000,
            "Frames of one message; more close the socket with 1008."),
        .integer(
            "SLUICE_SOCKET_CONTROL_FRAMES_PER_SECOND_MAX",
            \.edge.sockets.controlFramesPerSecondMax, 1...1_000_000,
            "Pings and pongs of one socket; more close it with 1008."),
        .integer(
            "SLUICE_SOCKET_IN_FLIGHT_MAX", \.edge.sockets.inFlightMax, 1...100_000,
            "Messages of one socket that wait for their commit; then nothing more is read from it."),
        .bytes(
            "SLUICE_SOCKET_OUTBOUND_BYTES_MAX", \.edge.sockets.outboundBytesMax,
            1024...(1 << 30),
            "What waits for a client that reads too slowly; more closes its socket with 1013."),
        .duration(
            "SLUICE_SOCKET_IDLE_TIMEOUT", \.edge.sockets.idleTimeout, shortest...longest,
            "Without a message either way; then a socket of meal logs is closed."),
        .duration(
            "SLUICE_SOCKET_PING_INTERVAL", \.edge.sockets.pingInterval, shortest...longest,
            "Without a byte from the client; then it gets a ping."),
        .duration(
            "SLUICE_SOCKET_PONG_TIMEOUT", \.edge.sockets.pongTimeout, shortest...longest,
            "From a ping to anything from the client; then the connection is cut off."),
        .duration(
            "SLUICE_SOCKET_MESSAGE_TIMEOUT", \.edge.sockets.messageTimeout, shortest...longest,
            "From a message's first frame to its last; then the socket is closed."),
        .duration(
            "SLUICE_SOCKET_CLOSE_TIMEOUT", \.edge.sockets.closeTimeout, shortest...longest,
            "For a client to answer a close; then the connection is cut off."),
    ]

    static let files: [Setting] = [
        .text(
            "SLUICE_PUBLIC_URL", \.applications.publicURL,
            rule: "http:// or https://, a host, and a path if need be",
            "What the URLs of uploaded files begin with. Blank: as the client called the server.",
            isValid: RouteConfiguration.isPublicURL),
        .text(
            "MEDIA_STORE", \.applications.mediaStore,
            rule: "file:/path or s3://bucket/prefix?endpoint=https://host&region=name",
            "Where uploaded files are kept: a directory, or a bucket that speaks S3. Blank: media in "
                + "the data directory.",
            isValid: { (try? MediaLocation.parse($0)) != nil }),
        .secret(
            "AWS_ACCESS_KEY_ID", \.applications.bucketKeyID, rule: "text",
            "Of a bucket's server.", isValid: { !$0.isEmpty }),
        .secret(
            "AWS_SECRET_ACCESS_KEY", \.applications.bucketKey, rule: "text",
            "Of a bucket's server.", isValid: { !$0.isEmpty }),
        .secret(
            "AWS_SESSION_TOKEN", \.applications.bucketToken, rule: "text",
            "Of a bucket's server, where keys expire.", isValid: { !$0.isEmpty }),
        .bytes(
            "SLUICE_CAPTURE_BYTES_MAX", \.edge.routes.captureBytesMax, 1024...(1 << 40),
            "A capture's photo or recording; a larger one gets a 413."),
        .integer(
            "SLUICE_UPLOADS_MAX", \.edge.routes.uploadsMax, 1...10_000,
            "Uploads at a time; one more gets a 503. Each takes up to 300 KiB of memory."),
        .bytes(
            "SLUICE_UPLOAD_FREE_BYTES_MIN", \.edge.routes.freeBytesMin, 0...(1 << 50),
            "Space that uploads leave free on their file system, for the spool's and the database's "
                + "sake; with less they get a 507. More than SLUICE_SPOOL_FREE_BYTES_MIN."),
        .bytes(
            "SLUICE_UPLOAD_BYTES_PER_DAY", \.edge.routes.uploadBytesPerDay, 0...(1 << 50),
            "What one user may upload in a day, on this node; more gets a 429. An address counts as a "
                + "user where there are no tokens; keys have quotas of their own. 0: no limit."),
        .integer(
            "SLUICE_UPLOAD_FILES_PER_DAY", \.edge.routes.uploadFilesPerDay, 0...1_000_000_000,
            "The same in files."),
    ]

    static let jobs: [Setting] = [
        .integer(
            "SLUICE_JOBS_CONCURRENCY", \.jobs.concurrency, 0...1000,
            "Jobs that this process runs at a time; 0: none, other nodes do."),
        .duration(
            "SLUICE_JOB_LEASE", \.jobs.lease, .seconds(1)...longest,
            "How long a job stays with a process that gives no sign of life."),
        .duration(
            "SLUICE_JOB_RUN_MAX", \.jobs.runMax, .seconds(1)...longest,
            "How long one run of a job may take; then it has failed."),
        .integer(
            "SLUICE_JOB_ATTEMPTS_MAX", \.jobs.attemptsMax, 1...1000,
            "Runs until a job is dead; see `sluice jobs`."),
        .duration(
            "SLUICE_JOB_PAUSE_MIN", \.jobs.pauseMin, .milliseconds(10)...longest,
            "Pause after a job's first failure; it doubles."),
        .duration(
            "SLUICE_JOB_PAUSE_MAX", \.jobs.pauseMax, .milliseconds(10)...(.seconds(30 * 86_400)),
            "Longest pause between runs of a job that fails."),
        .duration(
            "SLUICE_JOB_POLL_INTERVAL", \.jobs.pollInterval, .milliseconds(100)...longest,
            "How often to look for jobs that nobody has told of."),
        .duration(
            "SLUICE_JOB_STOP_MAX", \.jobs.stopMax, .zero...longest,
            "How long a stop waits for running jobs; then others may run them."),
    ]

    static let analysis: [Setting] = [
        .choice(
            "SLUICE_ANALYSER", \.analysis.analyser,
            "What looks at captures: local, offline; or gemini, with local where that fails."),
        .choice(
            "MEAL_PARSER", \.applications.mealParser,
            "What reads meals that are written in words: local, offline; or gemini, with local where "
                + "that has no answer."),
        .text(
            "SLUICE_WORDS_DIRECTORY", \.applications.wordsDirectory,
            "Directory with tables of words, such as units.tsv, that extend or replace the built-in "
                + "ones of local; see `sluice words`. Read at the start. Blank: the built-in ones."),
        .secret(
            "GEMINI_API_KEY", \.applications.modelKey, rule: "text",
            "Key of the model's service, for SLUICE_ANALYSER=gemini and MEAL_PARSER=gemini.",
            isValid: { !$0.isEmpty }),
        .text(
            "GEMINI_BASE_URL", \.analysis.gemini.baseURL,
            rule: "http:// or https://, a host, and a path if need be",
            "Where the model's service is.", isValid: RouteConfiguration.isPublicURL),
        .text(
            "GEMINI_MODEL", \.analysis.gemini.model,
            rule: "letters, digits, hyphens, underscores and dots", "A model that takes images.",
            isValid: { $0.wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil }),
        .duration(
            "GEMINI_TRY_TIMEOUT", \.analysis.gemini.tryTimeout, shortest...longest,
            "For one request to the model."),
        .duration(
            "GEMINI_TOTAL_TIMEOUT", \.analysis.gemini.totalTimeout, shortest...longest,
            "For all requests of one capture; then the local analysis is stored, and the model is "
                + "asked again later."),
        .integer(
            "GEMINI_TRIES_MAX", \.analysis.gemini.triesMax, 1...10,
            "Requests for one capture at a time."),
        .duration(
            "GEMINI_PAUSE", \.analysis.gemini.pause, .milliseconds(1)...longest,
            "Before the second request for a capture; it doubles."),
        .integer(
            "GEMINI_REQUESTS_PER_MINUTE_MAX", \.analysis.gemini.requestsPerMinuteMax,
            0...1_000_000, "Of this process; when they are used up, local does it."),
        .integer(
            "GEMINI_REQUESTS_PER_DAY_MAX", \.analysis.gemini.requestsPerDayMax,
            0...100_000_000, "Of this process, since its start."),
        .bytes(
            "GEMINI_ANSWER_BYTES_MAX", \.analysis.gemini.answerBytesMax, 1024...(64 << 20),
            "A larger answer counts as none."),
        .bytes(
            "GEMINI_IMAGE_BYTES_MAX", \.analysis.gemini.imageBytesMax, 0...(64 << 20),
            "A larger image is not sent; its text is."),
        .text(
            "SLUICE_PHOTO_HOSTS", \.applications.photoHosts,
            rule: "hosts such as photos.example.com or photos.example.com:8443, with commas",
            "Other hosts that photos of captures are fetched from. None by default.",
            isValid: { list in
                ServiceConfiguration.list(list).allSatisfy { PhotoHost($0) != nil }
            }),
        .flag(
            "SLUICE_PHOTO_HOSTS_PRIVATE", \.analysis.allowsPrivatePhotoHosts,
            "Fetch photos from addresses of this machine and of private networks, too."),
        .bytes(
            "SLUICE_PHOTO_BYTES_MAX", \.analysis.photoBytesMax, 1024...(1 << 30),
            "A larger photo is not looked at."),
        .duration(
            "SLUICE_PHOTO_TIMEOUT", \.analysis.photoTimeout, shortest...longest,
            "For a photo from another host."),
        .duration(
            "SLUICE_SUMMARY_DELAY", \.analysis.summaryDelay, .zero...longest,
            "From a capture's analysis to its day's new summary: those that come together are "
                + "summed up together."),
        .duration(
            "SLUICE_ANALYSIS_RETRY_DELAY", \.analysis.retryDelay, .milliseconds(100)...longest,
            "After a model's failure, until it is asked again; it doubles."),
        .duration(
            "SLUICE_ANALYSIS_RETRY_DELAY_MAX", \.analysis.retryDelayMax,
            .milliseconds(100)...(.seconds(30 * 86_400)), "The longest such pause."),
        .integer(
            "SLUICE_ANALYSIS_RETRIES_MAX", \.analysis.retriesMax, 0...1000,
            "Failures in a row after which the local analysis stays."),
    ]
}
