package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A RabbitMQ that keeps its connections open, but reads nothing. */
@Tag("ci")
class AmqpStallTest extends Fixture {
  private static final long PATIENCE = 60;

  /** With a time limit for answers of the broker that is longer than the test. */
  private static final Limits LIMITS =
      Limits.DEFAULT.toBuilder().connectTimeout(Duration.ofHours(1)).build();

  @Test
  void whileAnAlarmLastsCallsFailWithItsNameAndAnswersWait() throws Exception {
    serve(rabbit.uri(queue), methods, LIMITS);
    Options unheard = Options.builder().limits(LIMITS).build(); // the reports are of the worker
    Peer client = closing(Repartee.connect(rabbit.uri(queue), unheard));
    // Two runs of rabbitmqctl may take more than a minute on a busy machine.
    CallFuture<String> call =
        client.request("block").timeout(Duration.ofHours(1)).send(String.class);
    assertThat(methods.seen.poll(PATIENCE, TimeUnit.SECONDS)).isEqualTo("block");

    closing(() -> rabbit.server().alarm(false));
    rabbit.server().alarm(true);
    assertThatThrownBy(() -> {
          while (true) { // until the broker knows of it
            client.call("add", int.class, 1, 2);
          }
        })
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("accepts no messages for now: low on memory");
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOfSatisfying(
            DisconnectedException.class,
            e -> assertThat(e.unsent()).isEqualTo("the broker accepts no messages for now"));
    methods.open.countDown();
    assertThat(reports.poll(PATIENCE, TimeUnit.SECONDS))
        .contains("accepts no messages for now: low on memory")
        .contains("answers wait");

    rabbit.server().alarm(false);
    assertThat(call.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("a");
    for (int sum = 0; sum != 3; ) {
      try {
        sum = client.call("add", int.class, 1, 2);
      } catch (DisconnectedException e) {
        assertThat(e).hasMessageContaining("low on memory");
      }
    }
  }

  @Test
  void theThreadsOfAWorkerEndAlthoughTheBrokerTakesNothing() throws Exception {
    Channel raw = raw();
    String replies = raw.queueDeclare().getQueue();
    Large large = new Large(8 << 20);
    closing(large.goOn::countDown);
    Server server = serve(rabbit.uri(queue), large, LIMITS);
    for (int i = 0; i < 4; i++) {
      raw.basicPublish(
          "", queue, new BasicProperties.Builder().replyTo(replies).build(), """
              {"jsonrpc":"2.0","id":1,"method":"large"}""".getBytes(UTF_8));
      assertThat(large.began.poll(PATIENCE, TimeUnit.SECONDS)).isEqualTo("large");
    }
    rabbit.server().signal("STOP");
    closing(() -> rabbit.server().signal("CONT"));
    large.goOn.countDown();
    server.close(Duration.ofSeconds(1));
    awaitEndOfThreads("repartee-amqp", PATIENCE);
  }
}
