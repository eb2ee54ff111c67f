package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.testkit.examples.WorkedExamples;
import dev.repartee.transport.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a channel, controlled by a test frame by frame: it sends any frame, valid or
 * not, and returns the frames that it receives.
 */
public final class ScriptedPeer implements AutoCloseable {
  private final Channel channel;
  private final RecordingReceiver heard;

  private ScriptedPeer(Channel channel, RecordingReceiver heard) {
    this.channel = channel;
    this.heard = heard;
  }

  /** Starts the channel and returns its peer. */
  public static ScriptedPeer on(Channel channel) {
    RecordingReceiver heard = new RecordingReceiver() {
      @Override
      public void inputClosed(@Nullable Throwable cause) {
        channel.close();
      }
    };
    channel.start(heard);
    return new ScriptedPeer(channel, heard);
  }

  /** Sends a text as one frame, without checking it. */
  public ScriptedPeer send(String frame) {
    channel.send(frame.getBytes(UTF_8));
    return this;
  }

  /** Returns the next received frame; fails the test if none arrives or the channel has ended. */
  public String receive() {
    String frame = heard.next();
    assertThat(frame).as("a frame, not the end of the channel").doesNotStartWith("<");
    return frame;
  }

  /** Asserts that the next received frames are these, in this order. */
  public ScriptedPeer expect(String... frames) {
    for (String frame : frames) {
      assertThat(receive()).isEqualTo(frame);
    }
    return this;
  }

  /**
   * Asserts that the frames sent so far have no further answers. Sends a request whose response
   * must be the next received frame. The other end must have the method {@code rpc.ping}.
   */
  public ScriptedPeer expectSilence() {
    send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":\"silence\"}");
    return expect("{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":\"silence\"}");
  }

  /** Sends the frame of an example, and asserts that it gets exactly its answer, or none. */
  public ScriptedPeer play(WorkedExamples.Example example) {
    send(example.sent());
    String answer = example.answer();
    if (answer == null) {
      return expectSilence();
    }
    assertThat(receive()).as(example.name()).isEqualTo(answer);
    return this;
  }

  /** Asserts that the other end sends nothing more and closes the channel. */
  public void expectEnd() {
    assertThat(heard.next()).isEqualTo(RecordingReceiver.CLOSED);
  }

  /** Returns the channel, for operations that this class does not have. */
  public Channel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.close();
  }
}
