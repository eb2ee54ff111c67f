package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.message.Dialect;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

public final class TracedClient {
  private TracedClient() {}

  record Token(String value, Instant expiry) {}

  /** Sends a token with each message, and gets a new one shortly before it expires. */
  static final class Tokens implements Supplier<Map<String, String>> {
    private final Supplier<Token> login;
    private @Nullable Token token; // guarded by this

    Tokens(Supplier<Token> login) {
      this.login = login;
    }

    @Override
    public synchronized Map<String, String> get() {
      Token current = token;
      if (current == null || Instant.now().isAfter(current.expiry().minusSeconds(30))) {
        current = login.get();
        token = current;
      }
      return Map.of("Authorization", "Bearer " + current.value());
    }
  }

  /** Sends the W3C trace context with each call. */
  record TraceContext(Supplier<String> span) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      call.requestHeader("traceparent", span.get());
      return next.handle(call);
    }
  }

  static Options options(Supplier<Token> login, Supplier<String> span) {
    Options options = Options.builder()
        .headers(new Tokens(login))
        .callLayer(new TraceContext(span))
        .build();
    return options;
  }

  static String cancel(Peer peer, String order) {
    return peer.request("cancel")
        .args(order)
        .header("Idempotency-Key", "cancel-" + order)
        .call(String.class);
  }

  static Options reading() {
    Options options =
        Options.builder().dialect(Dialect.withMembers(Dialect.PLAIN, "tenant")).build();
    return options;
  }
}
