package dev.repartee.zeromq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.broker.contract.BrokerFixture;
import dev.repartee.broker.server.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that use pyzmq, which is libzmq, call our service and serve our client. */
@Tag("ci")
class PyzmqTest extends BrokerFixture {
  private BufferedReader run(String script, String... arguments) throws IOException {
    return run(python("repartee.pyzmq"), Path.of("src/test/python", script), arguments);
  }

  @Test
  void reqAndDealerSocketsOfPyzmqCallOurService() throws Exception {
    Methods methods = new Methods("java");
    int pub = Ports.free();
    try (Server server = Repartee.listen("zmq+tcp://127.0.0.1:0#pub=" + pub, Service.of(methods))) {
      String address = server.endpoint().bare().toString().substring("zmq+".length());
      BufferedReader output = run("client.py", address, "tcp://127.0.0.1:" + pub);
      assertThat(lines(output, 4))
          .satisfiesExactly(
              line -> assertThat(line).isEqualTo("""
                  {"jsonrpc":"2.0","result":5,"id":1}"""),
              line -> assertThat(line).isEmpty(),
              line -> assertThat(line).contains("\"result\":5,\"id\":\"s\"", "\"result\":\"java\""),
              line -> assertThat(line).contains("-32700"));
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("from REQ");
      assertThat(lines(output, 5))
          .containsExactly(
              " {\"jsonrpc\":\"2.0\",\"result\":2,\"id\":3}",
              "repartee1 more k  {\"jsonrpc\":\"2.0\",\"method\":\"rpc.progress\","
                  + "\"params\":{\"id\":4,\"value\":1}}",
              "repartee1 more k  {\"jsonrpc\":\"2.0\",\"method\":\"rpc.progress\","
                  + "\"params\":{\"id\":4,\"value\":2}}",
              "repartee1 call k 65536 0  {\"jsonrpc\":\"2.0\",\"result\":2,\"id\":4}",
              "repartee1 note n  ");
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("from DEALER");
      assertThat(output.readLine()).isEqualTo("repartee1 ready me");
      server.broadcast("price.changed", 7);
      assertThat(output.readLine()).isEqualTo("""
          price.changed 1 {"jsonrpc":"2.0","method":"price.changed","params":[7]}""");
      server.close(Duration.ZERO);
    }
  }

  @Test
  void encryptedConnectionsWithPyzmqWorkInBothDirections(@TempDir Path folder) throws Exception {
    assertThat(run("curve.py", "keys", folder.toString()).readLine()).isNull();
    String options = "#curve-key=" + folder.resolve("service.key_secret") + "&curve-clients="
        + folder.resolve("client.key");
    try (Server server =
        Repartee.listen("zmq+tcp://127.0.0.1:0" + options, Service.of(new Methods("java")))) {
      String address = server.endpoint().bare().toString().substring("zmq+".length());
      assertThat(run("curve.py", "call", folder.toString(), address).readLine()).isEqualTo("""
          {"jsonrpc":"2.0","result":5,"id":1}""");
    }
    String port = run("curve.py", "serve", folder.toString()).readLine();
    try (Peer client = Repartee.connect("zmq+tcp://127.0.0.1:" + port + "#curve-server="
        + folder.resolve("service.key") + "&curve-key=" + folder.resolve("client.key_secret"))) {
      assertThat(client.call("add", int.class, 2, 3)).isEqualTo(5);
    }
  }

  private static List<String> lines(BufferedReader output, int count) {
    return Stream.generate(() -> {
          try {
            return String.valueOf(output.readLine());
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        })
        .limit(count)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ROUTER", "REP"})
  void ourClientCallsAServiceOfPyzmq(String socket) throws Exception {
    BufferedReader output = run("server.py", socket);
    try (Peer client = Repartee.connect("zmq+tcp://127.0.0.1:" + output.readLine())) {
      List<CallFuture<Integer>> sums = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        sums.add(client.callAsync("add", int.class, i, 1));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(sums.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
      }
      assertThatThrownBy(() -> client.call("fail", Void.class))
          .isInstanceOf(RemoteRpcException.class)
          .hasMessageContaining("-32601");
      client.notify("tick", 1);
      assertThat(output.readLine()).isEqualTo("tick [1]");
    }
  }
}
