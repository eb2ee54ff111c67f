package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The facts that a transport needs if it may deliver a frame twice, or has to drop it. */
class RepeatedFramesTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "", "message");

  public static class Accounts {
    @Rpc(idempotent = true)
    public int balance() {
      return 7;
    }

    @Rpc
    public int withdraw() {
      throw new AssertionError("a refused frame was run");
    }
  }

  private final FrameResponder responder = FrameResponder.of(
      Service.of(new Accounts())
          .and(Service.builder()
              .add(RpcMethod.builder("limit").idempotent().handler(call -> 1))
              .build()),
      Options.DEFAULT,
      INFO);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','id':1,'method':'balance'}",
        "{'jsonrpc':'2.0','method':'b\\u0061lance'}",
        "[{'jsonrpc':'2.0','id':1,'method':'balance'},{'jsonrpc':'2.0','id':2,'method':'limit'}]",
        "{'jsonrpc':'2.0','id':1,'method':'unknown'}",
        "{'jsonrpc':'2.0','id':1}",
        "not JSON",
      })
  void aFrameOfIdempotentOrInvalidMessagesMayBeServedTwice(String frame) {
    assertThat(isIdempotent(frame)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','id':1,'method':'withdraw'}",
        "{'jsonrpc':'2.0','method':'withdraw'}",
        "[{'jsonrpc':'2.0','id':1,'method':'balance'},{'jsonrpc':'2.0','method':'withdraw'}]",
      })
  void aFrameWithAnotherMethodMayNot(String frame) {
    assertThat(isIdempotent(frame)).isFalse();
  }

  private boolean isIdempotent(String frame) {
    byte[] bytes = frame.replace('\'', '"').getBytes(UTF_8);
    return responder.isIdempotent(bytes, 0, bytes.length);
  }

  @Test
  void aRefusedFrameIsAnsweredWithTheErrorAndNotRun() throws Exception {
    byte[] frame = """
        [{"jsonrpc":"2.0","id":1,"method":"withdraw"},
         {"jsonrpc":"2.0","method":"withdraw"},
         {"jsonrpc":"2.0","id":2,"method":"balance"}]""".getBytes(UTF_8);
    BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    responder.refuse(frame, 0, frame.length, -32006, "It may have run", sink(replies));
    assertThat(replies.poll(60, TimeUnit.SECONDS)).isEqualTo("""
        [{"jsonrpc":"2.0","error":{"code":-32006,"message":"It may have run"},"id":1},\
        {"jsonrpc":"2.0","error":{"code":-32006,"message":"It may have run"},"id":2}]""");
    assertThat(replies).isEmpty();
  }

  private static FrameSink sink(BlockingQueue<String> replies) {
    return new FrameSink() {
      @Override
      public OutboundFrame open() {
        return new OutboundFrame(1 << 16);
      }

      @Override
      public void commit(OutboundFrame frame) {
        replies.add(new String(frame.toBytes(), UTF_8));
      }
    };
  }
}
