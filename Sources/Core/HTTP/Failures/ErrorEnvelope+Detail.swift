import JSONText

extension ErrorEnvelope {
    /// `{"detail":…}`: telemetry, and paths of no system. With the place of a fault it is
    /// `{"detail":…,"offset":7}`, or the form in which a FastAPI server reports a wrong member,
    /// which the clients in the field know:
    /// `{"detail":[{"loc":["body","metadata","device_id"],"msg":"Field required","type":"missing"}]}`.
    public static let detail = ErrorEnvelope { problem in
        let sentence = JSONString.quoted(problem.sentence)
        switch problem.place {
        case nil:
            return "{\"detail\":\(sentence)}"
        case .offset(let offset):
            return "{\"detail\":\(sentence),\"offset\":\(offset)}"
        case .member(let path, let index, let type):
            var location = ["\"body\""] + path.map(JSONString.quoted)
            if let index { location.append("\(index)") }
            return "{\"detail\":[{\"loc\":[\(location.joined(separator: ","))],\"msg\":\(sentence),"
                + "\"type\":\(JSONString.quoted(type))}]}"
        }
    }
}
