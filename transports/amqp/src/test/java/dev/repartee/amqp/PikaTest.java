package dev.repartee.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs that use pika, the Python client of RabbitMQ, call our service and serve our client. */
@Tag("ci")
class PikaTest extends Fixture {
  private BufferedReader run(String script) throws IOException {
    Path file = Path.of("src/test/python", script);
    return run(python("repartee.pika"), file, String.valueOf(rabbit.port()), queue);
  }

  @Test
  void aPikaClientGetsOneReplyForEachOfItsMessages() throws Exception {
    Methods methods = new Methods("java");
    try (Server server = Repartee.listen(rabbit.uri(queue), Service.of(methods))) {
      BufferedReader output = run("client.py");
      for (String place : List.of("an own queue", "direct reply-to")) {
        assertThat(json(output)).as(place).isEqualTo(Json.parse("""
            {"jsonrpc":"2.0","result":5,"id":1}"""));
        assertThat(json(output)).as(place).isEqualTo(Json.parse("""
            {"jsonrpc":"2.0","result":5,"id":"s"}"""));
        assertThat(json(output).elements()).as(place).hasSize(2);
        assertThat(json(output).get("error").get("code")).as(place).isEqualTo(Json.of(-32700));
        assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("from pika");
      }
      assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("a notification");
      assertThat(output.readLine()).isEqualTo("subscribed");
      server.broadcast("price.changed", 7);
      assertThat(output.readLine()).startsWith("price.changed {").contains("[7]");
      server.close(Duration.ZERO);
    }
  }

  private static Json json(BufferedReader output) throws IOException {
    return Json.parse(output.readLine());
  }

  @Test
  void ourClientCallsAPikaService() throws Exception {
    BufferedReader output = run("server.py");
    assertThat(output.readLine()).isEqualTo("ready");
    try (Peer client = Repartee.connect(rabbit.uri(queue))) {
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
