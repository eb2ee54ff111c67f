package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DocumentsTest {
  private static final Access ACCESS =
      Access.builder().allow(Access.ANYONE, "price").build();

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "http://127.0.0.1:0/"})
  void aCallerDiscoversWhatItMayCall(String uri) throws Exception {
    Service service =
        Service.builder().method("price", call -> 1).method("secret", call -> 2).build();
    try (Server backend = Repartee.listen("tcp://127.0.0.1:0", service);
        Bridge bridge = Bridge.to(backend.endpoint().toString())
            .clientOptions(Options.builder().access(ACCESS).build())
            .open();
        Peer client = Repartee.connect(bridge.listen(uri).endpoint().toString())) {
      assertThat(client.call("rpc.discover", Json.class).toString())
          .contains("\"price\"")
          .doesNotContain("secret", "rpc.status");
    }
  }

  @Test
  void componentsWithoutAReferenceAreOmitted() {
    Json document = Json.parse("""
        {"openrpc":"1.4.1","methods":[
          {"name":"price","result":{"schema":{"$ref":"#/components/schemas/Price"}}},
          {"name":"secret","result":{"schema":{"$ref":"#/components/schemas/Secret"}}},
          {"$ref":"#/components/methods/other"},17],
        "x-notifications":[{"name":"leaked"}],
        "components":{"schemas":{"Price":{"$ref":"#/components/schemas/Money/properties/x"},
          "Money":{"items":{"$ref":"#/components/schemas/Price"}},"Secret":{}},
          "methods":{"other":{"name":"other"}},"links":[]}}""");
    assertThat(Documents.visible(document, ACCESS, null).toString())
        .isEqualToIgnoringWhitespace("""
        {"openrpc":"1.4.1","methods":[
          {"name":"price","result":{"schema":{"$ref":"#/components/schemas/Price"}}}],
        "x-notifications":[],
        "components":{"schemas":{"Price":{"$ref":"#/components/schemas/Money/properties/x"},
          "Money":{"items":{"$ref":"#/components/schemas/Price"}}}}}""");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[\"secret\"]", "\"secret\"", "null"})
  void anAnswerThatIsNoDocumentIsRefused(String answer) {
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> Documents.visible(Json.parse(answer), ACCESS, null))
        .withMessageNotContaining("secret");
  }
}
