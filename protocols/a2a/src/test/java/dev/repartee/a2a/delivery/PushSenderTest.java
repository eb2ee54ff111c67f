package dev.repartee.a2a.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.internal.FakeClock;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests notifications to hosts with names that are slow to resolve. A proxy receives the other
 * notifications.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PushSenderTest {
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final FakeClock clock = new FakeClock();
  private final CountDownLatch resolved = new CountDownLatch(1);
  private final Semaphore resolving = new Semaphore(0);
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger lookups = new AtomicInteger();
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> failed = new LinkedBlockingQueue<>();
  private HttpServer proxy;
  private PushNotifications settings;
  private PushSender sender;

  @BeforeEach
  void start() throws IOException {
    proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext("/", exchange -> {
      exchange.sendResponseHeaders(requests.incrementAndGet() == 1 ? 503 : 204, -1);
      exchange.close();
      received.add(exchange.getRequestURI().getHost());
    });
    proxy.start();
    settings = PushNotifications.builder()
        .attempts(3, PAUSE)
        .timeout(Duration.ofSeconds(50))
        .http(
            HttpClient.newBuilder().proxy(ProxySelector.of(proxy.getAddress())).build())
        .build();
    sender = new PushSender(
        settings, (task, reason) -> failed.add(reason), (task, status) -> {}, clock, this::resolve);
  }

  @AfterEach
  void stop() {
    resolved.countDown();
    proxy.stop(0);
  }

  private InetAddress[] resolve(String host) throws UnknownHostException {
    if (host.equals("late.example")) {
      lookups.incrementAndGet();
      clock.advance(settings.timeout().plusNanos(1));
      throw new UnknownHostException(host);
    } else if (!host.equals("fast.example")) {
      resolving.release();
      try {
        resolved.await();
      } catch (InterruptedException e) {
        throw new UnknownHostException(host);
      }
    }
    return InetAddress.getAllByName("93.184.216.34");
  }

  private void send(String client, String task, String host) {
    send(sender, settings, client, task, host);
  }

  private static void send(
      PushSender sender, PushNotifications settings, String client, String task, String host) {
    TaskPushNotificationConfig to = new TaskPushNotificationConfig("http://" + host + "/hook");
    settings.store().save(new StoredPushConfig(task, task, to, "1.0"));
    TaskStatus status = new TaskStatus(TaskState.WORKING, null, null);
    Task event = new Task(task, "context", status, List.of(), List.of(), null);
    sender.send(event, event, client);
  }

  @Test
  void clientsWithSlowNamesDoNotDelayNotificationsAndRetriesOfOthers() throws Exception {
    for (int i = 0; i < 8; i++) {
      send("slow-" + i, "a" + i, "a" + i + ".example");
      send("slow-" + i, "b" + i, "b" + i + ".example");
    }
    resolving.acquire(8);
    send("alice", "t", "fast.example");
    assertThat(received.poll(50, TimeUnit.SECONDS)).as("attempt 1").isNotNull();
    assertThat(clock.awaitTimer()).isEqualTo(PAUSE);
    clock.advance(PAUSE);
    assertThat(received.poll(50, TimeUnit.SECONDS)).as("attempt 2").isNotNull();
    resolved.countDown();
    resolving.acquire(8);
  }

  @Test
  void aHostWhoseNameIsNotResolvedInTimeIsSilent() throws Exception {
    send("mallory", "t", "late.example");
    clock.advanceToTimer();
    clock.advanceToTimer();
    assertThat(failed.poll(50, TimeUnit.SECONDS)).contains("not resolved in time", "gets no");
    send("mallory", "u", "late.example");
    assertThat(failed.poll(50, TimeUnit.SECONDS)).contains("gets no notifications for a while");
    assertThat(lookups).hasValue(3);
  }

  @Test
  void anAnswerThatIsNotHttpClosesItsConnection() throws Exception {
    PushNotifications unguarded =
        PushNotifications.builder().allowPrivateAddresses().attempts(1, PAUSE).build();
    PushSender direct =
        new PushSender(unguarded, (task, reason) -> failed.add(reason), (task, status) -> {});
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      send(direct, unguarded, "mallory", "t", "127.0.0.1:" + server.getLocalPort());
      try (RawConnection receiver = new RawConnection(server.accept())) {
        receiver.head();
        receiver.send("HTTP/1.1 two hundred\r\n\r\n");

        assertThat(failed.poll(50, TimeUnit.SECONDS)).contains("cannot be reached");
        assertThat(receiver.rest()).matches("(?s)(\\{.*})?(<reset>)?");
      }
    }
  }
}
