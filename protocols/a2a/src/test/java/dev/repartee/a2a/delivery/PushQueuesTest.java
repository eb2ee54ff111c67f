package dev.repartee.a2a.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.a2a.delivery.PushQueues.Place;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.internal.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PushQueuesTest {
  private final FakeClock clock = new FakeClock();
  private final PushQueues queues = new PushQueues(16, 1_000, clock);

  private static Notice notice(String client, String task, String host, int size) {
    TaskPushNotificationConfig to = new TaskPushNotificationConfig("https://" + host + "/hook");
    return Notice.of(
        new StoredPushConfig(task, "c", to, "1.0"),
        client,
        null,
        new byte[size],
        "application/json");
  }

  private Place add(String client, String task, String host) {
    return queues.add(notice(client, task, host, 1));
  }

  /** Reports the allowed number of time-outs of a host for a client, one attempt after another. */
  private void timeOut(Notice notice) {
    for (int i = 0; i < 3; i++) {
      clock.advance(Duration.ofNanos(1));
      long start = clock.nanos();
      clock.advance(Duration.ofNanos(1));
      queues.timedOut(notice, start);
    }
  }

  @Test
  void oneClientHasHalfOfTheQueue() {
    for (int i = 0; i < 8; i++) {
      assertThat(add("mallory", "t" + i, "host" + i)).isEqualTo(Place.FIRST);
    }
    assertThat(add("mallory", "t", "host")).isEqualTo(Place.FULL);
    assertThat(add("alice", "a", "host")).isEqualTo(Place.FIRST);
  }

  @Test
  void oneHostHasAQuarterOfTheQueue() {
    for (int i = 0; i < 4; i++) {
      assertThat(add("mallory", "t" + i, "silent")).isEqualTo(Place.FIRST);
    }
    assertThat(add("mallory", "t", "silent")).isEqualTo(Place.FULL);
    assertThat(add("mallory", "t", "other")).isEqualTo(Place.FIRST);
  }

  @Test
  void oneClientHasHalfOfTheBytesAndOneHostAQuarter() {
    assertThat(queues.add(notice("mallory", "t1", "silent", 251))).isEqualTo(Place.FULL);
    assertThat(queues.add(notice("mallory", "t2", "silent", 250))).isEqualTo(Place.FIRST);
    assertThat(queues.add(notice("mallory", "t3", "other", 250))).isEqualTo(Place.FIRST);
    assertThat(queues.add(notice("mallory", "t4", "third", 1))).isEqualTo(Place.FULL);
    assertThat(queues.add(notice("alice", "a", "third", 250))).isEqualTo(Place.FIRST);
  }

  @Test
  void theNotificationsOfOneAddressAreSentInOrder() {
    Notice first = notice("alice", "t", "host", 1);
    Notice second = notice("alice", "t", "host", 1);
    assertThat(queues.add(first)).isEqualTo(Place.FIRST);
    assertThat(queues.add(second)).isEqualTo(Place.LATER);
    assertThat(queues.next(first)).isSameAs(second);
    assertThat(queues.next(second)).isNull();
    assertThat(add("alice", "t", "host")).isEqualTo(Place.FIRST);
  }

  @Test
  void aSilentHostLosesItsNotificationsAndGetsNoneForAWhile() {
    Notice lost = notice("mallory", "t", "silent", 1);
    queues.add(lost);
    timeOut(lost);
    assertThat(queues.contains(lost)).isFalse();
    assertThat(queues.next(lost)).isNull();
    assertThat(add("mallory", "t", "silent")).isEqualTo(Place.SILENT);
    assertThat(add("mallory", "u", "other")).isEqualTo(Place.FIRST);
    clock.advance(Duration.ofMinutes(5));
    assertThat(add("mallory", "t", "silent")).isEqualTo(Place.FIRST);
    clock.advance(Duration.ofNanos(1));
    long start = clock.nanos();
    assertThat(queues.timedOut(lost, start)).hasSize(1);
    assertThat(add("mallory", "t", "silent")).isEqualTo(Place.SILENT);
  }

  @Test
  void aHostSilentForOneClientGetsNotificationsOfOthers() {
    Notice kept = notice("alice", "a", "shared", 1);
    queues.add(kept);
    queues.add(notice("mallory", "t", "shared", 1));
    timeOut(notice("mallory", "t", "shared", 1));
    assertThat(add("mallory", "t", "shared")).isEqualTo(Place.SILENT);
    assertThat(queues.contains(kept)).isTrue();
    assertThat(add("alice", "b", "shared")).isEqualTo(Place.FIRST);
  }

  @Test
  void timeOutsOfAttemptsAtTheSameTimeCountOnce() {
    Notice notice = notice("alice", "t", "host", 1);
    clock.advance(Duration.ofNanos(100));
    for (int i = 0; i < 10; i++) {
      assertThat(queues.timedOut(notice, 50)).isEmpty();
    }
    assertThat(add("alice", "t", "host")).isEqualTo(Place.FIRST);
  }

  @Test
  void anAnswerEndsTheRowOfTimeOuts() {
    Notice notice = notice("alice", "t", "host", 1);
    timeOut(notice);
    queues.answered(notice);
    assertThat(queues.add(notice)).isEqualTo(Place.FIRST);
  }

  @Test
  void noticesToASilentHostLeaveTheirRoomToOthers() {
    for (int i = 0; i < 4; i++) {
      add("mallory", "t" + i, "silent");
      add("mallory", "u" + i, "other");
    }
    assertThat(add("mallory", "t", "third")).isEqualTo(Place.FULL);
    timeOut(notice("mallory", "t0", "silent", 1));
    assertThat(add("mallory", "t", "third")).isEqualTo(Place.FIRST);
  }
}
