import Analysis
import Ingest
import Inspections
import JSONText
import Readings
import Uploads

@testable import Auth
@testable import Captures
@testable import Formats
@testable import HTTP
@testable import Meals
@testable import Media
@testable import Scanner

/// Every limit that a client can meet, as the table in `deploy/applications.md`.
struct LimitTable {
    /// A part of the table: the requests that it is about, and lines of limit, value and answer.
    struct Part {
        let title: String
        let lines: [(limit: String, value: String, beyond: String)]
    }

    static let parts = [
        all, batches, formats, captures, sockets, meals, journal, status,
    ]

    /// The parts as Markdown.
    static var text: String {
        let lines = parts.flatMap { part in
            ["| **\(part.title)** | | |"]
                + part.lines.map { "| \($0.limit) | \($0.value) | \($0.beyond) |" }
        }
        return (["| limit | value | beyond it |", "|---|---|---|"] + lines).joined(
            separator: "\n")
    }

    private static let edge = HTTPConfiguration()
    private static let tls = TLSConfiguration(certificatePath: "", keyPath: "")
    private static let routes = RouteConfiguration()
    private static let socket = SocketConfiguration()
    private static let limits = ReadingLimits()
    private static let ingestion = IngestionConfiguration()
    private static let analysis = AnalysisConfiguration()
    private static let form = JournalConfiguration()
    private static let inspector = InspectorConfiguration()
    private static let multipart = MultipartLimits()

    private static let all = Part(
        title: "every request",
        lines: [
            (
                "header fields",
                "\(edge.headFieldsMax), \(size(edge.headBytesMax)) (`SLUICE_HEAD_FIELDS_MAX`, `SLUICE_HEAD_BYTES_MAX`)",
                "431"
            ),
            ("time for the head", "\(time(edge.headTimeout)) (`SLUICE_HEAD_TIMEOUT`)", "408"),
            (
                "a body that stands still, or is slower after that time",
                "\(time(edge.bodyTimeout)), \(edge.bodyBytesPerSecondMin) bytes a second (`SLUICE_BODY_TIMEOUT`, `SLUICE_BODY_BYTES_PER_SECOND_MIN`)",
                "408"
            ),
            (
                "framing of a chunked body",
                "\(size(ConnectionHandler.framingBytesFree)), and \(ConnectionHandler.framingTimesMax) bytes for each byte of the body",
                "400"
            ),
            (
                "time from the last byte to the commit",
                "\(time(edge.acknowledgeWithin)) (`SLUICE_ACKNOWLEDGE_WITHIN`)",
                "503; it may still be committed"
            ),
            (
                "time between an answer and the next request",
                "\(time(edge.idleTimeout)) (`SLUICE_IDLE_TIMEOUT`)", "closed"
            ),
            (
                "time without reading an answer",
                "\(time(edge.sendTimeout)) (`SLUICE_SEND_TIMEOUT`)", "closed"
            ),
            (
                "a rejected body, until the answer is read",
                "\(size(edge.keptRestBytesMax)); \(size(edge.lingerBytesMax)), \(time(edge.lingerTimeout)) (`SLUICE_KEPT_REST_BYTES_MAX`, `SLUICE_LINGER_BYTES_MAX`, `SLUICE_LINGER_TIMEOUT`)",
                "closed behind the answer; cut off"
            ),
            ("TLS handshake", time(tls.handshakeTimeout), "cut off"),
            ("streams of an HTTP/2 connection", "\(tls.streamsMax)", "the stream is refused"),
            (
                "connections",
                "\(count(edge.connectionsMax)), four fifths for one address (`SLUICE_CONNECTIONS_MAX`)",
                "503"
            ),
            (
                "answers that clients have not read",
                "\(size(edge.unsentBytesMax)), \(size(edge.streamedUnsentBytesMax)) for one HTTP/2 connection (`SLUICE_UNSENT_BYTES_MAX`, `SLUICE_STREAMED_UNSENT_BYTES_MAX`)",
                "503; new streams are refused"
            ),
            (
                "an API key; a token",
                "\(ConfiguredKeys.keyBytesMax) bytes; \(size(TokenVerifier.tokenBytesMax))", "401"
            ),
            (
                "a user's name, also in a token",
                "\(TokenVerifier.subjectLengthMax) characters", "400; 401"
            ),
        ])

