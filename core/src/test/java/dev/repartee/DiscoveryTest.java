package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The OpenRPC document that a service returns for {@code rpc.discover}. */
class DiscoveryTest {
  /** A method that takes any value. */
  public static final class Printer {
    /** Formats. */
    @Rpc(description = "Formats a text")
    public String format(String format, int... values) {
      return format;
    }
  }

  private static Json method(Service service, String name) {
    Json document = Builtins.Discovery.document(service);
    return Objects.requireNonNull(document.get("methods")).elements().stream()
        .filter(method -> Json.of(name).equals(method.get("name")))
        .findAny()
        .orElseThrow();
  }

  @Test
  void aVariadicParameterIsMarked() {
    assertThat(method(Service.of(new Printer()), "format"))
        .hasToString("{\"name\":\"format\",\"description\":\"Formats a text\",\"params\":["
            + "{\"name\":\"format\",\"required\":true,\"schema\":{\"type\":\"string\"}},"
            + "{\"name\":\"values\",\"required\":false,\"x-variadic\":true,\"schema\":"
            + Json.schemaOf(int[].class)
            + "}],\"result\":{\"name\":\"result\",\"schema\":{\"type\":\"string\"}}}");
  }

  @Test
  void theParamsOfAHandlerAreReportedAsUnknown() {
    Service service = Service.builder().method("any", Call::params).build();
    assertThat(method(service, "any").get("x-params-unknown")).isEqualTo(Json.TRUE);
    assertThat(method(service, "any").get("params")).isEqualTo(Json.EMPTY_ARRAY);
    assertThat(method(Service.of(new Printer()), "format").get("x-params-unknown"))
        .isNull();
  }

  @Test
  void aServiceStatesItsTitleAndVersion() {
    Service printer = Service.of(new Printer());
    assertThat(info(printer)).isEqualTo("{\"title\":\"Printer\",\"version\":\"unknown\"}");
    Service described =
        printer.described("Printers", "1.2").and(Service.builder().build());
    assertThat(info(described)).isEqualTo("{\"title\":\"Printers\",\"version\":\"1.2\"}");
  }

  private static String info(Service service) {
    return String.valueOf(Builtins.Discovery.document(service).get("info"));
  }

  @Test
  void aMethodWithoutParameterNamesIsCalledByPosition() {
    Service math = Service.ofAny(Math.class, null, (name, why) -> {});
    assertThat(method(math, "hypot").get("paramStructure")).isEqualTo(Json.of("by-position"));
    assertThat(method(math, "random").get("paramStructure")).isNull();
  }
}
