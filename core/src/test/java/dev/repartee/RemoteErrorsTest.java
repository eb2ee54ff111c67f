package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.internal.log.FailureLog;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelPair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Errors that cross a connection: received, passed on, mapped to exceptions and back, logged. */
@NullMarked
class RemoteErrorsTest {
  private static final int SOLD_OUT = 1001;

  /** A checked exception with data. */
  private static final class OutOfStock extends Exception {
    private static final long serialVersionUID = 1;

    final int left;

    OutOfStock(int left) {
      super(left + " left");
      this.left = left;
    }
  }

  private interface Shop {
    String buy(int count) throws OutOfStock;

    String undeclared();
  }

  private static final Service SHOP = Service.builder()
      .method("buy", call -> {
        throw new OutOfStock(3);
      })
      .method("undeclared", call -> {
        throw new OutOfStock(4);
      })
      .method("secret", call -> {
        throw new RpcException(401, "Unauthorized", "token abc expired");
      })
      .build();

  private static final Options SERVER = Options.builder()
      .listener(Listener.NONE)
      .mapException(
          OutOfStock.class,
          e -> new RpcError(SOLD_OUT, "Sold out", Json.of(Map.of("left", e.left))))
      .build();

  private final List<Peer> peers = new ArrayList<>();

  @AfterEach
  void close() {
    peers.forEach(Peer::close);
  }