    private static let formats = Part(
        title: "formats of other apps, `/in/…`",
        lines: [
            (
                "body of Overland; OwnTracks; Traccar Client and GPSLogger; Health Auto Export; OpenTelemetry",
                "\(size(Overland.bytesMax)); \(size(OwnTracks.bytesMax)); \(size(Traccar.bytesMax)); \(size(HealthAutoExport.bytesMax)); \(size(OTLP.bytesMax))",
                "413"
            ),
            (
                "its readings, each with its time and name, of the last two",
                size(ReadingsText.bytesMax), "413"
            ),
            ("levels of their JSON", count(JSONReader.usualDepthMax), "400"),
            ("all else", "as of `/ingest`", ""),
        ])

    private static let batches = Part(
        title: "`POST /ingest`",
        lines: [
            (
                "body, as sent and decompressed",
                "\(size(edge.bodyBytesMax)) (`SLUICE_BODY_BYTES_MAX`)", "413"
            ),
            (
                "growth by decompression, beyond \(size(edge.expansionFreeBytes))",
                "\(edge.expansionMax) times (`SLUICE_EXPANSION_MAX`, `SLUICE_EXPANSION_FREE_BYTES`)",
                "413"
            ),
            (
                "window of Zstandard",
                "\(size(1 << Int(ZstandardStream.windowLog)))", "400"
            ),
            (
                "bodies in progress",
                "\(size(edge.inFlightBytesMax)), four fifths for one key (`SLUICE_IN_FLIGHT_BYTES_MAX`)",
                "503"
            ),
            (
                "bytes that wait for a lane",
                "\(size(ingestion.laneBytesMax)), four fifths for one device or user (`SLUICE_LANE_BYTES_MAX`)",
                "503; 429"
            ),
            (
                "bytes a second of one key",
                "no limit (`SLUICE_KEY_BYTES_PER_SECOND`, `sluice keys create`)", "429"
            ),
            (
                "`Idempotency-Key`",
                "\(edge.idempotencyKeyBytesMax) bytes (`SLUICE_IDEMPOTENCY_KEY_BYTES_MAX`)", "400"
            ),
            ("levels of the JSON", count(StreamingValidator.depthMax), "400"),
            (
                "`metadata` of the batch; its `device_id` and `user_id`; `version` and `model_name`",
                "\(size(BatchScanner.metadataBytesMax)); \(limits.deviceIDCharactersMax) characters; \(limits.attributeCharactersMax) characters",
                "422"
            ),
            (
                "quarantined readings in a batch; those that `problems` names",
                "\(count(limits.quarantinedMax)) (`SLUICE_QUARANTINED_MAX`); \(ScannedBatch.problemsMax)",
                "422; not named"
            ),
            (
                "a reading; its levels",
                "\(size(limits.readingBytesMax)) (`SLUICE_READING_BYTES_MAX`); \(limits.readingDepthMax) (`SLUICE_READING_DEPTH_MAX`)",
                "quarantined"
            ),
            (
                "`t`",
                "\(days(limits.ageMax)) ago, \(time(limits.aheadMax)) ahead (`SLUICE_READING_AGE_MAX`, `SLUICE_READING_AHEAD_MAX`)",
                "quarantined"
            ),
            (
                "`label`; `val_text`; `metadata` of an event",
                "\(limits.labelBytesMax) bytes; \(size(limits.valueTextBytesMax)); \(size(limits.metadataBytesMax))",
                "quarantined"
            ),
            (
                "`speed`; `course`",
                "\(Int(PositionDetails.speedMax)) m/s; \(Int(PositionDetails.courseMax)) degrees",
                "quarantined"
            ),
            (
                "a name in `metric`; new names of a key; names in a batch",
                "\(MetricName.bytesMax) bytes; \(MetricName.ofKeyMax); \(MetricName.ofKeyMax)",
                "quarantined"
            ),
            (
                "names of ignored fields in an answer",
                "\(IgnoredFields.namesMax), of fewer than \(IgnoredFields.nameBytesMax) bytes",
                "not named"
            ),
            (
                "numbers in that `metadata`; their growth when they are written out",
                "1e\(limits.metadataExponentMax); \(count(limits.metadataGrowthMax)) bytes",
                "quarantined"
            ),
        ])

