import Foundation

extension ScriptedServer.Answer {
    /// An answer of the model, in the service's envelope.
    package static func model(_ text: String, reason: String = "STOP") -> Self {
        .json(ModelAnswer.wrapped(text, reason: reason))
    }
}

/// The answer to `generateContent`.
package enum ModelAnswer {
    /// An answer with one candidate with this text.
    package static func wrapped(_ text: String, reason: String = "STOP") -> String {
        let quoted = (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) }
        return #"{"candidates":[{"content":{"role":"model","parts":[{"text":\#(quoted ?? "")}]},"#
            + #""finishReason":"\#(reason)","index":0}],"usageMetadata":{"totalTokenCount":9}}"#
    }
}
