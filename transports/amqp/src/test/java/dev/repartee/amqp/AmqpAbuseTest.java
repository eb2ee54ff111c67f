package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that try to harm a worker or a client, with a real RabbitMQ. */
@Tag("ci")
class AmqpAbuseTest extends Fixture {
  private static final byte[] POISON = "garbage".getBytes(UTF_8);
  private static final byte[] ADD = """
      {"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}""".getBytes(UTF_8);

  private final String dead = queue + ".dead";
  /** The methods of the worker. */
  public static final class Methods {
    private Methods() {}

    @Rpc(idempotent = true)
    public int add(int a, int b) {
      return a + b;
    }
  }

  private void serve(String rest) throws IOException {
    serve(rabbit.uri(queue) + rest, new Methods());
  }

  private Peer connect() throws IOException {
    return client(rabbit.uri(queue));
  }

  private static BasicProperties replyTo(String name) {
    return new BasicProperties.Builder().replyTo(name).build();
  }

  private static BasicProperties headers(Map<String, Object> headers) {
    return new BasicProperties.Builder().headers(headers).build();
  }

  private static String reason(GetResponse letter) {
    return String.valueOf(letter.getProps().getHeaders().get("repartee-reason"));
  }

  private void assertThatTheWorkerServes() throws IOException {
    assertThat(connect().call("add", int.class, 1, 2)).isEqualTo(3);
    assertThat(reports).noneMatch(each -> each.contains("was lost"));
  }

  @Test
  void poisonWhoseHeadersFillAFrameIsSettled() throws Exception {
    serve("#prefetch=1");
    Channel raw = raw();
    raw.basicPublish("", queue, headers(Map.of("x", "y".repeat(130_900))), POISON);
    assertThat(reason(next(raw, dead))).contains("not JSON");
    assertThatTheWorkerServes();
  }

  @Test
  void aDeadLetterIsNotCopiedToTheQueuesThatItsSenderNames() throws Exception {
    serve("");
    Channel raw = raw();
    raw.basicPublish("", queue, headers(Map.of("CC", List.of(queue), "trace", "t")), POISON);
    assertThat(next(raw, dead).getProps().getHeaders())
        .containsKeys("trace", "repartee-reason")
        .doesNotContainKey("CC");
    assertThatTheWorkerServes();
    assertThat(raw.messageCount(dead)).isZero();
  }

  @Test
  void aLargeFrameBeforeTheNegotiationEndsTheConnection() throws Exception {
    try (ServerSocket broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread script = new Thread(() -> {
        try (Socket client = broker.accept()) {
          client.getInputStream().readNBytes(8);
          client.getOutputStream().write(new byte[] {1, 0, 0, 0, 0, 32, 1}); // 8,193 bytes follow
          client.getInputStream().read();
        } catch (IOException e) {
          // The client has ended the connection.
        }
      });
      script.start();
      assertThatThrownBy(() -> client("amqp://127.0.0.1:" + broker.getLocalPort() + "/" + queue))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the answer is not AMQP");
      script.join();
    }
  }

  @Test
  void headersThatAreNestedTooDeepDoNotEndTheConnection() throws Exception {
    serve("");
    Map<String, Object> nested = Map.of();
    for (int i = 0; i < 100; i++) {
      nested = Map.of("x", i % 2 == 0 ? nested : List.of(nested));
    }
    Channel raw = raw();
    raw.basicPublish("", queue, headers(nested), POISON);
    next(raw, dead);
    assertThatTheWorkerServes();
  }

  @Test
  void aBodyThatIsTooLargeToKeepDoesNotEndTheConnection() throws Exception {
    serve("");
    Channel raw = raw();
    raw.basicPublish("", queue, null, new byte[(64 << 20) + 1]);
    GetResponse letter = next(raw, dead);
    assertThat(reason(letter)).isEqualTo("The message has 67108865 bytes; it was not kept");
    assertThat(letter.getBody()).isEmpty();
    assertThatTheWorkerServes();
  }

  /** Returns an address for direct replies at a node of a broker. */
  private static String direct(String node) {
    byte[] name = node.getBytes(UTF_8);
    byte[] process = ByteBuffer.allocate(4 + name.length + 12)
        .put(new byte[] {(byte) 131, 88, 119, (byte) name.length})
        .put(name)
        .putInt(1_000)
        .putInt(0)
        .putInt(1)
        .array();
    return "amq.rabbitmq.reply-to." + Base64.getEncoder().encodeToString(process) + ".key";
  }

