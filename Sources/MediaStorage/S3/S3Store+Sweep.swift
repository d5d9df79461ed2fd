import NIOHTTP1

extension S3Store {
    /// One page of the bucket's own list, of which the young ones are left out: it may be empty and
    /// not the last.
    public func oldObjects(
        after object: ObjectName?, limit: Int
    ) async throws(MediaStoreError) -> ObjectPage {
        precondition(limit > 0, "BUG: limit=\(limit)")
        var query = [
            ("list-type", "2"), ("prefix", "\(client.bucket.prefix)objects/"),
            ("max-keys", String(min(limit, 1000))),
        ]
        if let object { query.append(("start-after", key(object))) }
        let (head, text) = try await client.text(S3Request(query: query))
        let now = Self.now(head)
        var found: [ObjectName] = []
        var last: ObjectName?
        let list = XMLText(text)
        for entry in list.elements("Contents") {
            guard let key = entry.first("Key"), let name = self.object(key: key) else { continue }
            last = name
            guard let time = entry.first("LastModified"),
                let seconds = SigningTime.seconds(iso8601: time), isOld(now - seconds)
            else { continue }
            found.append(name)
        }
        return ObjectPage(objects: found, next: list.first("IsTruncated") == "true" ? last : nil)
    }

    /// Drops unfinished uploads of parts that began before the grace time.
    public func removeLeftovers() async throws(MediaStoreError) -> Int {
        var removed = 0
        var marker: (key: String, id: String)?
        repeat {
            var query = [("uploads", ""), ("prefix", "\(client.bucket.prefix)objects/")]
            if let marker {
                query += [("key-marker", marker.key), ("upload-id-marker", marker.id)]
            }
            let (head, text) = try await client.text(S3Request(query: query))
            let now = Self.now(head)
            let list = XMLText(text)
            for upload in list.elements("Upload") {
                guard let key = upload.first("Key"), let id = upload.first("UploadId"),
                    let time = upload.first("Initiated"),
                    let seconds = SigningTime.seconds(iso8601: time), isOld(now - seconds)
                else { continue }
                try await drop(key: key, upload: id)
                removed += 1
            }
            marker = nil
            if list.first("IsTruncated") == "true", let key = list.first("NextKeyMarker"),
                let id = list.first("NextUploadIdMarker")
            {
                marker = (key, id)
            }
        } while marker != nil
        return removed
    }

    /// Forgets the parts of an upload.
    func drop(key: String, upload: String) async throws(MediaStoreError) {
        _ = try await client.answer(
            to: S3Request(method: .DELETE, key: key, query: [("uploadId", upload)]))
    }
}
