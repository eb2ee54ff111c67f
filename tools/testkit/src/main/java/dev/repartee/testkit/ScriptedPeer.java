package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonDifference;
import dev.repartee.json.JsonException;
import dev.repartee.testkit.examples.WorkedExamples;
import dev.repartee.transport.Channel;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

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
    if (frame.startsWith("<")) {
      throw new AssertionError("expected a frame, but the channel reports " + frame);
    }
    return frame;
  }

  /**
   * Asserts that the next received frames are these, in this order. Frames are compared as
   * {@link JsonDifference} describes: the order of members and white space do not matter. The
   * failure names the path of the first difference. A frame that is not JSON is compared by its
   * text.
   */
  public ScriptedPeer expect(String... frames) {
    for (String frame : frames) {
      requireSame("the received frame", frame, receive());
    }
    return this;
  }

  private static void requireSame(String subject, String expected, String received) {
    String difference;
    try {
      JsonDifference found = JsonDifference.between(Json.parse(expected), Json.parse(received));
      difference = found == null ? null : found.toString();
    } catch (JsonException e) {
      difference = expected.equals(received) ? null : "the texts differ, and one is not JSON";
    }
    if (difference != null) {
      throw new AssertionFailedError(
          subject + " differs " + difference + "\nexpected: " + expected + "\nreceived: "
              + received,
          expected,
          received);
    }
  }

  /**
   * Asserts that the frames sent so far have no further answers. Sends a request whose response
   * must be the next received frame. The other end must have the method {@code rpc.ping}.
   */
  public ScriptedPeer expectSilence() {
    send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":\"silence\"}");
    return expect("{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":\"silence\"}");
  }

  /**
   * Sends the frame of an example, and asserts that the other end sends the expected answer, as
   * {@link #expect} does, or none.
   */
  public ScriptedPeer play(WorkedExamples.Example example) {
    send(example.sent());
    String answer = example.answer();
    if (answer == null) {
      return expectSilence();
    }
    requireSame("the answer to '" + example.name() + "'", answer, receive());
    return this;
  }

  /** Asserts that the other end sends nothing more and closes the channel. */
  public void expectEnd() {
    String next = heard.next();
    if (!next.equals(RecordingReceiver.CLOSED)) {
      throw new AssertionError("expected the end of the channel, but received " + next);
    }
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