    private static let captures = Part(
        title: "memory captures",
        lines: [
            (
                "photo or recording; other parts of its form",
                "\(size(routes.captureBytesMax)) (`SLUICE_CAPTURE_BYTES_MAX`); \(size(RouteConfiguration.otherPartsBytesMax))",
                "413"
            ),
            (
                "parts of a form; fields and bytes of a part's head; its boundary; spaces behind that",
                "\(count(multipart.partsMax)); \(multipart.headerFieldsMax) and \(size(multipart.headerBytesMax)); \(MultipartBoundary.lengthMax) characters; \(multipart.paddingBytesMax)",
                "400"
            ),
            (
                "capture id",
                "\(Capture.idCharactersMax) of `A-Za-z0-9-_.`, no dot first",
                "400; `failed_to_save`"
            ),
            (
                "`transcription`", "\(size(Capture.transcriptionBytesMax)) of UTF-8",
                "`failed_to_save`"
            ),
            ("`photoURL`, `audioURL`", size(Capture.urlBytesMax), "`failed_to_save`"),
            ("`timestamp`", "as `t` of a reading", "`failed_to_save`"),
            (
                "body of `/init-user`, and of a change of the profile",
                size(ProfileRequest.bytesMax), "413"
            ),
            (
                "`limit`; `offset` of the list of captures",
                "\(CapturePage.limitMax) (\(CapturePage.limitUsual) by default); \(count(CapturePage.offsetMax))",
                "400"
            ),
            (
                "name of a contact in a path", "\(Capture.contactNameCharactersMax) characters",
                "400"
            ),
            (
                "levels of its JSON; of a frame's", "\(JSONReader.usualDepthMax)",
                "400; `invalid_json`"
            ),
            (
                "photo of an allowed host (`SLUICE_PHOTO_HOSTS`)",
                "\(size(analysis.photoBytesMax)), \(time(analysis.photoTimeout)) (`SLUICE_PHOTO_BYTES_MAX`, `SLUICE_PHOTO_TIMEOUT`)",
                "analysed without it"
            ),
            (
                "text that `local` analyses", "\(count(LocalAnalyser.charactersMax)) characters",
                "the rest is not analysed"
            ),
            (
                "uploads at a time, the journal's too",
                "\(routes.uploadsMax), four fifths for one user (`SLUICE_UPLOADS_MAX`)", "503; 429"
            ),
            (
                "uploads of a user in a day, the journal's too",
                "\(size(routes.uploadBytesPerDay)), \(count(routes.uploadFilesPerDay)) files (`SLUICE_UPLOAD_BYTES_PER_DAY`, `SLUICE_UPLOAD_FILES_PER_DAY`)",
                "429"
            ),
            (
                "free space that uploads leave",
                "\(size(routes.freeBytesMin)) (`SLUICE_UPLOAD_FREE_BYTES_MIN`)", "507"
            ),
            ("files that are sent at a time", count(routes.downloadsMax), "503"),
        ])

