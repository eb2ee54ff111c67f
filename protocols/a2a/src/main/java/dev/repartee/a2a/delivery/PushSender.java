package dev.repartee.a2a.delivery;

import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.signing.SigningKey;
import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.limits.NetworkRange;
import dev.repartee.transport.http.client.Http1Client;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends notifications, and repeats failed attempts. The notifications to one address are sent one
 * after another. The number and the size of the queued notifications are limited in total, and for
 * each client and host. Thread-safe.
 */
public final class PushSender {
  /** The maximum size of the queued notifications in bytes. Further notifications are dropped. */
  private static final int MOST_BYTES = 16 << 20;

  private static final String SILENT =
      "the host has not answered several times in a row, and gets no notifications for a while";

  private static final Duration LIFETIME = Duration.ofMinutes(5);

  private final PushNotifications settings;
  private final BiConsumer<String, String> failed;
  private final BiConsumer<String, TaskStatus> sending;
  private final HttpClient http;
  private final NetworkRange.Resolver resolver;
  private final PushQueues queues;
  private final Clock clock;

  /** Resolve names, and begin attempts. */
  private final FairWorkers workers = new FairWorkers();

  /** Handle answers and start repetitions: actions that do not block. */
  private final Executor answers = Threads.bounded(2, "repartee-a2a-push-answers");

  /**
   * Creates a sender.
   *
   * @param failed receives the task and the reason if a notification is dropped; must not block
   * @param sending receives the task and its status before each attempt to send them; must not
   *     block
   */
  public PushSender(
      PushNotifications settings,
      BiConsumer<String, String> failed,
      BiConsumer<String, TaskStatus> sending) {
    this(settings, failed, sending, Clock.SYSTEM, InetAddress::getAllByName);
  }

  /**
   * Creates a sender; {@code clock} is the clock of slow names, of the pauses of silent hosts and of
   * the pauses between attempts.
   */
  PushSender(
      PushNotifications settings,
      BiConsumer<String, String> failed,
      BiConsumer<String, TaskStatus> sending,
      Clock clock,
      NetworkRange.Resolver resolver) {
    this.settings = settings;
    this.sending = sending;
    this.resolver = resolver;
    this.clock = clock;
    this.queues = new PushQueues(settings.queued(), MOST_BYTES, clock);
    this.failed = failed;
    HttpClient given = settings.http();
    this.http = given == null ? new Http1Client(settings.timeout()) : given;
  }

  /**
   * Returns the reason to refuse an address, or null to accept it. May block to resolve the
   * address.
   */
  public @Nullable String fault(String url) {
    return Targets.fault(url, settings.allowsPrivateAddresses(), resolver);
  }

  /**
   * Sends an event of a task to all its addresses. Does not block.
   *
   * @param client the client of the task, as {@link dev.repartee.limits.ClientShares#client} names
   *     it
   */
  public void send(StreamResponse event, Task task, String client) {
    boolean hasStatus = event instanceof Task || event instanceof TaskStatusUpdateEvent;
    TaskStatus status = hasStatus ? task.status() : null;
    for (StoredPushConfig each : settings.store().list(task.id())) {
      boolean isOld = ProtocolVersion.V0_3.number().equals(each.protocolVersion());
      if (!isOld) {
        byte[] body = A2aJson.strict(ProtocolVersion.V1_0).event(event, false).toBytes();
        add(Notice.of(each, client, status, body, "application/a2a+json"));
      } else if (hasStatus) {
        // Version 0.3 sends the task, when its status changes.
        byte[] body = A2aJson.strict(ProtocolVersion.V0_3).task(task).toBytes();
        add(Notice.of(each, client, status, body, "application/json"));
      }
    }
  }

  private void add(Notice notice) {
    switch (queues.add(notice)) {
      case FIRST -> attempt(notice, 1);
      case LATER -> {}
      case FULL ->
        failed.accept(notice.taskId(), "the queue of push notifications is full; one was dropped");
      case SILENT -> failed.accept(notice.taskId(), "a push notification was dropped: " + SILENT);
    }
  }

