import Analysis
import Gemini
import HTTP
import Inspections
import Jobs
import Media
import S3
import Server
import Uploads

/// Settings of users' apps: files, jobs, analysis.
extension ApplicationSettings {
    /// In the order of the help.
    static let sections = [
        Settings.Section(title: "Uploaded files", settings: files),
        Settings.Section(title: "Jobs", settings: jobs),
        Settings.Section(title: "Analysis of captures", settings: analysis),
    ]

    static let files: [Setting] = [
        .text(
            "SLUICE_PUBLIC_URL", \.applications.publicURL,
            rule: "an http:// or https:// URL with a host and an optional path",
            "Prefix of the URLs of uploaded files. Blank: the address that the client called.",
            isValid: RouteConfiguration.isPublicURL),
        .text(
            "SLUICE_TRUSTED_PROXIES", \.applications.trustedProxies,
            rule: "addresses and networks such as 10.0.0.0/8, separated by commas",
            "Proxies whose X-Forwarded-Proto and X-Forwarded-Host say how the client called, for the "
                + "URLs of uploaded files without SLUICE_PUBLIC_URL. Blank: these fields are ignored.",
            isValid: { TrustedProxies($0) != nil }),
        .text(
            "SLUICE_MEDIA_STORE", \.applications.mediaStore,
            rule: "file:/path or s3://bucket/prefix?endpoint=https://host&region=name",
            "Where uploaded files are kept: a directory or an S3 bucket. Blank: media in the data "
                + "directory.",
            isValid: { (try? StoreLocation.parse($0)) != nil }
        ).formerly("MEDIA_STORE"),
        .bytes(
            "SLUICE_CAPTURE_BYTES_MAX", \.routes.captureBytesMax, 1024...(1 << 40),
            "Size of a capture's photo or recording; a larger file gets a 413."),
        .integer(
            "SLUICE_UPLOADS_MAX", \.routes.uploadsMax, 1...10_000,
            "Concurrent uploads; further ones get a 503. Each upload takes up to 300 KiB of "
                + "memory."),
        .bytes(
            "SLUICE_UPLOAD_FREE_BYTES_MIN", \.routes.freeBytesMin, 0...(1 << 50),
            "Space that uploads leave free on their file system for the spool and the database; "
                + "with less free, uploads get a 507. Use more than SLUICE_SPOOL_FREE_BYTES_MIN."),
        .bytes(
            "SLUICE_UPLOAD_BYTES_PER_DAY", \.routes.uploadBytesPerDay, 0...(1 << 50),
            "Bytes that one user may upload per day on this node; more get a 429. Without tokens, "
                + "an address counts as a user; keys have their own quotas. 0: no limit."),
        .integer(
            "SLUICE_UPLOAD_FILES_PER_DAY", \.routes.uploadFilesPerDay, 0...1_000_000_000,
            "Files that one user may upload per day on this node; more get a 429. 0: no limit."),
        .integer(
            "SLUICE_INSPECTION_SECONDS_PER_HOUR", \.inspector.secondsPerHour, 0...1_000_000,
            "Seconds of processor time that one user's files may take per hour on this node, for "
                + "inspection and thumbnails. It refills evenly; a user with none left gets a 429. "
                + "Without tokens, an address has eight times as much. 0: no limit."),
    ]

    static let jobs: [Setting] = [
        .integer(
            "SLUICE_JOBS_CONCURRENCY", \.jobs.concurrency, 0...1000,
            "Concurrent jobs of this process. 0: none; other nodes run the jobs."),
        .duration(
            "SLUICE_JOB_LEASE", \.jobs.lease, .seconds(1)...Settings.longest,
            "How long a job stays with a process that gives no sign of life."),
        .duration(
            "SLUICE_JOB_RUN_MAX", \.jobs.runMax, .seconds(1)...Settings.longest,
            "Time for one run of a job; after it the run has failed."),
        .integer(
            "SLUICE_JOB_ATTEMPTS_MAX", \.jobs.attemptsMax, 1...1000,
            "Failed runs after which a job is dead; see `sluice jobs`."),
        .duration(
            "SLUICE_JOB_PAUSE_MIN", \.jobs.pauseMin, .milliseconds(10)...Settings.longest,
            "Pause after a job's first failure. It doubles with each failure."),
        .duration(
            "SLUICE_JOB_PAUSE_MAX", \.jobs.pauseMax, .milliseconds(10)...(.seconds(30 * 86_400)),
            "Longest pause between runs of a failing job."),
        .duration(
            "SLUICE_JOB_POLL_INTERVAL", \.jobs.pollInterval, .milliseconds(100)...Settings.longest,
            "How often to look for jobs that were not announced."),
        .duration(
            "SLUICE_JOB_STOP_MAX", \.jobs.stopMax, .zero...Settings.longest,
            "How long a stop waits for running jobs; then other nodes may run them."),
    ]

