/// The file that an upload is written to, and two buffers in front of it, one being filled while a
/// disk thread writes the other: what all stores' writers do until the last byte came.
///
/// `@unchecked Sendable`: one task uses it at a time; a disk thread has the file and a buffer only
/// from `writing` being set to its value being there.
final class StagedUpload: @unchecked Sendable {
    private let disk: DiskThreads
    private var file: UploadFile?
    private var filling = UploadBuffer()
    /// The buffer that is written or, before the first write, will be filled next.
    private var other = UploadBuffer()
    private var writing: DiskWork<Void>?
    private var beginning: [UInt8] = []
    private(set) var bytes = 0
    private(set) var type: MediaType?

    init(_ file: UploadFile, disk: DiskThreads) {
        self.file = file
        self.disk = disk
    }

    // A write may be under way, and keep the file; its name goes now.
    deinit { file?.discard() }

    func write(_ piece: RawSpan) async throws(MediaStoreError) {
        guard file != nil else { throw .ended }
        if beginning.count < MediaType.contentBytesMax { keepBeginning(of: piece) }
        var place = 0
        while place < piece.byteCount {
            place += filling.take(piece.extracting(droppingFirst: place))
            if filling.isFull { try await flush() }
        }
        bytes += piece.byteCount
    }

    /// Writes the last bytes; none may follow.
    ///
    /// - Returns: the file with all of them, not synced.
    func complete() async throws(MediaStoreError) -> UploadFile {
        try await flush()
        try await settle()
        guard let file else { throw .ended }
        type = MediaType(content: beginning)
        release()
        return file
    }

    /// Lets go of the file, whose name, if it still has one, goes with its last reference.
    ///
    /// - Returns: the file, with which no thread is busy any more.
    @discardableResult
    func end() async -> UploadFile? {
        let file = file
        self.file = nil
        if let writing {
            self.writing = nil
            try? await writing.value()
        }
        release()
        return file
    }

    /// Waits for the write before, and begins that of the buffer that was filled.
    private func flush() async throws(MediaStoreError) {
        try await settle()
        guard let file else { throw .ended }
        guard !filling.bytes.isEmpty else { return }
        swap(&filling, &other)
        let full = other
        writing = disk.start { () throws(MediaStoreError) in
            try file.append(full.bytes)
            full.empty()
        }
    }

    private func settle() async throws(MediaStoreError) {
        guard let writing else { return }
        self.writing = nil
        do throws(MediaStoreError) {
            try await writing.value()
        } catch {
            await end()
            throw error
        }
    }

    private func keepBeginning(of piece: RawSpan) {
        let count = min(piece.byteCount, MediaType.contentBytesMax - beginning.count)
        piece.extracting(first: count).withUnsafeBytes { beginning.append(contentsOf: $0) }
        if beginning.count == MediaType.contentBytesMax { type = MediaType(content: beginning) }
    }

    private func release() {
        filling = UploadBuffer()
        other = UploadBuffer()
    }
}
