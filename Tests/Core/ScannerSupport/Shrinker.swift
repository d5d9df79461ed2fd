/// Makes a failing body as small as possible by deleting parts of it.
public enum Shrinker {
    /// - Parameter fails: whether a body still shows the failure; called at most `triesMax` times.
    public static func shrunk(
        _ body: [UInt8], triesMax: Int = 5000, while fails: ([UInt8]) -> Bool
    ) -> [UInt8] {
        var body = body
        var tries = 0
        var length = max(1, body.count / 2)
        while true {
            var removedAny = false
            var start = 0
            while start < body.count, tries < triesMax {
                tries += 1
                var shorter = body
                shorter.removeSubrange(start..<min(body.count, start + length))
                if fails(shorter) {
                    body = shorter
                    removedAny = true
                } else {
                    start += length
                }
            }
            if tries >= triesMax || (length == 1 && !removedAny) { return body }
            length = max(1, length / 2)
        }
    }
}
