package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.StreamConfiguration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that try to harm a worker, and the end of a worker that loses its connection. */
@Tag("ci")
class NatsAbuseTest extends Fixture {
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    nats = NatsServer.start("jetstream: { store_dir: \"FOLDER/streams\" }\n");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  @Test
  void theWorkerDoesNotAnswerToASubjectOfTheServer() throws Exception {
    serve(nats.uri("deputy"), methods);
    Connection plain = plain(nats);
    var streams = plain.jetStreamManagement();
    streams.addStream(
        StreamConfiguration.builder().name("kept").subjects("kept").build());
    String delete = "$JS.API.STREAM.DELETE.kept";
    for (String message : new String[] {
      "{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[2,3]}", // its answer is empty
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"add\",\"params\":[2,3]}"
    }) {
      plain.publish("deputy", delete, message.getBytes(UTF_8));
      plain.publish("$SRV.PING.deputy", delete, new byte[0]);
    }
    plain.flush(LONG);
    assertThat(client(nats.uri("deputy")).call("add", int.class, 2, 3)).isEqualTo(5);
    assertThat(streams.getStreamNames()).contains("kept");
  }

  @Test
  void theEndpointOfAServerHasNoCredentials() throws Exception {
    String uri = nats.uri("open").replace("//", "//user:secret@") + "#micro=off";
    Server server = closing(Repartee.listen(uri, Service.of(methods), options(Limits.DEFAULT)));
    assertThat(server.endpoint()).hasToString(nats.uri("open"));
  }

  @Test
  void smallRequestsThatAreNotServedInTimeAreBoundedInNumber() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    closing(goOn::countDown);
    Service slow = Service.builder()
        .add(RpcMethod.builder("slow").lane(Lane.INLINE).handler(call -> {
          goOn.await();
          return 0;
        }))
        .build();
    Server server = Repartee.listen(nats.uri("tiny"), slow, options(Limits.DEFAULT));
    closing(server);
    closing(goOn::countDown); // before the server is closed
    Connection plain = plain(nats);
    plain.publish("tiny", """
        {"jsonrpc":"2.0","id":1,"method":"slow"}""".getBytes(UTF_8));
    byte[] tiny = new byte[1];
    for (int i = 0; i < 100_000; i++) {
      plain.publish("tiny", tiny);
    }
    report("messages were dropped");
  }

  @Test
  void aWorkerThatClosesTakesNoMessageFromItsNextConnection() throws Exception {
    BlockingQueue<String> began = new LinkedBlockingQueue<>();
    CountDownLatch one = new CountDownLatch(1);
    CountDownLatch two = new CountDownLatch(1);

    class Slow {
      @Rpc
      public int first() throws InterruptedException {
        began.add("first");
        one.await();
        return 1;
      }

      @Rpc
      public int second() throws InterruptedException {
        began.add("second");
        two.await();
        return 2;
      }
    }

    closing(two::countDown);
    Proxy cable = closing(new Proxy(nats.port()));
    Server server = Repartee.listen(
        "nats://127.0.0.1:" + cable.port() + "/closing",
        Service.of(new Slow()),
        options(Limits.DEFAULT));
    Thread close = new Thread(() -> server.close(LONG));
    closing(() -> {
      two.countDown();
      close.join();
    });
    Peer client = client(nats.uri("closing"));
    CallFuture<Integer> first = client.request("first").timeout(LONG).send(int.class);
    CallFuture<Integer> second = client.request("second").timeout(LONG).send(int.class);
    began.take();
    began.take();
    close.start();
    while (true) { // until the worker has left its subject
      try {
        client.call("unknown", int.class);
      } catch (DisconnectedException e) {
        break;
      } catch (RuntimeException e) {
        Thread.onSpinWait();
      }
    }
    cable.cut();
    report("the connection to the server was lost");
    one.countDown();
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(1); // over the next connection
    assertThatThrownBy(() -> client.call("second", int.class))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("nobody listens");
    two.countDown();
    assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void aWorkerThatGotOneRequestCannotAnswerTheOthersOfItsClient() throws Exception {
    Connection plain = plain(nats);
    Subscription requests = subscribe(plain, "forged");
    Peer client = client(nats.uri("forged"));
    CallFuture<Integer> first = client.callAsync("add", int.class, 1, 2);
    CallFuture<Integer> second = client.callAsync("add", int.class, 3, 4);
    Message one = requests.nextMessage(LONG);
    Message other = requests.nextMessage(LONG);
    String to = one.getReplyTo();
    long id = id(one);
    for (long i = 1; i < 10; i++) {
      String guess = to.replaceFirst("[0-9]*$", "" + i);
      if (!guess.equals(to)) {
        plain.publish(guess, new byte[0]);
      }
    }
    String forged = "[" + sum(id, 3) + "," + sum(id + 1, 666) + "]";
    plain.publish(to, forged.getBytes(UTF_8));
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(3);
    plain.publish(other.getReplyTo(), sum(id(other), 7).getBytes(UTF_8));
    assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(7);
  }

  private static long id(Message request) {
    return Long.parseLong(text(request).replaceAll(".*\"id\":(\\d+).*", "$1"));
  }

  private static String sum(long id, int sum) {
    return """
        {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(id, sum);
  }
}
