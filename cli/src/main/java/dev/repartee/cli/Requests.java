package dev.repartee.cli;

import dev.repartee.Id;
import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.JsonRpc;
import dev.repartee.Message;
import dev.repartee.Output;
import dev.repartee.ProtocolException;
import dev.repartee.Request;
import dev.repartee.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The texts of one batch and the answers they still wait for (JSON-RPC 2.0 section 6). A text that is
 * JSON but no message is sent too, for the peer to refuse.
 */
final class Requests {
  private final Output batch = new Output();
  private final List<Id> awaited = new ArrayList<>();
  private int answered;

  /**
   * Reads a text a line; blank lines are none.
   *
   * @param source what sentences call it
   * @throws Failure if one is not JSON, is a batch itself, or there is none at all
   */
  static Requests read(byte[] text, String source) throws IOException {
    Requests requests = new Requests();
    Lines lines = new Lines(new ByteArrayInputStream(text));
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      if (!isBlank(line)) {
        requests.add(line, "line " + lines.number() + " of " + source);
      }
    }
    if (requests.batch.size() == 0) {
      throw Failure.usage(
          source + " holds no request; give one on each line, {\"jsonrpc\":\"2.0\",...}");
    }
    requests.batch.put(']');
    return requests;
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return false;
      }
    }
    return true;
  }

  private void add(byte[] line, String where) {
    try {
      if (Json.parse(line).kind() == Json.Kind.ARRAY) {
        throw Failure.usage(where + " is a batch itself; give each of its requests its own line");
      }
      await(line);
    } catch (JsonException e) {
      throw Failure.usage(
          where + " is not JSON (" + Failure.reason(e) + "); 'repartee send' sends what is not");
    }
    batch.put(batch.size() == 0 ? '[' : ',').raw(line);
  }

  private void await(byte[] line) {
    try {
      List<Message> messages = JsonRpc.read(line);
      if (messages.isEmpty()) {
        awaited.add(Id.NULL);
      } else if (messages.get(0) instanceof Request request) {
        awaited.add(request.id());
      }
    } catch (ProtocolException e) {
      // A response, if a poor one: like a good one it gets none.
    }
  }

  /** The batch, each text in it as it was read. */
  byte[] text() {
    return batch.toBytes();
  }

  /**
   * Takes note of an answer.
   *
   * @return whether anything waited for it
   */
  boolean answer(Response response) {
    // What is no message may still have an id, which some give back.
    boolean expected = awaited.remove(response.id()) || awaited.remove(Id.NULL);
    if (expected) {
      answered++;
    }
    return expected;
  }

  /** Waits for nothing more: the peer has refused the whole batch. */
  void refused() {
    awaited.clear();
  }

  boolean areAnswered() {
    return awaited.isEmpty();
  }

  /** What is still missing, as a sentence says it. */
  String missing() {
    return "no answer to " + awaited.size() + " of " + (answered + awaited.size())
        + " requests (such as id " + awaited.get(0) + ")";
  }
}
