package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.ProtocolException;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Lines;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The texts of one batch and the responses that are still expected (JSON-RPC 2.0 section 6). A JSON
 * text that is not a JSON-RPC message is sent too, and the peer rejects it.
 */
final class Requests {
  private final JsonWriter batch = new JsonWriter();
  /** The ids of the missing responses; null is the id of an error for an invalid request. */
  private final List<Id> awaited = new ArrayList<>();

  private int answered;

  /**
   * Reads a text from each line, except blank lines.
   *
   * @param source the name of the input for error messages
   */
  static Requests read(byte[] text, String source) throws IOException {
    Requests requests = new Requests();
    Lines lines = new Lines(new ByteArrayInputStream(text));
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      if (!new String(line, ISO_8859_1).isBlank()) {
        requests.add(line, "line " + lines.number() + " of " + source);
      }
    }
    if (requests.batch.size() == 0) {
      throw Failure.usage(
          source + " contains no request; write one on each line, {\"jsonrpc\":\"2.0\",...}");
    }
    requests.batch.put(']');
    return requests;
  }

  private void add(byte[] line, String where) {
    try {
      if (Json.parse(line).kind() == Json.Kind.ARRAY) {
        throw Failure.usage(
            where + " is a batch itself; write each of its requests on its own line");
      }
      await(line);
    } catch (JsonException e) {
      throw Failure.usage(where + " is not JSON (" + Failure.reason(e)
          + "); to send invalid JSON, use 'repartee send'");
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
      // A malformed response. Responses are not answered, malformed or not.
    }
  }

  /** Returns the batch, with each text as it was read. */
  byte[] text() {
    return batch.toBytes();
  }

  /**
   * Records a response.
   *
   * @return whether it was expected
   */
  boolean answer(Response response) {
    // Some peers reject an invalid request with its id instead of null.
    boolean expected = awaited.remove(response.id()) || awaited.remove(Id.NULL);
    if (expected) {
      answered++;
    }
    return expected;
  }

  /** Stops expecting responses, because the peer has rejected the whole batch. */
  void refused() {
    awaited.clear();
  }

  /** Returns whether all expected responses have been received. */
  boolean areAnswered() {
    return awaited.isEmpty();
  }

  /** Returns the start of a sentence that counts the missing responses. */
  String missing() {
    return "no answer to " + awaited.size() + " of " + (answered + awaited.size())
        + " requests (such as id " + awaited.get(0) + ")";
  }
}
