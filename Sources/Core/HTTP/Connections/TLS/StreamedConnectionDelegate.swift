import Logging
import NIOCore
import NIOHTTP2

/// Reports streams and written frames to a ``StreamedConnectionHandler``.
struct StreamedConnectionDelegate: NIOHTTP2StreamDelegate, NIOHTTP2FrameDelegate {
    private let handler: NIOLoopBound<StreamedConnectionHandler>

    init(_ handler: StreamedConnectionHandler, on eventLoop: any EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        handler.value.streamOpened(id)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        handler.value.streamClosed(id)
    }

    func wroteFrame(_ frame: HTTP2Frame) {
        handler.value.wrote(frame)
    }
}
