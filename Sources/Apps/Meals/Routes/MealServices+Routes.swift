public import HTTP
public import Ingest

extension MealServices {
    /// The routes of meal logs, also of their sockets.
    ///
    /// - Parameter sink: gets new logs.
    public func routes(_ sink: any BatchSink, _ sockets: MealSockets) -> RouteGroup {
        RouteGroup(
            MealRoutes(self, sink).routes + [ConsultationRoutes(self).route] + sockets.routes
                + FoodRoutes(self).routes, envelope: .meals, others: ["/api/v1/**"],
            othersLabel: "other meals", explain: RequestFailure.ofMeals)
    }
}