    static let analysis: [Setting] = [
        .choice(
            "SLUICE_ANALYSER", \.analysis.analyser,
            "Analyser of captures: local works offline; gemini uses a model, and local if the "
                + "model fails."),
        .choice(
            "SLUICE_MEAL_PARSER", \.applications.mealParser,
            "Parser of meals written in words: local works offline; gemini uses a model, and local "
                + "if the model has no answer."
        ).formerly("MEAL_PARSER"),
        .text(
            "SLUICE_WORDS_DIRECTORY", \.applications.wordsDirectory,
            "Directory with word tables, such as units.tsv, that extend or replace the built-in "
                + "tables of local; see `sluice words`. Read at the start. Blank: the built-in "
                + "tables."),
        .secret(
            "SLUICE_GEMINI_API_KEY", \.applications.modelKey, rule: "text",
            "Key of the model's service, for SLUICE_ANALYSER=gemini and SLUICE_MEAL_PARSER=gemini.",
            isValid: { !$0.isEmpty }
        ).formerly("GEMINI_API_KEY"),
        .text(
            "SLUICE_GEMINI_BASE_URL", \.analysis.gemini.baseURL,
            rule: "an http:// or https:// URL with a host and an optional path",
            "URL of the model's service.", isValid: RouteConfiguration.isPublicURL
        ).formerly("GEMINI_BASE_URL"),
        .text(
            "SLUICE_GEMINI_MODEL", \.analysis.gemini.model,
            rule: "letters, digits, hyphens, underscores and dots",
            "Name of a model that accepts images.",
            isValid: { $0.wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil }
        ).formerly("GEMINI_MODEL"),
        .duration(
            "SLUICE_GEMINI_TRY_TIMEOUT", \.analysis.gemini.tryTimeout,
            Settings.shortest...Settings.longest,
            "Time for one request to the model."
        ).formerly("GEMINI_TRY_TIMEOUT"),
        .duration(
            "SLUICE_GEMINI_TOTAL_TIMEOUT", \.analysis.gemini.totalTimeout,
            Settings.shortest...Settings.longest,
            "Time for all requests of one capture. After it the local analysis is stored, and the "
                + "model is asked again later."
        ).formerly("GEMINI_TOTAL_TIMEOUT"),
        .integer(
            "SLUICE_GEMINI_TRIES_MAX", \.analysis.gemini.triesMax, 1...10,
            "Requests per attempt to analyse a capture."
        ).formerly("GEMINI_TRIES_MAX"),
        .duration(
            "SLUICE_GEMINI_PAUSE", \.analysis.gemini.pause, .milliseconds(1)...Settings.longest,
            "Pause before the second request for a capture. It doubles with each request."
        ).formerly("GEMINI_PAUSE"),
        .integer(
            "SLUICE_GEMINI_REQUESTS_PER_MINUTE_MAX", \.analysis.gemini.requestsPerMinuteMax,
            0...1_000_000, "Requests of this process per minute; beyond that, local is used."
        ).formerly("GEMINI_REQUESTS_PER_MINUTE_MAX"),
        .integer(
            "SLUICE_GEMINI_REQUESTS_PER_DAY_MAX", \.analysis.gemini.requestsPerDayMax,
            0...100_000_000,
            "Requests of this process per day; the first day begins at its start. Beyond that, "
                + "local is used."
        ).formerly("GEMINI_REQUESTS_PER_DAY_MAX"),
        .bytes(
            "SLUICE_GEMINI_ANSWER_BYTES_MAX", \.analysis.gemini.answerBytesMax, 1024...(64 << 20),
            "Size of an answer; a larger one is ignored."
        ).formerly("GEMINI_ANSWER_BYTES_MAX"),
        .bytes(
            "SLUICE_GEMINI_IMAGE_BYTES_MAX", \.analysis.gemini.imageBytesMax, 0...(64 << 20),
            "Size of an image; a larger image is not sent to the model, only the text."
        ).formerly("GEMINI_IMAGE_BYTES_MAX"),
        .text(
            "SLUICE_PHOTO_HOSTS", \.applications.photoHosts,
            rule: "hosts such as a.example.com or a.example.com:8443, separated by commas",
            "Other hosts from which photos of captures are fetched. Default: none.",
            isValid: { list in
                ApplicationSettings.list(list).allSatisfy { PhotoHost($0) != nil }
            }),
        .flag(
            "SLUICE_PHOTO_HOSTS_PRIVATE", \.analysis.allowsPrivatePhotoHosts,
            "Also fetch photos from addresses of this machine and of private networks."),
        .bytes(
            "SLUICE_PHOTO_BYTES_MAX", \.analysis.photoBytesMax, 1024...(1 << 30),
            "Size of a photo; a larger one is not analysed."),
        .duration(
            "SLUICE_PHOTO_TIMEOUT", \.analysis.photoTimeout, Settings.shortest...Settings.longest,
            "Time for fetching a photo from another host."),
        .duration(
            "SLUICE_SUMMARY_DELAY", \.analysis.summaryDelay, .zero...Settings.longest,
            "Delay from a capture's analysis to the new summary of its day, so that captures that "
                + "arrive together cause one summary."),
        .duration(
            "SLUICE_ANALYSIS_RETRY_DELAY", \.analysis.retryDelay,
            .milliseconds(100)...Settings.longest,
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
