package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Channel;
import dev.repartee.FrameFault;
import dev.repartee.Output;
import dev.repartee.Receiver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a channel, played by a test frame by frame: it says what it is told to, be it
 * right or wrong, and shows what it hears.
 */
public final class ScriptedPeer implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 10;
  private static final String END = new String("the end");

  private final Channel channel;
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private volatile @Nullable Throwable cause;

  private ScriptedPeer(Channel channel) {
    this.channel = channel;
  }

  /** Starts the channel and plays its end. */
  public static ScriptedPeer on(Channel channel) {
    ScriptedPeer peer = new ScriptedPeer(channel);
    channel.start(peer.new Ear());
    return peer;
  }

  /** Sends a text as one frame, whatever it is. */
  public ScriptedPeer send(String frame) {
    channel.commit(channel.open().raw(frame.getBytes(UTF_8)));
    return this;
  }

  /** The next frame heard; fails the test if none comes or the channel has ended. */
  public String receive() {
    String frame = next();
    assertThat(frame).as("a frame, not the end of the channel (%s)", cause).isNotSameAs(END);
    return frame;
  }

  /** Asserts that these are the next frames, in this order. */
  public ScriptedPeer expect(String... frames) {
    for (String frame : frames) {
      assertThat(receive()).isEqualTo(frame);
    }
    return this;
  }

  /**
   * Asserts that nothing was answered to what was sent so far, by sending a request that must be
   * answered: its answer has to be the next frame. Needs {@code rpc.ping} at the other end.
   */
  public ScriptedPeer expectSilence() {
    send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":\"silence\"}");
    return expect("{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":\"silence\"}");
  }

  /** Asserts that the other end says nothing more and ends the channel. */
  public void expectEnd() {
    assertThat(next()).isSameAs(END);
  }

  private String next() {
    try {
      String frame = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (frame == null) {
        throw new AssertionError("nothing was heard for " + PATIENCE_SECONDS + " s");
      }
      return frame;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while listening", e);
    }
  }

  /** The channel, for what only it can do. */
  public Channel channel() {
    return channel;
  }

  /** A frame to be filled and committed by hand. */
  public Output open() {
    return channel.open();
  }

  @Override
  public void close() {
    channel.close();
  }

  private final class Ear implements Receiver {
    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      heard.add(new String(bytes, from, to - from, UTF_8));
      return true;
    }

    @Override
    public void fault(FrameFault fault) {
      heard.add("fault: " + fault.reason());
    }

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public void inputEnded() {
      channel.close();
    }

    @Override
    public void closed(@Nullable Throwable why) {
      cause = why;
      heard.add(END);
    }
  }
}
