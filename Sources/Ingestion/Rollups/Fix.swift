import Glibc

/// A position and its time, as far as distances ask.
package struct Fix: Equatable, Comparable {
    /// Microseconds since 2000.
    package var time: Int64
    /// Degrees.
    package var latitude: Double
    package var longitude: Double

    package init(time: Int64, latitude: Double, longitude: Double) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
    }

    /// By time; several of one time as `sluice.track_parts` has them.
    package static func < (left: Fix, right: Fix) -> Bool {
        (left.time, left.latitude, left.longitude)
            < (right.time, right.latitude, right.longitude)
    }

    /// The same as `sluice.metres_between`.
    ///
    /// - Source: haversine formula; the earth's mean radius is R1 of IUGG, 6371.0088 km.
    func metres(to other: Fix) -> Double {
        if latitude == other.latitude, longitude == other.longitude { return 0 }
        let radians = Double.pi / 180
        let sineLatitude = sin((other.latitude - latitude) * radians / 2)
        let sineLongitude = sin((other.longitude - longitude) * radians / 2)
        let square =
            sineLatitude * sineLatitude
            + cos(latitude * radians) * cos(other.latitude * radians)
            * sineLongitude * sineLongitude
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}
