package dev.repartee.bridge;

import static dev.repartee.Deadlines.Field.HEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Deadlines;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bridge passes the remaining time of a call on. */
@Timeout(60)
class DeadlineTest {
  private final Service left = Service.builder()
      .method("left", call -> {
        Duration time = call.timeLeft();
        return time == null ? -1 : time.toMillis();
      })
      .build();

  @ParameterizedTest
  @EnumSource(
      value = Deadlines.Field.class,
      names = {"META", "MEMBER"})
  void theBackendGetsTheRestOfTheTimeInItsOwnForm(Deadlines.Field field) throws Exception {
    Options sending = Options.builder().deadlines(rules -> rules.send(HEADER)).build();
    Options own =
        Options.builder().deadlines(rules -> rules.send(field).accept(field)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", left, own);
        Bridge bridge =
            Bridge.to(server.endpoint().toString()).backendOptions(own).open();
        Peer client = Repartee.connect(bridge.listen("http://127.0.0.1:0/").endpoint(), sending)) {
      Duration time = Duration.ofSeconds(40);
      assertThat(client.request("left").timeout(time).call(long.class))
          .isBetween(1L, time.toMillis());
      assertThat(client.request("left").timeout(Duration.ZERO).call(long.class)).isEqualTo(-1);
    }
  }
}
