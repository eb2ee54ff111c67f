package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Channel;

/**
 * The other end of a channel, played by a test frame by frame: it says what it is told to, be it
 * right or wrong, and shows what it hears.
 */
public final class ScriptedPeer implements AutoCloseable {
  private final Channel channel;
  private final RecordingReceiver heard;

  private ScriptedPeer(Channel channel, RecordingReceiver heard) {
    this.channel = channel;
    this.heard = heard;
  }

  /** Starts the channel and plays its end. */
  public static ScriptedPeer on(Channel channel) {
    RecordingReceiver heard = new RecordingReceiver() {
      @Override
      public void inputEnded() {
        channel.close();
      }
    };
    channel.start(heard);
    return new ScriptedPeer(channel, heard);
  }

  /** Sends a text as one frame, whatever it is. */
  public ScriptedPeer send(String frame) {
    channel.commit(channel.open().raw(frame.getBytes(UTF_8)));
    return this;
  }

  /** The next frame heard; fails the test if none comes or the channel has ended. */
  public String receive() {
    String frame = heard.next();
    assertThat(frame).as("a frame, not the end of the channel").doesNotStartWith("<");
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

  /** Sends what an example sends, and asserts that it gets exactly its answer, or silence. */
  public ScriptedPeer play(WorkedExamples.Example example) {
    send(example.sent());
    String answer = example.answer();
    if (answer == null) {
      return expectSilence();
    }
    assertThat(receive()).as(example.name()).isEqualTo(answer);
    return this;
  }

  /** Asserts that the other end says nothing more and ends the channel. */
  public void expectEnd() {
    assertThat(heard.next()).isEqualTo(RecordingReceiver.CLOSED);
  }

  /** The channel, for what only it can do. */
  public Channel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.close();
  }
}
