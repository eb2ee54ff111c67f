package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.ServerFigures;
import dev.repartee.Service;
import dev.repartee.telemetry.AccessLog;
import dev.repartee.telemetry.CallMeters;
import dev.repartee.telemetry.Carrier;
import dev.repartee.telemetry.Conventions;
import dev.repartee.telemetry.ServerMetrics;
import dev.repartee.telemetry.Telemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;

/** The code of docs/telemetry.md and operation/telemetry/README.md. */
final class TelemetryTour {
  private TelemetryTour() {}

  static Options observed(OpenTelemetry openTelemetry, Options options) {
    return Telemetry.of(openTelemetry).instrument(options);
  }

  static int trace(OpenTelemetry openTelemetry, Service service) throws Exception {
    Telemetry telemetry = Telemetry.of(openTelemetry);
    Options options = telemetry.instrument(Options.DEFAULT);
    Server server = Repartee.listen("http://127.0.0.1:0/", service, options);
    Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, options);
    try (server;
        peer) {
      return peer.call("add", int.class, 1, 2);
    }
  }

  static Telemetry inParams(OpenTelemetry openTelemetry) {
    Telemetry telemetry = Telemetry.builder(openTelemetry)
        .carriers(Carrier.HEADERS, Carrier.MEMBERS)
        .build();
    return telemetry;
  }

  static Telemetry mcp(OpenTelemetry openTelemetry) {
    Telemetry telemetry =
        Telemetry.builder(openTelemetry).conventions(Conventions.MCP).build();
    return telemetry;
  }

  static void observe(Telemetry telemetry, Server server) throws Exception {
    ServerMetrics metrics = telemetry.observe(server);
    server.join();
    metrics.close();
  }

  static String measure(MeterRegistry registry, Service service) throws Exception {
    CallMeters meters = CallMeters.of(registry);
    Server server =
        Repartee.listen("tcp://127.0.0.1:0", service, meters.instrument(Options.DEFAULT));
    ServerMetrics metrics = meters.observe(server);
    try (server;
        metrics;
        Peer peer = Repartee.connect(server.endpoint())) {
      peer.call("add", int.class, 1, 2);
      ServerFigures now = server.figures();
      String summary =
          now.open() + " connections, " + now.running() + " calls, refused " + now.refused();
      return summary;
    }
  }

  static long log(Path file, Service service) throws Exception {
    AccessLog log = AccessLog.to(file).json().sample(0.1).build();
    Server server = Repartee.listen("tcp://127.0.0.1:0", service, log.instrument(Options.DEFAULT));
    try (server;
        log) {
      return log.lost();
    }
  }
}