  @Test
  void aReplyToThatTheBrokerCannotReadDoesNotEndTheConnection() throws Exception {
    serve("");
    Channel raw = raw();
    for (String name : List.of("rabbit@nowhere", "nowhere", "reply@1", "@")) {
      raw.basicPublish("", queue, replyTo(direct(name)), ADD);
      assertThat(reason(next(raw, dead))).contains("reply_to", "INTERNAL_ERROR");
    }
    for (String name : List.of("", ".", ".g1hk.AAAA", ".%%%%.x", ".g1h2AAdyZXBseUAx.x")) {
      // The broker closes the channel of a sender whose address it refuses.
      raw().basicPublish("", queue, replyTo("amq.rabbitmq.reply-to" + name), ADD);
    }
    assertThatTheWorkerServes();
    assertThatTheWorkerServes();
  }

  @Test
  void aFullQueueOfDeadLettersOfTheOperatorDropsThem() throws Exception {
    Channel raw = raw();
    Map<String, Object> one = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
    raw.queueDeclare(dead, true, false, false, one);
    serve("#prefetch=1");
    raw.basicPublish("", queue, null, POISON);
    raw.basicPublish("", queue, null, POISON);
    report("a message was dropped");
    assertThatTheWorkerServes();
    assertThat(raw.messageCount(dead)).isEqualTo(1);
  }

  @Test
  void messagesThatCannotBePutBackIntoAFullQueueAreAnswered() throws Exception {
    Channel raw = raw();
    Map<String, Object> one = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
    raw.queueDeclare(queue, true, false, false, one);
    Channel lost = raw();
    CountDownLatch taken = new CountDownLatch(1);
    lost.basicQos(1);
    lost.basicConsume(queue, false, (tag, message) -> taken.countDown(), tag -> {});
    Peer client = connect();
    CallFuture<Integer> first = client.callAsync("add", int.class, 1, 2);
    assertThat(taken.await(LONG, TimeUnit.SECONDS)).isTrue();
    CallFuture<Integer> second = client.callAsync("add", int.class, 3, 4);
    while (raw.messageCount(queue) == 0) {
      Thread.onSpinWait();
    }
    lost.getConnection().close(); // now two messages wait; the first one is repeated
    serve("#prefetch=1");
    assertThatThrownBy(() -> first.get(LONG, TimeUnit.SECONDS))
        .hasMessageContaining("the queue is too full to put it back");
    assertThat(second.get(LONG, TimeUnit.SECONDS)).isEqualTo(7);
    assertThat(reason(next(raw, dead))).contains("too full");
  }

  @Test
  void aWorkerCannotEndAClientByTheNameOfItsControlQueue() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, null);
    raw.basicConsume(
        queue,
        true,
        (tag, message) -> {
          BasicProperties request = message.getProperties();
          BasicProperties.Builder reply =
              new BasicProperties.Builder().correlationId(request.getCorrelationId());
          byte[] item = """
              {"jsonrpc":"2.0","method":"x","params":["%s"]}\
              """.formatted("y".repeat(100_000)).getBytes(UTF_8);
          Map<String, Object> more =
              Map.of("repartee-more", true, "repartee-worker", "w".repeat(300));
          for (int i = 0; i < 2; i++) { // enough for a grant
            raw.basicPublish("", request.getReplyTo(), reply.headers(more).build(), item);
          }
          byte[] answer = sum(id(message.getBody()), 3);
          raw.basicPublish("", request.getReplyTo(), reply.headers(null).build(), answer);
        },
        tag -> {});
    Peer client = connect();
    List<Integer> answers =
        IntStream.range(0, 3).mapToObj(i -> client.call("add", int.class, 1, 2)).toList();
    assertThat(answers).containsExactly(3, 3, 3);
  }

  @Test
  void aWorkerThatGotOneRequestCannotAnswerTheOthersOfItsClient() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, null);
    Peer client = connect();
    CallFuture<Integer> first = client.callAsync("add", int.class, 1, 2);
    CallFuture<Integer> second = client.callAsync("add", int.class, 3, 4);
    GetResponse one = next(raw, queue);
    GetResponse other = next(raw, queue);
    String to = one.getProps().getReplyTo();
    String key = one.getProps().getCorrelationId();
    long id = id(one.getBody());
    for (long i = 1; i < 10; i++) {
      raw.basicPublish("", to, null, sum(id + i, 666));
      String guess = key.replaceFirst("[0-9]*$", "" + i);
      if (!guess.equals(key)) {
        raw.basicPublish("", to, correlation(guess), new byte[0]);
      }
    }
    String forged = "[" + new String(sum(id, 3), UTF_8) + "," + new String(sum(id + 1, 666), UTF_8);
    raw.basicPublish("", to, correlation(key), (forged + "]").getBytes(UTF_8));
    assertThat(first.get(LONG, TimeUnit.SECONDS)).isEqualTo(3);
    byte[] answer = sum(id(other.getBody()), 7);
    raw.basicPublish("", to, correlation(other.getProps().getCorrelationId()), answer);
    assertThat(second.get(LONG, TimeUnit.SECONDS)).isEqualTo(7);
  }

  private static BasicProperties correlation(String key) {
    return new BasicProperties.Builder().correlationId(key).build();
  }
}
