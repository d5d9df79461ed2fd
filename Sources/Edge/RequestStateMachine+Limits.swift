import NIOCore

extension RequestStateMachine.Limits {
    init(_ configuration: EdgeConfiguration) {
        self.init(
            headTimeout: TimeAmount(configuration.headTimeout),
            idleTimeout: TimeAmount(configuration.idleTimeout),
            bodyTimeout: TimeAmount(configuration.bodyTimeout),
            bodyBytesPerSecondMin: configuration.bodyBytesPerSecondMin,
            acknowledgeWithin: TimeAmount(configuration.acknowledgeWithin),
            lingerTimeout: TimeAmount(configuration.lingerTimeout),
            keptRestBytesMax: configuration.keptRestBytesMax)
    }
}
