public import HTTP
import HTTPTypes
public import Ingest
public import Server

/// The routes of all formats.
public struct RunningFormats: RunningApp {
    private let instruments: FormatInstruments

    /// - Parameter instruments: registered once.
    public init(_ instruments: FormatInstruments) {
        self.instruments = instruments
    }

    /// See `RunningApp`.
    public func routes(_ sink: any BatchSink) -> [RouteGroup] { [group] }

    var group: RouteGroup {
        let (traccar, gpsLogger) = (Traccar.client, Traccar.gpsLogger)
        var routes = Self.routes("overland", [.post], Overland.format, in: Overland.envelope)
        routes += Self.routes("owntracks", [.post], OwnTracks(ignored: instruments.ignored).format)
        routes += Self.routes(traccar.name, [.get, .post], traccar.format)
        routes += Self.routes(gpsLogger.name, [.get, .post, .put], gpsLogger.format)
        routes += Self.routes("health", [.post], HealthAutoExport.format)
        routes += Self.routes(.metrics)
        routes += Self.routes(.logs)
        return RouteGroup(
            routes, envelope: .detail, others: ["/in/**"], othersLabel: "other formats")
    }

    /// Exporters add the end of the path to what they are given.
    private static func routes(_ signal: OTLP.Signal) -> [Route] {
        ["/in/otlp", "/in/otlp/{key}"].map { path in
            Route.input(
                .post, "\(path)/v1/\(signal.rawValue)", label: "/in/otlp/\(signal.rawValue)",
                in: OTLP.envelope, OTLP.format(signal))
        }
    }

    private static func routes(
        _ name: String, _ methods: [HTTPRequest.Method], _ format: InputFormat,
        in envelope: ErrorEnvelope? = nil
    ) -> [Route] {
        ["/in/\(name)", "/in/\(name)/{key}"].flatMap { path in
            methods.map { Route.input($0, path, label: "/in/\(name)", in: envelope, format) }
        }
    }
}