    private static let sockets = Part(
        title: "WebSockets",
        lines: [
            (
                "open sockets; those of one user",
                "\(count(socket.socketsMax)); \(socket.socketsPerUserMax) (`SLUICE_SOCKETS_MAX`, `SLUICE_SOCKETS_PER_USER_MAX`)",
                "503; 429"
            ),
            (
                "a message",
                "\(size(socket.messageBytesMax)) (`SLUICE_SOCKET_MESSAGE_BYTES_MAX`)",
                "closed, 1009"
            ),
            (
                "its frames; its time",
                "\(socket.fragmentsMax); \(time(socket.messageTimeout)) (`SLUICE_SOCKET_FRAGMENTS_MAX`, `SLUICE_SOCKET_MESSAGE_TIMEOUT`)",
                "closed, 1008"
            ),
            (
                "pings, pongs and closes in a second",
                "\(socket.controlFramesPerSecondMax) (`SLUICE_SOCKET_CONTROL_FRAMES_PER_SECOND_MAX`)",
                "closed, 1008"
            ),
            (
                "unanswered messages", "\(socket.inFlightMax) (`SLUICE_SOCKET_IN_FLIGHT_MAX`)",
                "read once one is answered"
            ),
            (
                "what the client has not read",
                "\(size(socket.outboundBytesMax)) (`SLUICE_SOCKET_OUTBOUND_BYTES_MAX`)",
                "closed, 1013"
            ),
            (
                "time to answer a ping; a close",
                "\(time(socket.pongTimeout)); \(time(socket.closeTimeout)) (`SLUICE_SOCKET_PONG_TIMEOUT`, `SLUICE_SOCKET_CLOSE_TIMEOUT`)",
                "cut off"
            ),
            (
                "time without a message, on sockets of meals",
                "\(time(socket.idleTimeout)) (`SLUICE_SOCKET_IDLE_TIMEOUT`)", "closed, 1000"
            ),
        ])

    private static let meals = Part(
        title: "meal logs",
        lines: [
            ("body", size(Meals.bodyBytesMax), "413"),
            ("`Idempotency-Key`", "\(IdempotencyKey.bytesMax) bytes", "400"),
            ("levels of the JSON", "\(JSONObject.depthMax)", "400"),
            (
                "`raw_input`; `content` of a message", "\(count(Meals.textLengthMax)) characters",
                "400"
            ),
            (
                "`items`; found in a text", "\(Meals.itemsMax)", "400; the rest is left out"
            ),
            (
                "`food_name`; `unit`, also of an own food",
                "\(MealItemDraft.nameLengthMax); \(HouseholdUnit.nameLengthMax) characters",
                "400"
            ),
            (
                "calories; other amounts of an item",
                "\(count(Int(MealItemDraft.caloriesMax))); \(count(Int(MealItemDraft.amountMax)))",
                "400"
            ),
            (
                "`logged_at`",
                "from 2000 to \(time(.microseconds(RequestTime.aheadMax))) ahead", "400"
            ),
            (
                "`limit`; `offset`; `page`",
                "\(ListPart.limitMax) (\(ListPart.limitDefault) by default); \(count(ListPart.offsetMax)); \(count(ListPart.offsetMax)) divided by `limit`",
                "400"
            ),
            ("`search`", "\(FoodFilter.searchLengthMax) characters", "400"),
            ("own foods of a user", count(Meals.userFoodsMax), "409"),
            (
                "an own food: names; synonyms; units",
                "\(UserFoodRequest.nameLengthMax) characters; \(UserFoodRequest.synonymsMax); \(UserFoodRequest.unitsMax)",
                "400"
            ),
            (
                "its calories; grams of a nutrient; density; grams of a unit",
                "\(count(Int(UserFoodRequest.energyMax))); 100; \(Int(UserFoodRequest.densityMax)); \(count(Int(Portion.gramsMax)))",
                "400"
            ),
        ])

