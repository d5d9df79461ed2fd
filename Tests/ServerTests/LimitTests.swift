import Foundation
import TestSupport
import Testing

/// Clients find every limit in the documentation.
@Suite struct LimitTests {
    @Test func `deploy/applications has the table of all limits, with their defaults`() throws {
        let path = Project.file("deploy/applications.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(text.contains("\n\(LimitTable.text)\n\n"), "write it anew:\n\(LimitTable.text)")
    }

    @Test func `every limit in the sources is in the table or is nobody's`() throws {
        let table = try String(
            contentsOf: Project.file("Tests/ServerTests/LimitTable.swift"),
            encoding: .utf8)
        var unknown: [String] = []
        var found: Set<String> = []
        for (owner, name) in try Self.constants() {
            found.insert("\(owner).\(name)")
            if Self.internals[owner]?.contains(name) == true { continue }
            let accessor = Self.instances[owner] ?? owner
            let isShown = try table.contains(Regex(#"\b\#(accessor)\.\#(name)\b"#))
            if !isShown { unknown.append("\(owner).\(name)") }
        }
        #expect(unknown == [], "clients meet it: to LimitTable; they don't: to internals")
        let listed = Self.internals.flatMap { owner, names in names.map { "\(owner).\($0)" } }
        #expect(Set(listed).subtracting(found).sorted() == [], "these are gone")
    }

    /// The constants and defaults in all that clients talk to whose names are those of limits, each
    /// with the name of its file.
    private static func constants() throws -> [(owner: String, name: String)] {
        let declaration =
            #/(?m)^(?: {0,4}(?:[a-z]+ )*(?:let|var)| {8}(?:[a-z]+ )*static let) (\w+(?:Max|Min|Timeout|Within|PerDay|PerHour))\b[^=\n{]*= /#
        var constants: [(String, String)] = []
        for directory in [
            "Sources/Apps/Analysis", "Sources/Apps/Captures", "Sources/Apps/Formats",
            "Sources/Apps/Inspection",
            "Sources/Apps/LanguageModels", "Sources/Apps/Meals", "Sources/Apps/Media",
            "Sources/Apps/Notices/Sockets",
            "Sources/Core/Support/JSONText", "Sources/Core/HTTP", "Sources/Core/Readings",
            "Sources/Core/Scanner", "Sources/Core/Auth",
        ] {
            let files = FileManager.default.enumerator(
                at: Project.file(directory), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let owner = file.deletingPathExtension().lastPathComponent
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: declaration) {
                    constants.append((owner, String(match.1)))
                }
            }
        }
        #expect(constants.count > 150)
        return constants
    }

    /// How the table names what a file declares, where it is not by the file's name.
    private static let instances = [
        "HTTPConfiguration": "edge", "TLSConfiguration": "tls",
        "RouteConfiguration": "(routes|RouteConfiguration)",
        "SocketConfiguration": "socket", "ReadingLimits": "limits",
        "AnalysisConfiguration": "analysis", "JournalConfiguration": "form",
        "InspectorConfiguration": "inspector", "MultipartLimits": "multipart",
        "MultipartReader+Text": "MultipartBoundary", "KeyRing": "ConfiguredKeys",
        "ConnectionHandler+Connection": "ConnectionHandler", "MealFilter": "ListPart",
        "MealReply": "RequestTime", "FoodQueries": "FoodFilter",
        "StatusSessions": "(WrongTries|StatusSessions)",
        "BatchScanner": "(BatchScanner|ScannedBatch)", "ReadingsText+Limit": "ReadingsText",
    ]

    /// Limits that no client meets, by file: of memory and work inside the server, of operators'
    /// files and commands, of what analysers and models say, and of answers.
    private static let internals: [String: Set<String>] = [
        "TokenSenders": ["countMax"], "HealthAutoExport": ["figuresMax"],
        "ExportedMetric": ["nameLengthMax"], "HealthTime": ["bytesMax"], "Moment": ["scalarsMax"],
        "OTLPName": ["lengthMax"],
        "HTTPListener": ["acceptedMax"],
        "AnalysisConfiguration": ["retriesMax", "retryDelayMax"],
        "CondensationJob": ["hoursMax"],
        "BatchScanner": ["keyBytesMax"],
        "LZ4FrameStream": ["headerBytesMin"],
        "CanonicalJSON": ["scaleMax"],
        "CaptureAnalysisJob": ["photoTriesMax"],
        "CaptureSession": ["answersMax"],
        "ClauseReader": ["searchesMax", "similarityMin"],
        "ContactMerge": ["notesMax"],
        "DayComposer": ["highlightsMax", "listMax", "timelineMax"],
        "Dish": ["leafEnergyMax", "wordsMax"],
        "HeardDevices": ["statementMax"],
        "HTTPConfiguration": ["backlogMax", "shutdownWithin", "surplusMax"],
        "ExifLocation": ["directoriesMax"],
        "FileBytes": ["depthMax", "workMin"],
        "FileReport": ["editsMax"],
        "FlatObject": ["membersMax", "numberBytesMax"],
        "FoodDataRow": ["nameMax", "unitsMax"],
        "FoodImport": ["foodsMax"],
        "FoodIndex": ["foodsMax", "nameWordsMax"],
        "FoodTable": ["nameLengthMax"],
        "GeminiConfiguration": [
            "answerBytesMax", "imageBytesMax", "requestsPerDayMax", "requestsPerMinuteMax",
            "totalTimeout", "triesMax", "tryTimeout",
        ],
        "GeminiMealParser": ["ownFoodsMax"],
        "GeminiQuestion": ["outputTokensMax"],
        "HourComposer": ["listMax"],
        "ImageFacts": ["sideMax", "textMax"],
        "InspectionAnswer": ["bytesMax"],
        "InspectionBudget": ["usersMax"],
        "InspectorConfiguration": ["picturesAtOnceMax", "faultsMax"],
        "ItemWriter": [
            "energyMax", "plausibleEnergyMax", "plausibleGramsMax", "unknownNameMax",
            "wholeDishMin",
        ],
        "JPEGLocation": ["picturesMax"],
        "KeyRefresher": ["statementMax"],
        "KeySet": ["keysMax"],
        "KeyStore": ["departedMax"],
        "KeySetFile": ["bytesMax"],
        "KeyMoment": ["charactersMax"],
        "LatestPositions": ["statementMax"],
        "ListenerDrain": ["quietMin", "waitMax"],
        "MediaLibrary": ["failuresMax"],
        "OpenObjects": ["countMax"],
        "MediaPath": ["componentCountMax", "componentLengthMax"],
        "MediaStorage": ["pieceBytesMax"],
        "MediaType": ["contentBytesMax"],
        "MoodReader": ["clauseMax"],
        "NameFinder": ["evidenceMin"],
        "NewsStore": ["finishWithin", "pageMax", "refusedPauseMax", "statementsMax", "waitingMax"],
        "NewsFeed": ["unconfirmedMax", "waitingMax"],
        "KindRows": ["firstCapacityMax"],
        "PhotoSource": ["redirectsMax"],
        "PlaceFinder": ["wordsMax"],
        "PlainReading": ["countMax", "unknownMax"],
        "Portion": ["wholeGramsMax"],
        "RequestBudget": ["drainTimeMax"],
        "ScannerPool": ["keptMax"],
        "SenderCache": ["envelopeBytesMax"],
        "SocketClose": ["reasonBytesMax"],
        "SocketOutlet": ["headBytesMax"],
        "WrongTries": ["addressesMax"],
        "StatusStream": ["endWithin", "silenceMax"],
        "TLSFiles": ["bytesMax"],
        "Timestamp": ["microsecondsPerDay"],
        "TimestampParser": ["bytesMin"],
        "TokenKey": ["modulusBitsMax", "modulusBitsMin", "secretBytesMin"],
        "TupleSlab": ["bytesMax"],
        "UploadShares": ["uploadersMax"],
        "WireHandler": ["headBytesMax"],
    ]
}
