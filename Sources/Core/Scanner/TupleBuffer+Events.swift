/// Event tuples: `(device_key int8, t timestamptz, label text, val_text text NULL,
/// metadata jsonb NULL)`.
extension TupleBuffer {
    /// Appends an event whose texts have no escapes, copied directly from the input, without
    /// metadata.
    @inline(always)
    mutating func appendEvent(
        key: Int64, time: Int64, window: Window, label: Range<Int>, valueText: Range<Int>?
    ) {
        let place = reserve(Self.startBytes + 12 + label.count + (valueText?.count ?? 0))
        Self.putStart(place, fields: 5, key: key, time: time)
        var offset = Self.startBytes
        Self.put32(place, offset, UInt32(truncatingIfNeeded: label.count))
        (place + offset + 4).copyMemory(
            from: window.base + label.lowerBound, byteCount: label.count)
        offset &+= 4 &+ label.count
        if let valueText {
            Self.put32(place, offset, UInt32(truncatingIfNeeded: valueText.count))
            (place + offset + 4).copyMemory(
                from: window.base + valueText.lowerBound, byteCount: valueText.count)
            offset &+= 4 &+ valueText.count
        } else {
            Self.put32(place, offset, UInt32.max)
            offset &+= 4
        }
        Self.put32(place, offset, UInt32.max)
        count &+= offset &+ 4
    }

    /// Appends an event whose texts may have escapes, with flat metadata if there is any.
    ///
    /// - Returns: false when a text is too long once it is unescaped, or PostgreSQL can't hold it;
    ///   nothing is appended then.
    @inline(never)
    mutating func appendRichEvent(
        key: Int64, time: Int64, window: Window, label: Range<Int>, valueText: Range<Int>?,
        hasMetadata: Bool, metadata: borrowing FlatObject, labelBytesMax: Int,
        valueTextBytesMax: Int
    ) -> Bool {
        // Unescaping never makes a text longer.
        let texts = label.count + (valueText?.count ?? 0)
        let metadataBytes = hasMetadata ? 1 + metadata.textBytes : 0
        let place = reserve(Self.startBytes + 12 + texts + metadataBytes)
        Self.putStart(place, fields: 5, key: key, time: time)
        var offset = Self.startBytes

        guard let labelBytes = window.unescape(label, to: place + offset + 4),
            labelBytes <= labelBytesMax
        else { return false }
        Self.put32(place, offset, UInt32(labelBytes))
        offset += 4 + labelBytes

        if let valueText {
            guard let textBytes = window.unescape(valueText, to: place + offset + 4),
                textBytes <= valueTextBytesMax
            else { return false }
            Self.put32(place, offset, UInt32(textBytes))
            offset += 4 + textBytes
        } else {
            Self.put32(place, offset, UInt32.max)
            offset += 4
        }

        if hasMetadata {
            Self.put32(place, offset, UInt32(metadataBytes))
            // The binary form of jsonb is a version byte, 1, and its text.
            place.storeBytes(of: 1, toByteOffset: offset + 4, as: UInt8.self)
            metadata.write(to: place + offset + 5, from: window)
            offset += 4 + metadataBytes
        } else {
            Self.put32(place, offset, UInt32.max)
            offset += 4
        }
        count += offset
        return true
    }
}
