package dev.repartee.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.RpcException;
import dev.repartee.benchmarks.soak.StreamAccount.Kind;
import dev.repartee.benchmarks.soak.StreamAccount.Subscriber;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The account of streams adds up only if each stream has ended once, with its items in order. */
class StreamAccountTest {
  private final StreamAccount account = new StreamAccount();

  private Subscriber open(Kind kind, int count) {
    Subscriber subscriber = account.subscriber(kind, count, 0);
    subscriber.onSubscribe(new Flow.Subscription() {
      @Override
      public void request(long n) {}

      @Override
      public void cancel() {}
    });
    return subscriber;
  }

  private static void items(Subscriber subscriber, int... numbers) {
    for (int number : numbers) {
      subscriber.onNext(StreamMethods.item(number, 0));
    }
  }

  @Test
  void streamsThatCompleteFailAsIntendedOrAreCancelledAddUp() {
    Subscriber all = open(Kind.ALL, 2);
    items(all, 0, 1);
    all.onComplete();
    Subscriber broken = open(Kind.BROKEN, 1);
    items(broken, 0);
    broken.onError(new RpcException(StreamMethods.BROKEN, "broken"));
    Subscriber cancels = open(Kind.CANCELS, 1);
    items(cancels, 0);
    assertThat(account.addsUp()).as(account.table()).isTrue();
  }

  @Test
  void aStreamWithoutAnEndDoesNotAddUp() {
    items(open(Kind.ALL, 2), 0, 1);
    assertThat(account.addsUp()).isFalse();
  }

  @Test
  void aSecondEndDoesNotAddUp() {
    Subscriber all = open(Kind.ALL, 0);
    all.onComplete();
    all.onComplete();
    assertThat(account.addsUp()).isFalse();
    assertThat(account.table()).contains("! ALL has ended twice");
  }

  @Test
  void itemsThatAreMissingOrInAnotherOrderDoNotAddUp() {
    Subscriber all = open(Kind.ALL, 3);
    items(all, 0, 2);
    all.onComplete();
    assertThat(account.addsUp()).isFalse();
    assertThat(account.table())
        .contains("! ALL: item 1 is '2 '")
        .contains("! ALL completed after 2 of 3 items");
  }
}
