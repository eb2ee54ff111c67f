package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.options.ErrorObject;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;

class CallCommandTest {
  @Test
  void anErrorObjectKeepsItsDataAsItCame() {
    RpcError error = new RpcError(-32602, "Invalid \"params\"", Json.parse("{\"n\":1.10}"));
    assertThat(ErrorObject.of(error)).hasToString("""
        {"code":-32602,"message":"Invalid \\"params\\"","data":{"n":1.10}}""");
  }

  @Test
  void theFirstOfAlternativesThatCanBeReachedIsCalled() throws Exception {
    Captured captured = new Captured("");
    Service service = Service.builder().method("name", call -> "two").build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
      String uris = "mem:nobody|" + server.endpoint() + "|mem:nobody";
      assertThat(Main.run(captured.stdio(), "call", uris, "name")).isZero();
      assertThat(captured.out()).isEqualToIgnoringNewLines("\"two\"");
    }
    assertThat(Main.run(captured.stdio(), "call", "mem:nobody|mem:nowhere", "name"))
        .isEqualTo(3);
    assertThat(captured.err())
        .startsWith("repartee: cannot connect to any of 2 endpoints: mem:nobody (")
        .contains("), mem:nowhere (");
  }

  @Test
  void anErrorObjectWithoutDataHasNone() {
    assertThat(ErrorObject.of(new RpcError(-32601, "Method not found")))
        .hasToString("{\"code\":-32601,\"message\":\"Method not found\"}");
  }
}
