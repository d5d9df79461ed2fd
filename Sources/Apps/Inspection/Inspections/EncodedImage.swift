/// A picture as a file.
package struct EncodedImage: Sendable, Equatable {
    package let type: MediaType
    package let bytes: [UInt8]

    package init(type: MediaType, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}
