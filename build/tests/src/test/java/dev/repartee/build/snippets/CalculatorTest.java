package dev.repartee.build.snippets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.repartee.*;
import dev.repartee.testkit.ConformanceTests;
import dev.repartee.testkit.ReparteeExtension;
import dev.repartee.testkit.ScriptedPeer;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/testing.md. */
class CalculatorTest {
  static class Calculator {
    private int memory;

    @Rpc
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Rpc(lane = Lane.ORDERED)
    public int remember(int more) {
      memory += more;
      return memory;
    }

    @Rpc
    public String greet(Call call) {
      return "Hello, " + call.peer().call("name", String.class);
    }
  }

  interface Subtraction {
    @Rpc
    int subtract(int minuend, int subtrahend);
  }

  @RegisterExtension
  static final ReparteeExtension RPC = ReparteeExtension.serving(Calculator::new);

  @Test
  void subtracts(Subtraction calculator) { // a proxy
    assertEquals(19, calculator.subtract(42, 23));
  }

  @Test
  void refusesText(Peer client) {
    RpcException refused =
        assertThrows(RpcException.class, () -> client.call("subtract", int.class, "42", 23));
    assertEquals(-32602, refused.code());
  }

  @Test
  void remembers(Peer client) { // with a new Calculator
    client.call("remember", int.class, 2);
    assertEquals(5, client.call("remember", int.class, 3));
  }

  @Test
  void callsBack(ScriptedPeer client) {
    client
        .send("{\"jsonrpc\":\"2.0\",\"method\":\"greet\",\"id\":7}")
        .expect("{\"jsonrpc\":\"2.0\",\"method\":\"name\",\"params\":[],\"id\":1}")
        .send("{\"jsonrpc\":\"2.0\",\"result\":\"Ada\",\"id\":1}")
        .expect("{ \"jsonrpc\": \"2.0\", \"id\": 7, \"result\": \"Hello, Ada\" }");
  }

  @TestFactory
  List<DynamicNode> conformance() throws Exception {
    Service service = Service.of(new Calculator());
    return ConformanceTests.of(Repartee.listen("tcp://127.0.0.1:0", service));
  }
}