    private static let journal = Part(
        title: "journal",
        lines: [
            (
                "a file; a voice note; a profile picture",
                "\(size(form.fileBytesMax)); \(size(form.voiceNoteBytesMax)); \(size(form.profilePictureBytesMax))",
                "413"
            ),
            ("files of a form; parts", "\(form.filesMax); \(form.partsMax)", "400"),
            ("files and parts that are not taken", size(form.discardedBytesMax), "413"),
            fields([.note, .reason, .description]), fields([.tags, .interests]),
            fields([.title, .location]), fields([.mood]), fields([.category, .groupID]),
            fields([.date, .moodIntensity, .createdAt, .voiceNoteDuration, .keepLocation]),
            (
                "tags, interests; one of them",
                "\(JournalForm.itemsMax); \(JournalForm.itemBytesMax) bytes", "400"
            ),
            (
                "`createdAt`; `moodIntensity`",
                "0 to the year 9999 (\(JournalForm.createdAtMax)); \(JournalForm.intensities.lowerBound) to \(JournalForm.intensities.upperBound)",
                "400"
            ),
            ("a file's name", "\(FileName.bytesMax) bytes", "shortened"),
            (
                "body of a change; levels of its JSON",
                "\(size(JournalChange.bytesMax)); \(JournalChange.depthMax)", "413; 400"
            ),
            ("`Idempotency-Key`", "\(IdempotencyKey.bytesMax) bytes", "400"),
            (
                "`limit`; `offset`",
                "\(JournalPage.limitRange.upperBound); \(count(JournalPage.offsetRange.upperBound))",
                "400"
            ),
            (
                "a thumbnail's `w`",
                "\(ThumbnailWidth.range.lowerBound) to \(ThumbnailWidth.range.upperBound)", "400"
            ),
            (
                "pixels of its picture; memory and time for it",
                "\(count(form.thumbnailPixelsMax)); \(size(inspector.thumbnailLimits.memoryBytesMax)), \(inspector.thumbnailLimits.processorSecondsMax) s of a processor, \(inspector.thumbnailLimits.secondsMax) s",
                "422"
            ),
            (
                "memory and time to examine a file",
                "\(size(inspector.reportLimits.memoryBytesMax)), \(inspector.reportLimits.processorSecondsMax) s of a processor, \(inspector.reportLimits.secondsMax) s",
                "422"
            ),
            (
                "files and thumbnails at a time",
                "\(inspector.reportsAtOnceMax) and \(inspector.thumbnailsAtOnceMax), one fewer for one user",
                "they wait"
            ),
            (
                "files and thumbnails that wait; those of one user",
                "\(count(inspector.reportsWaitingMax)) and \(inspector.thumbnailsWaitingMax); \(inspector.reportsWaitingPerUserMax) and \(inspector.thumbnailsWaitingPerUserMax)",
                "503"
            ),
            (
                "processor time of one user's files",
                "\(inspector.secondsPerHour) s an hour (`SLUICE_INSPECTION_SECONDS_PER_HOUR`)",
                "429"
            ),
        ])

    private static let status = Part(
        title: "status page",
        lines: [
            (
                "wrong keys of an address",
                "\(WrongTries.triesMax) in \(time(WrongTries.window))", "429"
            ),
            (
                "viewers; sessions", "\(StatusRoutes.watchersMax); \(StatusSessions.sessionsMax)",
                "503; the oldest ends"
            ),
            ("positions on its map", "\(LatestPositions.positionsMax)", "the newest are shown"),
            (
                "devices in its list, senders in its list of refusals",
                "\(HeardDevices.devicesMax), \(RefusalBoard.sendersMax)", "the newest are shown"
            ),
        ])

    private static func fields(_ fields: [JournalField]) -> (String, String, String) {
        let bytes = Set(fields.map(\.bytesMax))
        precondition(bytes.count == 1, "BUG: \(fields) differ")
        return (
            fields.map { "`\($0.rawValue)`" }.joined(separator: ", "), size(bytes.first ?? 0), "400"
        )
    }

    private static func size(_ bytes: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where bytes >= 1 << shift && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift) \(unit)"
        }
        return "\(count(bytes)) bytes"
    }

    private static func time(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds % 3600 == 0 && seconds > 0 ? "\(seconds / 3600) h" : "\(seconds) s"
    }

    private static func days(_ duration: Duration) -> String {
        "\(duration.components.seconds / 86_400) days"
    }

    /// With commas between groups of three digits, from ten thousand on.
    private static func count(_ number: Int) -> String {
        if number < 10_000 { return "\(number)" }
        var (groups, rest) = ([Substring](), "\(number)"[...])
        while !rest.isEmpty {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return groups.joined(separator: ",")
    }
}
