import Foundation
import Inspections

extension JournalRecord {
    /// The answer to the create request: JSON in the shapes of ``JournalQueries``, which it does
    /// not need. So an entry is answered as soon as its unit is committed, whatever happens to the
    /// database then.
    ///
    /// - Parameters:
    ///   - filesURL: the URL that a file's id is appended to.
    ///   - errors: the entry's problems as messages for people.
    public func answer(filesURL: String, errors: [String]) throws -> String {
        let errors = errors.isEmpty ? nil : errors
        let pictures = entry.files.filter { $0.role != .voiceNote }
        let urls = pictures.map { filesURL + $0.id }
        var answer = Self.object(["success": true])
        switch entry.kind {
        case .upload:
            answer["files"] = entry.files.map { file in
                ["data": uploaded(file, url: filesURL + file.id)]
            }
            answer["count"] = entry.files.count
            answer.merge(Self.object(["groupId": groupID, "errors": errors])) { $1 }
        case .mood, .keepsake, .calendarEntry:
            var record = Self.object(members(filesURL))
            record["id"] = id
            record["createdAt"] = createdAt
            record["tags"] = entry.fields.tags
            record["imageUrls"] = urls
            record["files"] = pictures.map { file in
                Self.object(
                    ["url": filesURL + file.id].merging(Self.facts(of: file)) { $1 })
            }
            answer[JournalQueries.table(entry.kind).word] = record
            answer.merge(Self.object(["imageUrls": urls, "errors": errors])) { $1 }
        case .profilePicture:
            answer["message"] = "Profile picture updated successfully"
            answer["imageUrl"] = filesURL + id
        }
        return try Self.text(answer)
    }

    /// An answer as ``JournalQueries`` makes it, with the errors of this request: the same bytes as
    /// ``answer(filesURL:errors:)`` gives for the same record.
    static func answer(_ stored: String, errors: [String]) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data(stored.utf8))
        guard var answer = json as? [String: Any] else { return stored }
        if !errors.isEmpty { answer["errors"] = errors }
        return try text(answer)
    }

    private static func text(_ answer: [String: Any]) throws -> String {
        let json = try JSONSerialization.data(
            withJSONObject: answer, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: json, as: UTF8.self)
    }

    /// The members of one kind of record.
    private func members(_ filesURL: String) -> [String: Any?] {
        let fields = entry.fields
        switch entry.kind {
        case .mood:
            let voiceNote = entry.files.first { $0.role == .voiceNote }
            return [
                "mood": fields.mood, "note": fields.note, "reason": fields.reason,
                "interests": fields.interests, "moodIntensity": fields.moodIntensity,
                "voiceNote": voiceNote.map { filesURL + $0.id },
                "voiceNoteDuration": entry.voiceNoteDuration,
            ]
        case .keepsake:
            return [
                "title": fields.title, "description": fields.description,
                "location": fields.location,
            ]
        case .calendarEntry:
            return [
                "title": fields.title, "description": fields.description,
                "location": fields.location, "date": fields.date?.text,
            ]
        case .upload, .profilePicture:
            preconditionFailure("BUG: \(entry.kind) has no record")
        }
    }

    private func uploaded(_ file: JournalUpload, url: String) -> [String: Any] {
        let fields = entry.fields
        let members: [String: Any?] = [
            "url": url, "appUrl": url, "key": file.id, "category": fields.category,
            "title": fields.title, "description": fields.description, "tags": fields.tags,
            "groupId": groupID, "createdAt": createdAt,
        ]
        return Self.object(members.merging(Self.facts(of: file)) { $1 })
    }

    private static func facts(of file: JournalUpload) -> [String: Any?] {
        [
            "fileId": file.id, "name": file.name, "size": file.object.bytes,
            "type": file.type.rawValue, "width": file.facts.width, "height": file.facts.height,
            "duration": file.facts.duration,
        ]
    }

    /// nil becomes null.
    private static func object(_ members: [String: Any?]) -> [String: Any] {
        members.mapValues { $0 ?? NSNull() }
    }
}
