public import Instruments

extension Sample {
    /// Takes the values from a registry's figures; missing ones stay zero.
    ///
    /// The caller sets time, condition, host and devices.
    public init(_ figures: MetricFigures) {
        self.init()
        version = figures["sluice_build_info"].first?["version"] ?? ""
        totals = Totals(figures)
        acknowledgement = Self.distribution("sluice_acknowledgement_seconds", figures)
        queueWait = Self.distribution("sluice_queue_wait_seconds", figures)
        commit = Self.distribution("sluice_commit_seconds", figures)
        spoolSync = Self.distribution("sluice_spool_sync_seconds", figures)
        batchesSpooled = figures.sum(
            "sluice_http_requests_total", MetricLabel("route", "/ingest"),
            MetricLabel("status", "202"))
        groupReadings = Self.distribution("sluice_group_readings", figures)
        groupBatches = Self.distribution("sluice_group_batches", figures)
        retries = figures.sum("sluice_group_retries_total")
        splits = figures.sum("sluice_group_splits_total")
        lanes = Self.lanes(figures)
        lanesNotDirect = figures.sum("sluice_lanes_not_direct")
        laneBytesMax = figures.sum("sluice_lane_waiting_bytes_max")
        spool = SpoolSample(figures)
        for series in figures["sluice_quarantined_readings_total"] where series.value > 0 {
            quarantine[series["reason"] ?? "other", default: 0] += series.value
        }
        connections = ConnectionFigures(figures)
        routes = Self.routes(figures)
        jobs = JobSample(figures)
        process = ProcessSample(figures)
    }

    private static func distribution(
        _ name: String, _ figures: MetricFigures
    ) -> Distribution {
        figures.histogram(name).map(Distribution.init) ?? Distribution()
    }

    private static func lanes(_ figures: MetricFigures) -> [LaneSample] {
        var lanes: [Int: LaneSample] = [:]
        func each(_ name: String, _ field: WritableKeyPath<LaneSample, Double>) {
            for series in figures[name] {
                guard let number = series["lane"].flatMap({ Int($0) }) else { continue }
                lanes[number, default: LaneSample(lane: number)][keyPath: field] = series.value
            }
        }
        each("sluice_lane_waiting_batches", \.waitingBatches)
        each("sluice_lane_waiting_bytes", \.waitingBytes)
        each("sluice_lane_blocked", \.blocked)
        each("sluice_lane_batches_total", \.batches)
        each("sluice_lane_groups_total", \.groups)
        each("sluice_lane_wait_seconds_total", \.waitSeconds)
        each("sluice_lane_stay_seconds_total", \.staySeconds)
        each("sluice_lane_busy_seconds_total", \.busySeconds)
        let steps: [String: WritableKeyPath<LaneSample, Double>] = [
            "claim": \.claimSeconds, "sift": \.siftSeconds, "copy": \.copySeconds,
            "commit": \.commitSeconds,
        ]
        for series in figures["sluice_lane_step_seconds_total"] {
            guard let number = series["lane"].flatMap({ Int($0) }),
                let field = series["step"].flatMap({ steps[$0] })
            else { continue }
            lanes[number]?[keyPath: field] = series.value
        }
        for series in figures["sluice_lane_up"] {
            guard let number = series["lane"].flatMap({ Int($0) }) else { continue }
            lanes[number]?.isUp = series.value > 0
        }
        return lanes.values.sorted { $0.lane < $1.lane }
    }

    private static func routes(_ figures: MetricFigures) -> [String: RouteSample] {
        var routes: [String: RouteSample] = [:]
        for series in figures["sluice_http_requests_total"] where series.value > 0 {
            guard let route = series["route"], route != "/ingest" else { continue }
            routes[route, default: RouteSample()].requests += series.value
            if series["status"]?.hasPrefix("5") == true {
                routes[route]?.failures += series.value
            }
        }
        for series in figures["sluice_http_request_seconds"] {
            guard let route = series["route"], let histogram = series.histogram else { continue }
            routes[route]?.times.add(Distribution(histogram))
        }
        return routes
    }
}

extension Totals {
    fileprivate init(_ figures: MetricFigures) {
        self.init()
        for series in figures["sluice_http_requests_total"] where series["route"] == "/ingest" {
            requests += series.value
            if series["status"]?.hasPrefix("2") != true { requestsRefused += series.value }
        }
        receivedBytes = figures.sum("sluice_http_received_bytes_total")
        readings = figures.sum("sluice_readings_received_total")
        func outcome(_ name: String) -> Double {
            figures.sum("sluice_readings_total", MetricLabel("outcome", name))
        }
        stored = outcome("stored")
        duplicates = outcome("duplicate")
        quarantined = outcome("quarantined")
        spooled = outcome("spooled")
        refused = outcome("refused")
        commits = figures.sum("sluice_lane_groups_total")
        tupleBytes = figures.sum("sluice_tuple_bytes_total")
        units = figures.sum("sluice_units_total", MetricLabel("outcome", "recorded"))
    }
}

extension SpoolSample {
    /// nil: there is no spool.
    fileprivate init?(_ figures: MetricFigures) {
        guard let bytes = figures.value("sluice_spool_bytes") else { return nil }
        self.init()
        self.bytes = bytes
        bytesMax = figures.sum("sluice_spool_bytes_max")
        segments = figures.sum("sluice_spool_segments")
        waitingReadings = figures.sum("sluice_spool_waiting_readings")
        waitingUnits = figures.sum("sluice_spool_waiting_units")
        written = figures.sum("sluice_spool_written_readings_total")
        replayed = figures.sum("sluice_spool_replayed_readings_total")
        setAsideReadings = figures.sum("sluice_spool_set_aside_readings_total")
        failures = figures.sum("sluice_spool_failures_total")
        refused = figures.sum("sluice_spool_refused_total")
    }
}

extension JobSample {
    fileprivate init(_ figures: MetricFigures) {
        self.init()
        running = figures.sum("sluice_jobs_running")
        waiting = figures.sum("sluice_jobs", MetricLabel("state", "waiting"))
        dead = figures.sum("sluice_jobs", MetricLabel("state", "dead"))
        for series in figures["sluice_job_runs_total"] where series.value > 0 {
            guard let kind = series["kind"] else { continue }
            kinds[kind, default: Kind()].runs += series.value
            if series["ending"] == "failed" || series["ending"] == "dead" {
                kinds[kind]?.failures += series.value
            }
        }
        for series in figures["sluice_job_run_seconds"] {
            guard let kind = series["kind"] else { continue }
            kinds[kind]?.seconds = series.value
        }
    }
}

extension ProcessSample {
    fileprivate init(_ figures: MetricFigures) {
        self.init()
        cpuSeconds = figures.sum("process_cpu_seconds_total")
        loopSeconds = figures.sum("sluice_event_loop_cpu_seconds_total")
        loops = figures.sum("sluice_event_loops")
        residentBytes = figures.sum("process_resident_memory_bytes")
    }
}
