package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Objects;
import java.util.Set;

/** Creates exchanges of the method {@code m}, which no connection has delivered. */
final class OwnedExchanges {
  private static final FrameSink NOWHERE = new FrameSink() {
    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {}
  };

  private static final Connection CONNECTION = connection(Options.DEFAULT);

  private OwnedExchanges() {}

  private static Connection connection(Options options) {
    return new Responder(new Connection(
            new ServerContext(Service.builder().method("m", call -> 1).build(), options),
            NOWHERE,
            new ChannelInfo("test", "", "message"),
            Attributes.NONE,
            Runnable::run,
            () -> {}))
        .connection();
  }

  static OwnedExchange notification() {
    return of("""
        {"jsonrpc":"2.0","method":"m"}""");
  }

  static OwnedExchange request(String id) {
    return of("""
        {"jsonrpc":"2.0","method":"m","id":%s}""".formatted(id));
  }

  private static OwnedExchange of(String message) {
    return of(CONNECTION, message);
  }

  /** Returns the exchange of a message with the method {@code m}, read by the dialect of options. */
  static OwnedExchange of(Options options, String message) {
    return of(connection(options), message);
  }

  private static OwnedExchange of(Connection connection, String message) {
    byte[] frame = message.getBytes(UTF_8);
    Element element = new Element(Limits.DEFAULT, Set.of());
    connection.codec().decode(frame, 0, frame.length, element.frame);
    RpcMethod method = element.methodOf(connection.context().service());
    return new OwnedExchange(connection, element, Objects.requireNonNull(method));
  }
}
