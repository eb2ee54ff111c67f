package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
  void anErrorObjectWithoutDataHasNone() {
    assertThat(ErrorObject.of(new RpcError(-32601, "Method not found")))
        .hasToString("{\"code\":-32601,\"message\":\"Method not found\"}");
  }
}
