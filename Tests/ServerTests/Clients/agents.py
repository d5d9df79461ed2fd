"""Agents that install from PyPI, against a running server: agents.py SCENARIO URL KEY"""

import sys
import time

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

import logging

RESOURCE = Resource({"service.name": "pump", "host.name": "Pi-7", "enduser.id": "ann"})


class Watched(OTLPMetricExporter):
    """The exporter, which also remembers what became of its exports."""

    results = []

    def export(self, *arguments, **options):
        result = super().export(*arguments, **options)
        self.results.append(result)
        return result


def metrics(url, key):
    """A counter, a gauge and a histogram; two exports, and the one of the shutdown."""
    exporter = Watched(
        f"{url}/in/otlp/v1/metrics", headers={"Authorization": f"Bearer {key}"},
        compression=Compression.Gzip)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    provider = MeterProvider([reader], resource=RESOURCE)
    meter = provider.get_meter("agents")
    strokes = meter.create_counter("pump.strokes")
    pressure = meter.create_gauge("pump.pressure")
    latency = meter.create_histogram("pump.latency")
    for turn in range(2):
        strokes.add(3, {"side": "Left"})
        pressure.set(2.5 + turn)
        latency.record(0.25)
        assert provider.force_flush()
        time.sleep(0.01)
    assert Watched.results == [MetricExportResult.SUCCESS] * 2, Watched.results
    provider.shutdown()


def logs(url, key):
    """Two records, one with attributes."""
    provider = LoggerProvider(resource=RESOURCE)
    exporter = OTLPLogExporter(f"{url}/in/otlp/{key}/v1/logs", compression=Compression.Gzip)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    logger = logging.getLogger("agents")
    logger.setLevel(logging.INFO)
    logger.addHandler(LoggingHandler(logger_provider=provider))
    logger.info("valve opened", extra={"valve": 4})
    logger.warning("valve stuck")
    assert provider.force_flush()
    provider.shutdown()


def refused(url, key):
    """An export with a key that is none fails, with the server's sentence in the log."""
    seen = []

    class Seen(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())

    logging.getLogger("opentelemetry.exporter.otlp.proto.http.metric_exporter").addHandler(Seen())
    exporter = Watched(f"{url}/in/otlp/v1/metrics", headers={"X-API-Key": "wrong"})
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    provider = MeterProvider([reader], resource=RESOURCE)
    provider.get_meter("agents").create_gauge("g").set(1)
    provider.force_flush()
    assert Watched.results == [MetricExportResult.FAILURE], Watched.results
    assert any("401" in one for one in seen), seen


if __name__ == "__main__":
    {"metrics": metrics, "logs": logs, "refused": refused}[sys.argv[1]](*sys.argv[2:])
