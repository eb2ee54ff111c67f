package dev.repartee.transport.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests what an exchange makes of replies, without a server that writes them. */
class ServedExchangeTest {
  private static final ResponseFormat JSON =
      new ResponseFormat(false, false, null, false, false, true);
  private static final ResponseFormat EVENTS =
      new ResponseFormat(false, false, null, false, true, true);

  private static final class Exchange extends ServedExchange {
    int writes;
    boolean cut;

    Exchange(ResponseFormat format) {
      super(Limits.DEFAULT, null, format);
    }

    @Override
    protected void write() {
      writes++;
    }

    @Override
    protected void writeLater() {
      writes++;
    }

    @Override
    protected void cutOff() {
      cut = true;
    }

    WholeResponse answered() {
      return Objects.requireNonNull(whole());
    }

    String nextEvents() {
      List<OutboundFrame> batch = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      Objects.requireNonNull(events()).next(batch);
      batch.forEach(event -> text.append(new String(event.toBytes(), UTF_8)));
      events().left(batch);
      return text.toString();
    }
  }

  private static final class Run implements FrameService.InFlight {
    int abandoned;

    @Override
    public void whenDone(Runnable action) {}

    @Override
    public void abandon() {
      abandoned++;
    }
  }

  @Test
  void aRunThatStartsAfterTheClientHasDisconnectedIsCancelled() {
    Exchange exchange = new Exchange(JSON);
    Run run = new Run();
    exchange.abandon();
    exchange.servedBy(run);
    assertThat(run.abandoned).isEqualTo(1);
  }

  @Test
  void aRunIsCancelledEvenIfTheActionOfAServiceFails() {
    Exchange exchange = new Exchange(JSON);
    Run run = new Run();
    exchange.servedBy(run);
    exchange.onGone(() -> {
      throw new IllegalStateException("the action failed");
    });
    exchange.abandon();
    assertThat(run.abandoned).isEqualTo(1);
  }

  @Test
  void aServiceRepliesOnce() {
    Exchange exchange = new Exchange(EVENTS);
    assertThat(exchange.answer(200, Map.of("x-a", "1"), "{}".getBytes(UTF_8))).isTrue();
    assertThat(exchange.answer(500, Map.of(), new byte[0])).isFalse();
    assertThat(exchange.stream(Map.of())).isFalse();
    assertThat(exchange.answered().status()).isEqualTo(200);
    assertThat(exchange.answered().type()).isEqualTo("application/json");
    assertThat(exchange.answered().headers()).isEqualTo(Map.of("x-a", "1"));
    assertThat(exchange.mayStream()).isFalse();
  }

  @Test
  void whatHttpDoesNotAllowIsRefusedAndAnotherReplyIsPossible() {
    Exchange exchange = new Exchange(EVENTS);
    byte[] body = new byte[0];
    assertThatIllegalArgumentException()
        .isThrownBy(() -> exchange.answer(200, Map.of("x-a", "1\r\nx-b: 2"), body));
    assertThatIllegalArgumentException().isThrownBy(() -> exchange.answer(-1, Map.of(), body));
    assertThatIllegalArgumentException().isThrownBy(() -> exchange.stream(Map.of("x a", "1")));
    assertThat(exchange.answer(500, Map.of(), body)).isTrue();
  }

  @Test
  void eventsAreQueuedUntilTheServerWritesThem() {
    Exchange exchange = new Exchange(EVENTS);
    assertThat(exchange.stream(Map.of("x-a", "1"))).isTrue();
    exchange.send(HttpReply.Event.of("1".getBytes(UTF_8)));
    exchange.send(HttpReply.Event.of("2".getBytes(UTF_8)));
    exchange.end();
    assertThat(exchange.streamHeaders())
        .containsEntry("content-type", "text/event-stream")
        .containsEntry("x-a", "1");
    assertThat(Objects.requireNonNull(exchange.events()).isComplete()).isTrue();
    assertThat(exchange.nextEvents()).isEqualTo("data: 1\n\ndata: 2\n\n");
    assertThat(exchange.whole()).isNull();
    assertThatThrownBy(() -> exchange.send(HttpReply.Event.of(new byte[0])))
        .isInstanceOf(DisconnectedException.class);
  }

  @Test
  void aFloodOfUnreadEventsCutsTheConnectionOff() {
    Exchange exchange = new Exchange(EVENTS);
    exchange.stream(Map.of());
    HttpReply.Event large = HttpReply.Event.of(new byte[Limits.DEFAULT.outboundBytes()]);
    assertThatThrownBy(() -> {
          for (int i = 0; i < 10; i++) {
            exchange.send(large);
          }
        })
        .isInstanceOf(DisconnectedException.class);
    assertThat(exchange.cut).isTrue();
    exchange.abandon(); // returns the charge to the memory budget
  }

  @Test
  void pagesOfAListedOriginMayReadTheFieldsOfAService() {
    ResponseFormat listed =
        new ResponseFormat(false, false, "https://a.example", false, false, true);
    Exchange exchange = new Exchange(listed);
    exchange.answer(200, Map.of("x-session", "1"), "{}".getBytes(UTF_8));
    assertThat(exchange.answered().headers())
        .containsEntry("access-control-expose-headers", "x-session");
  }

  @Test
  void pagesOfAListedOriginMayReadWhenToTryAgain() {
    ResponseFormat listed =
        new ResponseFormat(false, false, "https://a.example", false, false, true);
    Exchange exchange = new Exchange(listed);
    exchange.answer(503, Map.of(), "{}".getBytes(UTF_8));
    assertThat(exchange.answered().headers())
        .containsEntry("retry-after", "1")
        .containsEntry("access-control-expose-headers", "retry-after");
  }

  @Test
  void aLargeBodyIsCompressedForAClientThatAcceptsIt() {
    byte[] body = new byte[100_000];
    Exchange plain = new Exchange(JSON);
    plain.answer(200, Map.of(), body);
    assertThat(plain.answered().size()).isEqualTo(body.length);
    assertThat(plain.answered().headers()).isEqualTo(Map.of("vary", "accept-encoding"));

    Exchange packed = new Exchange(new ResponseFormat(false, false, null, true, false, true));
    packed.answer(200, Map.of(), body);
    assertThat(packed.answered().size()).isBetween(20, 1_000);
    assertThat(packed.answered().headers())
        .containsEntry("content-encoding", "gzip")
        .containsEntry("vary", "accept-encoding");
  }

  @Test
  void aHandlerCannotSetAFieldOfTheTransport() {
    Exchange exchange = new Exchange(JSON);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> exchange.accept("Content-Length", "7"))
        .withMessageContaining("is set by the transport itself");
  }

  @Test
  void theLengthOfTheBodyForGetIsKeptForHead() {
    WholeResponse text = new WholeResponse(200, "", Map.of(), List.of(), new byte[7], 7);
    assertThat(text.contentLength(true)).isEqualTo(7);
    WholeResponse empty = new WholeResponse(200, "", Map.of(), List.of(), new byte[0], 0);
    assertThat(empty.contentLength(true)).isNegative();
    assertThat(empty.contentLength(false)).isZero();
    WholeResponse none = new WholeResponse(204, "", Map.of(), List.of(), new byte[0], 0);
    assertThat(none.contentLength(false)).isNegative();
  }
}