  /**
   * Begins an attempt. Does not wait for the answer: slow receivers do not occupy these workers, but
   * each has a thread of the HTTP client until its answer or time-out.
   */
  private void attempt(Notice notice, int number) {
    workers.execute(notice.client(), () -> {
      long start = clock.nanos();
      TaskStatus status = notice.status();
      if (status != null) {
        sending.accept(notice.taskId(), status);
      }
      send(notice, start)
          .whenCompleteAsync(
              (fault, failure) -> {
                if (failure == null) {
                  queues.answered(notice);
                } else if (isTimeout(failure)) {
                  timedOut(notice, start, reason(failure));
                }
                if (failure == null && fault.isEmpty()) {
                  next(notice);
                } else {
                  failed(notice, number, failure == null ? fault : reason(failure));
                }
              },
              answers);
    });
  }

  private void timedOut(Notice notice, long start, String fault) {
    for (Notice dropped : queues.timedOut(notice, start)) {
      failed.accept(
          dropped.taskId(),
          "its push notifications were dropped: the address " + fault + "; " + SILENT);
    }
  }

  private void failed(Notice notice, int number, String fault) {
    if (!queues.contains(notice)) {
      return; // dropped with its host
    } else if (number >= settings.attempts()) {
      failed.accept(
          notice.taskId(),
          "a push notification was dropped after " + number + " attempts: the address " + fault);
      next(notice);
      return;
    }
    Duration delay = settings.firstDelay().multipliedBy(1L << Math.min(number - 1, 16));
    clock.schedule(delay, answers, () -> attempt(notice, number + 1));
  }

  private void next(Notice done) {
    Notice following = queues.next(done);
    if (following != null) {
      attempt(following, 1);
    }
  }

  /**
   * Sends a notification. The future completes with the reason of a failure, or with an empty text.
   */
  private CompletableFuture<String> send(Notice notice, long start) {
    String fault = fault(notice.config().url());
    if (clock.nanos() - start > settings.timeout().toNanos()) {
      return CompletableFuture.failedFuture(
          new HttpTimeoutException("its name was not resolved in time"));
    }
    if (fault != null) {
      return CompletableFuture.completedFuture(fault);
    }
    CompletableFuture<HttpResponse<Void>> answer;
    try {
      HttpRequest.Builder request = HttpRequest.newBuilder(
              URI.create(notice.config().url()))
          .header("Content-Type", notice.type())
          .POST(BodyPublishers.ofByteArray(notice.body()));
      authenticate(request, notice);
      answer = http.sendAsync(request.build(), BodyHandlers.discarding());
    } catch (RuntimeException e) {
      // The message of the exception could contain the credentials.
      return CompletableFuture.completedFuture(
          "cannot be used, or its token or credentials do not fit into a header");
    }
    return answer
        .thenApply(HttpResponse::statusCode)
        .thenApply(
            status -> status >= 200 && status < 300 ? "" : "answers with the HTTP status " + status)
        // The timeout of an HttpRequest covers only the head of the answer.
        .orTimeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((status, failure) -> answer.cancel(true)); // also closes an open connection
  }

  private String reason(Throwable failure) {
    Throwable cause = UserCode.cause(failure);
    return cause instanceof TimeoutException
        ? "does not finish its answer within " + settings.timeout().toMillis() + " ms"
        : "cannot be reached: " + cause.getMessage();
  }

  private static boolean isTimeout(Throwable failure) {
    Throwable cause = UserCode.cause(failure);
    return cause instanceof TimeoutException || cause instanceof HttpTimeoutException;
  }

  private void authenticate(HttpRequest.Builder request, Notice notice) {
    String token = notice.config().token();
    if (token != null) {
      // The specification does not name the header, and the SDKs read different ones.
      request.header("X-A2A-Notification-Token", token).header("A2A-Notification-Token", token);
    }
    AuthenticationInfo by = notice.config().authentication();
    SigningKey key = settings.key();
    if (by != null && by.credentials() != null) {
      request.header("Authorization", by.scheme() + " " + by.credentials());
    } else if (key != null) {
      request.header("Authorization", "Bearer " + key.token(claims(notice)));
    }
  }

  private Json claims(Notice notice) {
    Instant now = Instant.now();
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("iss", settings.issuer());
    claims.put("aud", notice.config().url());
    claims.put("iat", now.getEpochSecond());
    claims.put("exp", now.plus(LIFETIME).getEpochSecond());
    claims.put("jti", UUID.randomUUID().toString());
    claims.put("taskId", notice.taskId());
    claims.put("request_body_sha256", digest(notice.body()));
    return Json.of(claims);
  }

  private static String digest(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
