package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.*;
import dev.repartee.acp.handlers.RemoteAgent;
import dev.repartee.acp.handlers.RemoteClient;
import dev.repartee.dap.handlers.DebugAdapter;
import dev.repartee.dap.handlers.DebugClient;
import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.LanguageClient;
import dev.repartee.lsp.handlers.LanguageServer;
import dev.repartee.testkit.examples.ExampleMethods;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documents that describe the services of the guides and of the protocols. */
class DiscoveryTourTest {
  private static final Path META_SCHEMA = Path.of(
      System.getProperty("repartee.root"),
      "core/src/test/resources/dev/repartee/openrpc-schema-1.4.json");

  private static Validator validator;
  private static URI schema;

  @BeforeAll
  static void readMetaSchema() throws Exception {
    validator = new ValidatorFactory().createValidator();
    schema = validator.registerSchema(Files.readString(META_SCHEMA)
        .replaceAll(
            "https://meta\\.json-schema\\.tools/?(#/definitions/JSONSchemaObject)?",
            "http://json-schema.org/draft-07/schema#"));
  }

  private static <T> Service service(Class<T> type) {
    Object nothing = Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    return Service.of(type, type.cast(nothing));
  }

  static Stream<Service> services() {
    return Stream.of(
        DiscoveryTour.service(),
        Service.of(new CoreTour.PlaneService()),
        Service.of(new JacksonShop.Shop()),
        new ExampleMethods().service(),
        Service.ofAny(Math.class, null, (name, why) -> {}),
        service(LanguageServer.class).sends(LanguageClient.class),
        service(DebugAdapter.class).sends(DebugClient.class),
        service(RemoteAgent.class).sends(RemoteClient.class));
  }

  private static Json document(Service service) throws Exception {
    try (Server server = Repartee.listen("mem:*", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      return peer.call("rpc.discover", Json.class);
    }
  }

  @ParameterizedTest
  @MethodSource("services")
  void theDocumentOfAServiceIsValid(Service service) throws Exception {
    Json document = document(service);
    Validator.Result result = validator.validate(schema, document.toString());
    assertThat(result.getErrors().stream()
            .map(error -> error.getInstanceLocation() + ": " + error.getError()))
        .isEmpty();
    assertThat(result.isValid()).isTrue();
  }

  @Test
  void theShopIsDescribedAsTheGuideShows() throws Exception {
    Json document = document(DiscoveryTour.service());
    assertThat(document.get("components").get("schemas").members())
        .containsOnlyKeys("Item", "Missing", "Order");
    assertThat(document.get("x-notifications").at(0).string("name")).isEqualTo("order/changed");
    assertThat(document.get("methods").at(0).get("deprecated")).isEqualTo(Json.TRUE);
    try (Server server = Repartee.listen("mem:*", DiscoveryTour.service());
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("find", Json.class, 7)).hasToString("{\"id\":7,\"items\":[]}");
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> peer.call("find", Json.class, 8))
          .satisfies(e -> assertThat(e.code()).isEqualTo(404));
    }
  }

  @Test
  void aValueIsOneOfSeveralTypes() {
    assertThat(Json.of(new DiscoveryTour.Circle(2.5)))
        .hasToString("{\"type\":\"circle\",\"radius\":2.5}");
    assertThat(Json.parse("{\"type\":\"poly\",\"corners\":[3,4]}").as(DiscoveryTour.Shape.class))
        .isEqualTo(new DiscoveryTour.Polygon(List.of(3, 4)));
    assertThat(DiscoveryTour.blocks())
        .containsExactly(
            DiscoveryTour.Tag.LATEST,
            new DiscoveryTour.Height(17),
            new DiscoveryTour.ByHash("0x1f"));
  }
}
