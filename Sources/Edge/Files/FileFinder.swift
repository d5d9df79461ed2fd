import Access
import MediaStorage
import Multimedia

/// Finds files for many requests at once: one statement for all that are asked for with a capture's
/// path, one round for all of the journal.
///
/// It finds what may be sent whole and at once. All else it leaves to the router, and says nothing
/// about why: what is not there, who may not have it, what is not open yet, a database that is away.
/// So there is one place where errors are told, and it decides anew.
struct FileFinder: Sendable {
    let captures: CaptureServices?
    let journal: JournalServices?

    /// - Returns: in the order of `requests`; nil: the router's.
    func find(_ requests: [FileWanted]) async -> [ReadyFile?] {
        var found = [ReadyFile?](repeating: nil, count: requests.count)
        let journalFiles = await journalFiles(requests)
        let captureFiles = await captureFiles(requests)
        for (place, request) in requests.enumerated() {
            found[place] = journalFiles[request.path] ?? captureFiles[place]
        }
        return found
    }

    // MARK: /media

    private func captureFiles(_ requests: [FileWanted]) async -> [Int: ReadyFile] {
        guard let captures else { return [:] }
        var admitted: [(place: Int, path: MediaPath, caller: Caller)] = []
        var paths: [String: MediaPath] = [:]
        for (place, request) in requests.enumerated() {
            guard let path = paths[request.path] ?? Self.capturePath(request.path),
                case .admitted(let caller) = await captures.access.admit(
                    request.credentials, user: nil, scope: .captures)
            else { continue }
            paths[request.path] = path
            admitted.append((place, path, caller))
        }
        let open = (try? await captures.media.findOpen(Array(paths.values))) ?? [:]
        let files = open.mapValues { (media: $0, ready: MediaRoute.answer(for: $0.file).ready($0)) }
        var found: [Int: ReadyFile] = [:]
        for (place, path, caller) in admitted {
            guard let file = files[path], Self.isOwn(file.media.file, of: caller) else { continue }
            found[place] = file.ready
        }
        return found
    }

    private static func capturePath(_ text: String) -> MediaPath? {
        guard text.hasPrefix("/media/"),
            let path = MediaPath(String(text.dropFirst("/media/".utf8.count))),
            path.captureID != nil
        else { return nil }
        return path
    }

    /// As far as the file's row tells.
    private static func isOwn(_ file: MediaFile, of caller: Caller) -> Bool {
        guard caller.user != nil else { return true }
        return file.owner.map(caller.mayReach) ?? false
    }

    // MARK: The journal

    /// By the paths of requests.
    private func journalFiles(_ requests: [FileWanted]) async -> [String: ReadyFile] {
        guard let journal else { return [:] }
        var wanted: [String: (user: String, id: String)] = [:]
        for request in requests where wanted[request.path] == nil {
            wanted[request.path] = Self.journalFile(request.path)
        }
        let ids = Set(wanted.values.map(\.id))
        guard let open = try? await journal.library.findOpen(Array(ids)) else { return [:] }
        return wanted.compactMapValues { user, id in
            guard let (file, media) = open[id], file.user == user else { return nil }
            return JournalFileRoute.answer(for: file, media.file).ready(media)
        }
    }

    private static func journalFile(_ text: String) -> (user: String, id: String)? {
        guard text.hasPrefix(JournalPath.base + "/") else { return nil }
        let parts = text.dropFirst(JournalPath.base.utf8.count + 1).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "multimedia", parts[2] == "files",
            let user = try? PathText.user(parts[0])
        else { return nil }
        return (user, String(parts[3]))
    }
}
