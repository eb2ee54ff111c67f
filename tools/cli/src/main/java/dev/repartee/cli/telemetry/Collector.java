package dev.repartee.cli.telemetry;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.transport.Endpoint;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The collector that an option or the environment names. Needs no class of OpenTelemetry: it
 * decides whether they are loaded.
 *
 * @param url the base of the URLs; null if the variables of the environment apply
 */
record Collector(@Nullable String url) {
  private static final String EXAMPLE = "; example: --otlp http://127.0.0.1:4318";

  /** The variables that name a collector. */
  private static final List<String> ENDPOINTS = List.of(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");

  /** The variables that choose an exporter, by the signal. */
  private static final List<String> EXPORTERS =
      List.of("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER");

  /** The variables that choose the protocol. */
  private static final List<String> PROTOCOLS = List.of(
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
      "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL");

  /** The protocol of the exporters of this command. */
  private static final String PROTOCOL = "http/protobuf";

  /**
   * Returns the collector, or null if there is none.
   *
   * @param option the value of {@code --otlp}
   * @param environment returns the value of a variable, or null
   * @throws Failure if the option is no URL of a collector, or a variable names an exporter or a
   *     protocol that the command does not have
   */
  static @Nullable Collector of(
      @Nullable String option, Function<String, @Nullable String> environment) {
    boolean off = value("OTEL_SDK_DISABLED", environment).equalsIgnoreCase("true");
    if (option == null && (off || !isNamed(environment))) {
      return null;
    }
    for (String variable : EXPORTERS) {
      String exporter = value(variable, environment);
      if (!List.of("", "none", "otlp").contains(exporter)) {
        throw Failure.usage(variable + "=" + exporter + ": this command has the exporters otlp and"
            + " none"
            + (exporter.equals("prometheus")
                ? "; --metrics http://127.0.0.1:9464/metrics serves metrics for Prometheus"
                : ""));
      }
    }
    if (option != null) {
      return new Collector(checked(option));
    }
    for (String variable : PROTOCOLS) {
      String protocol = value(variable, environment);
      if (!List.of("", PROTOCOL).contains(protocol)) {
        throw Failure.usage(variable + "=" + protocol + ": this command has the protocol "
            + PROTOCOL + ", which collectors accept at port 4318");
      }
    }
    return new Collector(null);
  }

  private static boolean isNamed(Function<String, @Nullable String> environment) {
    return ENDPOINTS.stream().anyMatch(variable -> !value(variable, environment).isEmpty())
        || EXPORTERS.stream()
            .anyMatch(variable -> !List.of("", "none").contains(value(variable, environment)));
  }

  private static String value(String variable, Function<String, @Nullable String> environment) {
    String value = environment.apply(variable);
    return value == null ? "" : value.strip();
  }

  private static String checked(String url) {
    try {
      URI uri = new URI(url);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (!List.of("http", "https").contains(scheme) || uri.getHost() == null) {
        throw fault(url, "is no URL of HTTP");
      }
      if (uri.getRawUserInfo() != null) {
        throw fault(
            url,
            "has a password, which other users of this machine could read; use the"
                + " variable OTEL_EXPORTER_OTLP_HEADERS");
      }
      if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
        throw fault(url, "is the base of two URLs, and has no query or fragment");
      }
    } catch (URISyntaxException e) {
      throw fault(url, "is no URL");
    }
    return url;
  }

  private static Failure fault(String url, String what) {
    return Failure.usage("--otlp: '" + Endpoint.shown(url) + "' " + what + EXAMPLE);
  }

  /** Returns the properties of the SDK that have precedence over the environment. */
  Map<String, String> properties() {
    String base = url;
    if (base == null) {
      return Map.of();
    }
    String slash = base.endsWith("/") ? "" : "/";
    Map<String, String> properties = new LinkedHashMap<>();
    for (String signal : List.of("traces", "metrics")) {
      properties.put("otel.exporter.otlp." + signal + ".protocol", PROTOCOL);
      properties.put("otel.exporter.otlp." + signal + ".endpoint", base + slash + "v1/" + signal);
    }
    return properties;
  }

  /** Returns the properties of the SDK that the environment may change. */
  static Map<String, String> defaults() {
    return Map.of(
        "otel.exporter.otlp.protocol",
        PROTOCOL,
        // Metrics of the exporters with the names of the semantic conventions.
        "otel.experimental.sdk.telemetry.version",
        "latest");
  }
}
