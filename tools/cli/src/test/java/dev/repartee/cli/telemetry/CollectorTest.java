package dev.repartee.cli.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The decision whether and where to export. */
class CollectorTest {
  private static @Nullable Collector of(@Nullable String option, String... environment) {
    Map<String, String> variables =
        environment.length == 0 ? Map.of() : Map.of(environment[0], environment[1]);
    return Collector.of(option, variables::get);
  }

  @Test
  void nothingIsExportedWithoutAnOptionOrAVariable() {
    assertThat(of(null)).isNull();
    assertThat(of(null, "OTEL_SERVICE_NAME", "shop")).isNull();
    assertThat(of(null, "OTEL_EXPORTER_OTLP_ENDPOINT", " ")).isNull();
    assertThat(of(null, "OTEL_TRACES_EXPORTER", "none")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_ENDPOINT, http://127.0.0.1:4318",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, http://127.0.0.1:4318/v1/traces",
    "OTEL_TRACES_EXPORTER, otlp",
    "OTEL_METRICS_EXPORTER, otlp"
  })
  void aVariableOfOpenTelemetryNamesACollector(String variable, String value) {
    assertThat(of(null, variable, value)).isEqualTo(new Collector(null));
  }

  @Test
  void aDisabledSdkExportsNothing() {
    Map<String, String> variables =
        Map.of("OTEL_SDK_DISABLED", "TRUE", "OTEL_TRACES_EXPORTER", "otlp");
    assertThat(Collector.of(null, variables::get)).isNull();
  }

  @Test
  void theOptionHasPrecedenceOverTheVariables() {
    Collector collector = of("http://127.0.0.1:4318/in", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    assertThat(collector).isNotNull();
    assertThat(collector.properties())
        .containsEntry("otel.exporter.otlp.traces.endpoint", "http://127.0.0.1:4318/in/v1/traces")
        .containsEntry("otel.exporter.otlp.metrics.endpoint", "http://127.0.0.1:4318/in/v1/metrics")
        .containsEntry("otel.exporter.otlp.traces.protocol", "http/protobuf");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_TRACES_EXPORTER, zipkin, otlp and none",
    "OTEL_METRICS_EXPORTER, prometheus, --metrics http://127.0.0.1:9464/metrics",
  })
  void anotherExporterIsRefused(String variable, String value, String remedy) {
    assertThatThrownBy(() -> of(null, variable, value))
        .hasMessageContaining(variable + "=" + value)
        .hasMessageContaining(remedy);
  }

  @Test
  void anotherProtocolIsRefused() {
    Map<String, String> variables =
        Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_TRACES_EXPORTER", "otlp");
    assertThatThrownBy(() -> Collector.of(null, variables::get))
        .hasMessageContaining("http/protobuf")
        .hasMessageContaining("4318");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:4318",
        "grpc://127.0.0.1:4317",
        "http:4318",
        "http://127.0.0.1:4318/?key=1",
        "http://[::1"
      })
  void aCollectorHasAUrlOfHttp(String url) {
    assertThatThrownBy(() -> of(url))
        .hasMessageStartingWith("--otlp: '")
        .hasMessageEndingWith("example: --otlp http://127.0.0.1:4318");
  }

  @Test
  void aPasswordInTheUrlIsRefusedAndNotShown() {
    assertThatThrownBy(() -> of("https://ada:secret@collector.example:4318"))
        .hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS")
        .message()
        .doesNotContain("secret");
  }
}
