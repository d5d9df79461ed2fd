/// The file that an upload is written to, and the buffer in front of it: what all stores' writers do
/// until the last byte came.
///
/// `@unchecked Sendable`: one task uses it at a time, and a disk thread only while that task waits.
final class StagedUpload: @unchecked Sendable {
    private let disk: DiskThreads
    private var file: UploadFile?
    private var buffer = UploadBuffer()
    private(set) var bytes = 0
    private(set) var type: MediaType?

    init(_ file: UploadFile, disk: DiskThreads) {
        self.file = file
        self.disk = disk
    }

    func write(_ piece: RawSpan) async throws(MediaStoreError) {
        guard file != nil else { throw .ended }
        var place = 0
        while place < piece.byteCount {
            place += buffer.take(piece.extracting(droppingFirst: place))
            if buffer.isFull { try await flush() }
        }
        bytes += piece.byteCount
        if type == nil, buffer.beginning.count == MediaType.contentBytesMax {
            type = MediaType(content: buffer.beginning)
        }
    }

    /// Writes the last bytes; none may follow.
    ///
    /// - Returns: the file with all of them, not synced.
    func complete() async throws(MediaStoreError) -> UploadFile {
        try await flush()
        guard let file else { throw .ended }
        type = MediaType(content: buffer.beginning)
        buffer.release()
        return file
    }

    /// Lets go of the file, whose name, if it still has one, goes with its last reference.
    @discardableResult
    func end() -> UploadFile? {
        defer { file = nil }
        buffer.release()
        return file
    }

    private func flush() async throws(MediaStoreError) {
        guard let file else { throw .ended }
        guard !buffer.bytes.isEmpty else { return }
        do throws(MediaStoreError) {
            try await disk.run { () throws(MediaStoreError) in
                try file.append(self.buffer.bytes)
            }
            buffer.empty()
        } catch {
            end()
            throw error
        }
    }
}
