import NIOCore
import NIOHTTP1

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A piece of a file that is to be sent as it is, straight from the file to the socket: told to a
/// connection's handlers instead of the bytes, behind the head of the answer and before its end.
///
/// ``IngestHandler`` takes it where nothing is encrypted or cut into frames on the way; elsewhere its
/// promise fails with ``NotHere`` and the bytes have to be sent the usual way.
struct FileOnWire: Sendable {
    /// Files can't be sent so on this connection; nothing was sent.
    struct NotHere: Error {}

    /// Bytes below which reading them is as cheap.
    static let bytesMin = 8 * 1024

    let region: FileRegion

    /// Sends a piece of an open file and returns when the kernel has all of it.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's.
    ///   - range: within the file; not empty.
    /// - Returns: false where that can't be done, and then nothing was sent.
    static func send(
        _ range: Range<Int>, of descriptor: CInt, to channel: any Channel
    ) async throws -> Bool {
        let copy = dup(descriptor)
        guard copy >= 0 else { return false }
        let file = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: copy)
        defer { try? file.close() }
        let region = FileRegion(
            fileHandle: file, readerIndex: range.lowerBound, endIndex: range.upperBound)
        do {
            try await channel.triggerUserOutboundEvent(FileOnWire(region: region)).get()
            return true
        } catch is NotHere {
            return false
        } catch ChannelError.operationUnsupported {
            // No handler knew what that is.
            return false
        }
    }
}

extension IngestHandler {
    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        if let diversion = event as? BodyDiversion {
            divert(diversion, promise)
            return
        }
        if event is AskedBody.Asked {
            giveLeave()
            promise?.succeed()
            return
        }
        guard let file = event as? FileOnWire else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        guard !wire.isStream, fate?.isSecure == false else {
            promise?.fail(FileOnWire.NotHere())
            return
        }
        guard machine.phase == .forwarding else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(file.region))), promise: promise)
    }
}
