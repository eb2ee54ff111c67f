package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

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
  void aMethodWithoutParameterNamesIsCalledByPosition() {
    Service math = Service.ofAny(Math.class, null, (name, why) -> {});
    assertThat(method(math, "hypot").get("paramStructure")).isEqualTo(Json.of("by-position"));
    assertThat(method(math, "random").get("paramStructure")).isNull();
  }
}
