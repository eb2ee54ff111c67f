package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.repartee.CallFuture;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A RabbitMQ that keeps its connections, and takes nothing. */
@Tag("any-jdk")
class AmqpStallTest {
  private static final long LONG = 30;

  private final Rabbit rabbit = Rabbit.shared();
  private final String queue = "test-" + UUID.randomUUID();
  private final List<AutoCloseable> resources = new ArrayList<>();

  /** With a limit for answers of the broker that ends after the test. */
  private final Options options = Options.builder()
      .limits(limits -> limits.connectTimeout(Duration.ofHours(1)))
      .build();

  @AfterEach
  void release() throws Exception {
    for (int i = resources.size() - 1; i >= 0; i--) {
      resources.get(i).close();
    }
  }

  /** A service with a large answer. */
  public static final class Large {
    final BlockingQueue<String> began = new LinkedBlockingQueue<>();
    final CountDownLatch goOn = new CountDownLatch(1);

    private Large() {}

    @Rpc
    public String large() throws InterruptedException {
      began.add("large");
      goOn.await();
      return "x".repeat(8 << 20);
    }
  }

  @Test
  void whileAnAlarmLastsCallsFailWithItsNameAndAnswersWait() throws Exception {
    Methods methods = new Methods("a");
    resources.add(methods.open::countDown);
    BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    Options listening = options.toBuilder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String what) {
            reports.add(what);
          }
        })
        .build();
    Server server = Repartee.listen(rabbit.uri(queue), Service.of(methods), listening);
    resources.add(() -> server.close(Duration.ZERO));
    Peer client = Repartee.connect(rabbit.uri(queue), Service.NONE, options);
    resources.add(client);
    CallFuture<String> call = client.callAsync("block", String.class);
    assertThat(methods.seen.poll(LONG, TimeUnit.SECONDS)).isEqualTo("block");

    resources.add(() -> rabbit.server().alarm(false));
    rabbit.server().alarm(true);
    assertThatThrownBy(() -> {
          while (true) { // until the broker knows of it
            client.call("add", int.class, 1, 2);
          }
        })
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("takes no messages for now: low on memory");
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOfSatisfying(
            DisconnectedException.class,
            e -> assertThat(e.unsent()).isEqualTo("the broker takes no messages for now"));
    methods.open.countDown();
    assertThat(reports.poll(LONG, TimeUnit.SECONDS))
        .contains("takes no messages for now: low on memory")
        .contains("answers wait");

    rabbit.server().alarm(false);
    assertThat(call.get(LONG, TimeUnit.SECONDS)).isEqualTo("a");
    for (int sum = 0; sum != 3; ) {
      try {
        sum = client.call("add", int.class, 1, 2);
      } catch (DisconnectedException e) {
        assertThat(e).hasMessageContaining("low on memory");
      }
    }
  }

  /** Returns the names of the threads of this module. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("repartee-amqp"))
        .toList();
  }

  @Test
  void theThreadsOfAWorkerEndAlthoughTheBrokerTakesNothing() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(rabbit.port());
    Connection connection = factory.newConnection();
    resources.add(connection::abort);
    Channel raw = connection.createChannel();
    String replies = raw.queueDeclare().getQueue();
    Large large = new Large();
    resources.add(large.goOn::countDown);
    Server server = Repartee.listen(rabbit.uri(queue), Service.of(large), options);
    resources.add(() -> server.close(Duration.ZERO));
    for (int i = 0; i < 4; i++) {
      raw.basicPublish(
          "",
          queue,
          new BasicProperties.Builder().replyTo(replies).build(),
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"large\"}".getBytes(UTF_8));
      assertThat(large.began.poll(LONG, TimeUnit.SECONDS)).isEqualTo("large");
    }
    rabbit.server().signal("STOP");
    resources.add(() -> rabbit.server().signal("CONT"));
    large.goOn.countDown();
    server.close(Duration.ofSeconds(1));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG);
    while (!threads().isEmpty() && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(threads()).isEmpty();
  }
}