  /** Returns the client's end of a new connection in this process. */
  private Peer connect(Service service, Options server, Options client) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    peers.add(Peer.open(pair.server(), service, server));
    Peer peer = Peer.open(pair.client(), Service.NONE, client);
    peers.add(peer);
    return peer;
  }

  @Test
  void aRefusalThatAHandlerPassesOnIsNoRefusalOfItsOwnCall() {
    Service shop = Service.builder()
        .method(
            "buy",
            call -> { // after a call of a server that closes
              throw new RpcException(RpcError.limit(RpcError.BUSY, "Closing", "closing", 0));
            })
        .build();
    Peer peer = connect(shop, SERVER, Options.DEFAULT);
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.call("buy", String.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RpcError.BUSY))
        .satisfies(e -> assertThat(e.unsent()).isNull());
  }

  @Test
  void aRefusalThatAMapperPassesOnIsNoRefusalOfItsOwnCall() {
    RpcError refusal = RpcError.limit(RpcError.BUSY, "Closing", "closing", 0);
    Service shop = Service.builder()
        .method("buy", call -> {
          throw new IllegalStateException();
        })
        .build();
    Options mapping = Options.builder()
        .mapException(IllegalStateException.class, e -> refusal)
        .build();
    Peer peer = connect(shop, mapping, Options.DEFAULT);
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.call("buy", String.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RpcError.BUSY))
        .satisfies(e -> assertThat(e.unsent()).isNull());
  }

  @Test
  void aReceivedErrorNamesTheMethodAndTheOtherSide() {
    Peer peer = connect(SHOP, SERVER, Options.DEFAULT);
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.call("secret", String.class))
        .satisfies(e -> assertThat(e.method()).isEqualTo("secret"))
        .satisfies(e -> assertThat(e.code()).isEqualTo(401))
        .withMessage(
            "'secret' of " + peer.channel().other() + ": Unauthorized (401): token abc expired");
  }

  @Test
  void aReceivedErrorThatEscapesAHandlerIsNoAnswerOfThisService() throws Exception {
    Peer backend = connect(SHOP, SERVER, Options.DEFAULT);
    BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    Listener listener = new Listener() {
      @Override
      public void failed(Call call, Throwable cause) {
        failures.add(cause);
      }
    };
    Service page = Service.builder()
        .method("page", call -> backend.call("secret", String.class))
        .method("later", call -> backend.callAsync("secret", String.class))
        .method("unknown", call -> backend.call("typo", String.class))
        .method("onPurpose", call -> {
          try {
            return backend.call("secret", String.class);
          } catch (RemoteRpcException e) {
            throw new RpcException(e.error());
          }
        })
        .build();
    Peer client = connect(page, Options.builder().listener(listener).build(), Options.DEFAULT);
    for (String method : List.of("page", "later", "unknown")) {
      assertThatExceptionOfType(RemoteRpcException.class)
          .isThrownBy(() -> client.call(method, String.class))
          .satisfies(e -> assertThat(e.error()).isEqualTo(Errors.INTERNAL));
      assertThat(failures.poll(60, TimeUnit.SECONDS)).isInstanceOf(RemoteRpcException.class);
    }
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> client.call("onPurpose", String.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(401));
    assertThat(failures).isEmpty();
  }

  @Test
  void aReceivedErrorThatEscapesCanBeMapped() {
    Peer backend = connect(SHOP, SERVER, Options.DEFAULT);
    Options mapped = Options.builder()
        .mapException(RemoteRpcException.class, e -> new RpcError(502, e.method() + " failed"))
        .build();
    Peer client = connect(
        Service.builder()
            .method("page", call -> backend.call("secret", String.class))
            .build(),
        mapped,
        Options.DEFAULT);
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> client.call("page", String.class))
        .satisfies(e -> assertThat(e.error()).isEqualTo(new RpcError(502, "secret failed")));
  }

  @Test
  void anExceptionCrossesTheConnectionWithItsData() {
    Options mapping = Options.builder()
        .mapError(
            SOLD_OUT,
            e -> new OutOfStock(
                Objects.requireNonNull(Objects.requireNonNull(e.data()).get("left"))
                    .as(int.class)))
        .build();
    Shop shop = connect(SHOP, SERVER, mapping).proxy(Shop.class);
    assertThatExceptionOfType(OutOfStock.class)
        .isThrownBy(() -> shop.buy(7))
        .satisfies(e -> assertThat(e.left).isEqualTo(3));
    assertThatExceptionOfType(RemoteRpcException.class)
        .as("a checked exception that the method does not declare")
        .isThrownBy(shop::undeclared);
  }

  @Test
  void anErrorWithoutItsExceptionStaysAnError() {
    Options mapping = Options.builder().mapError(SOLD_OUT, e -> null).build();
    Shop shop = connect(SHOP, SERVER, mapping).proxy(Shop.class);
    assertThatExceptionOfType(RemoteRpcException.class).isThrownBy(() -> shop.buy(7));
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(
            () -> connect(SHOP, SERVER, Options.DEFAULT).proxy(Shop.class).buy(7));
  }

  @Test
  void aFailureOfAHandlerIsLoggedByDefault() throws Exception {
    Service failing = Service.builder()
        .method("fails", call -> {
          throw new IOException("disk");
        })
        .build();
    try (LogRecords records = new LogRecords(each -> each.getMessage().contains("'fails'"))) {
      Peer client = connect(failing, Options.DEFAULT, Options.DEFAULT);
      LogRecord record = null;
      while (record == null) {
        assertThatExceptionOfType(RemoteRpcException.class)
            .isThrownBy(() -> client.call("fails", String.class))
            .withMessageNotContaining("disk");
        // Other tests in this process may have used up the records of this period.
        record = records.all.poll(1, TimeUnit.SECONDS);
      }
      assertThat(record.getMessage()).startsWith("the method 'fails' failed");
      assertThat(record.getThrown()).hasMessage("disk");
    }
  }

  @Test
  void aPeerCannotFloodTheLog() {
    FailureLog log = new FailureLog();
    try (LogRecords records = LogRecords.ofThisThread()) {
      for (int i = 0; i < 1_000; i++) {
        log.write("violation " + i, null);
      }
      assertThat(records.all).hasSizeLessThanOrEqualTo(20);
      assertThat(records.all.remove().getMessage()).isEqualTo("violation 0");
    }
  }

  @Test
  void aRecordIsOneLineOfBoundedLength() {
    try (LogRecords records = LogRecords.ofThisThread()) {
      new FailureLog().write("a\nb\u001b" + "x".repeat(10_000), null);
      String line = records.all.remove().getMessage();
      assertThat(line).startsWith("a b xxx").endsWith("x...").hasSizeLessThan(400);
    }
  }
}
