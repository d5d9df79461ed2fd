import NIOCore

/// The file that an upload is written to until its last byte came, and what its first bytes are: what
/// all stores' writers have in common.
///
/// `@unchecked Sendable`: one task uses it at a time; a disk thread has the file only while that
/// task waits for it.
final class StagedUpload: @unchecked Sendable {
    private let disk: DiskThreads
    private var file: UploadFile?
    private var beginning: [UInt8] = []
    private(set) var bytes = 0
    private(set) var type: MediaType?

    init(_ file: UploadFile, disk: DiskThreads) {
        self.file = file
        self.disk = disk
    }

    deinit { file?.discard() }

    func write(_ piece: ByteBuffer) async throws(MediaStoreError) {
        guard let file else { throw .ended }
        keepBeginning(of: piece)
        do throws(MediaStoreError) {
            try await disk.run { () throws(MediaStoreError) in try file.append(piece) }
        } catch {
            await end()
            throw error
        }
        bytes += piece.readableBytes
    }

    /// No bytes may follow.
    ///
    /// - Returns: the file with all of them, not synced.
    func complete() throws(MediaStoreError) -> UploadFile {
        guard let file else { throw .ended }
        type = MediaType(content: beginning)
        return file
    }

    /// Lends the file, with all that was written, to `body` on a disk thread.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let file = try complete()
        return try await disk.run { () throws(MediaStoreError) in try body(StagedMedia(file)) }
    }

    /// Lets go of the file, whose name, if it still has one, goes now. Does nothing the second time.
    func end() async {
        guard let file else { return }
        self.file = nil
        // Its last reference closes it, which may take as long as removing it.
        try? await disk.run { () throws(MediaStoreError) in file.discard() }
    }

    private func keepBeginning(of piece: ByteBuffer) {
        let missing = MediaType.contentBytesMax - beginning.count
        guard missing > 0 else { return }
        beginning.append(contentsOf: piece.readableBytesView.prefix(missing))
        if beginning.count == MediaType.contentBytesMax { type = MediaType(content: beginning) }
    }
}
