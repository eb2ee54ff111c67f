package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.Access;
import dev.repartee.json.Json;
import dev.repartee.stream.Streamed;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Stream;
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
    Json document = OpenRpcSchema.valid(new Discovery(service, false, Access.OPEN).document(null));
    return Objects.requireNonNull(document.get("methods")).elements().stream()
        .filter(method -> Json.of(name).equals(method.get("name")))
        .findAny()
        .orElseThrow();
  }

  @Test
  void aVariadicParameterIsMarked() {
    assertThat(method(Service.of(new Printer()), "format"))
        .hasToString("""
            {"name":"format","description":"Formats a text","params":[{"name":"format",\
            "required":true,"schema":{"type":"string"}},{"name":"values","required":false,\
            "x-variadic":true,"schema":%s}],"result":{"name":"result","schema":{"type":"string"}}}\
            """.formatted(Json.schemaOf(int[].class)));
  }

  /** Methods without a result. */
  public static final class Log {
    /** Is sent as a notification. */
    @Rpc(notification = true)
    public void append(String line) {}

    /** Is a request. */
    @Rpc
    public void clear() {}
  }

  @Test
  void aNotificationHasNoResult() {
    Service service = Service.of(new Log());
    assertThat(method(service, "append").get("result")).isNull();
    assertThat(method(service, "clear").get("result")).isNotNull();
    assertThat(method(service.in(Options.builder().build().types()), "append").get("result"))
        .isNull();
  }

  /** Streams in all forms. */
  public static final class Streams {
    public Stream<Integer> call() {
      return Stream.of();
    }

    @Streamed(subscription = "pushed", unsubscribe = "end")
    public Flow.Publisher<String> subscription() {
      return new SubmissionPublisher<>();
    }

    @Streamed(partialResults = true)
    public Iterator<Boolean> partial() {
      return List.<Boolean>of().iterator();
    }
  }

  @Test
  void aStreamIsDescribedByItsItems() {
    Service streams = Service.of(new Streams());
    assertThat(method(streams, "call"))
        .asString()
        .endsWith("\"result\":{\"name\":\"item\",\"schema\":" + Json.schemaOf(Integer.class)
            + "},\"x-stream\":{\"form\":\"call\"}}");
    assertThat(method(streams, "partial").get("x-stream"))
        .hasToString("{\"form\":\"partialResults\"}");
    assertThat(method(streams, "subscription").get("x-stream")).hasToString("""
        {"form":"subscription","notification":"pushed","unsubscribe":"end"}""");
    assertThat(method(Service.of(new Printer()), "format").get("x-stream")).isNull();
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
    return String.valueOf(
        new Discovery(service, false, Access.OPEN).document(null).get("info"));
  }

  @Test
  void aMethodWithoutParameterNamesIsCalledByPosition() {
    Service math = Service.ofAny(Math.class, null, (name, why) -> {});
    assertThat(method(math, "hypot").get("paramStructure")).isEqualTo(Json.of("by-position"));
    assertThat(method(math, "random").get("paramStructure")).isNull();
  }
}
