package dev.repartee.envelopes;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The codec of JSON-RPC 1.0. */
final class JsonRpc10Codec implements Codec {
  private static final List<String> NAMES = List.of("method", "params", "id", "result", "error");
  private static final int METHOD = 0;
  private static final int PARAMS = 1;
  private static final int ID = 2;
  private static final int RESULT = 3;
  private static final int ERROR = 4;

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    Members in = Members.of(frame, from, to, into, NAMES);
    String flaw = in.flaw();
    if (flaw == null) {
      if (in.hasValue(ID)) {
        into.id(in.from(ID), in.to(ID));
      }
      boolean isAnswer = !in.has(METHOD) && (in.has(RESULT) || in.has(ERROR));
      flaw = isAnswer ? answer(in, into) : call(in, into);
    }
    if (flaw != null) {
      into.reason(flaw);
    }
  }

  /** Reads a request or notification; returns its defect, or null. */
  private static @Nullable String call(Members in, ParsedFrame into) {
    if (!in.is(METHOD, Json.Kind.STRING)) {
      return in.unfit(METHOD, "a string");
    }
    into.method(in.from(METHOD) + 1, in.to(METHOD) - 1, in.isEscaped(METHOD));
    if (!in.is(PARAMS, Json.Kind.ARRAY)) {
      return in.unfit(PARAMS, "an array");
    } else if (!in.has(ID)) {
      return in.unfit(ID, "null in a notification");
    } else if (in.hasValue(RESULT) || in.hasValue(ERROR)) {
      return "a message with the member 'method' has no result and no error";
    }
    into.params(in.from(PARAMS), in.to(PARAMS));
    into.become(in.hasValue(ID) ? ParsedFrame.REQUEST : ParsedFrame.NOTIFICATION);
    return null;
  }

  /** Reads a response; returns its defect, or null. */
  private static @Nullable String answer(Members in, ParsedFrame into) {
    into.become(ParsedFrame.RESPONSE);
    for (int member : new int[] {RESULT, ERROR, ID}) {
      // Servers such as ovsdb-server omit the result null if there is an error.
      boolean isSpare = member == RESULT && in.hasValue(ERROR);
      if (!in.has(member) && !isSpare) {
        into.flawed();
        return in.unfit(member, "present in a response, null if there is none");
      }
    }
    if (in.hasValue(RESULT) && in.hasValue(ERROR)) {
      into.flawed();
      return "one of the members 'result' and 'error' has to be null";
    } else if (in.hasValue(ERROR)) {
      into.error(in.from(ERROR), in.to(ERROR));
    } else {
      into.result(in.from(RESULT), in.to(RESULT));
    }
    return null;
  }

  @Override
  public RpcError readError(Json error) {
    String text = error.string();
    if (text != null) {
      return new RpcError(RpcError.NO_CODE, text);
    }
    String message = error.string("message");
    if (message == null) {
      return new RpcError(RpcError.NO_CODE, "an error without a message", error);
    }
    Integer code = integer(error.get("code"));
    Json data = error.get("data");
    if (data == null
        && !(code == null ? Set.of("message") : Set.of("code", "message"))
            .containsAll(error.members().keySet())) {
      data = error;
    }
    return new RpcError(code == null ? RpcError.NO_CODE : code, message, data);
  }

  /** Returns a JSON value as an {@code int}; null if it is not an {@code int}. */
  static @Nullable Integer integer(@Nullable Json value) {
    try {
      return value == null || value.kind() != Json.Kind.NUMBER ? null : value.as(Integer.class);
    } catch (JsonException e) {
      return null; // a fraction, or too large
    }
  }

  // ---------------------------------------------------------------- writing

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    out.ascii("{\"method\":").string(method).ascii(",\"params\":").ascii(structured ? "" : "[]");
  }

  @Override
  public void endParams(JsonWriter out, int from) {
    if (out.array()[from] != '[') {
      throw new IllegalArgumentException("JSON-RPC 1.0 has params by position only, so the params"
          + " have to be an array, not an object");
    }
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    out.ascii(",\"id\":");
    if (id == NO_ID) {
      out.nil();
    } else {
      out.number(id);
    }
    out.put('}');
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    out.ascii("{\"result\":");
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    out.ascii(",\"error\":null");
    id(out, bytes, from, to);
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    JsonRpc.writeError(out.ascii("{\"result\":null,\"error\":"), error);
    id(out, bytes, from, to);
  }

  static void id(JsonWriter out, byte[] bytes, int from, int to) {
    out.ascii(",\"id\":");
    if (from == to) {
      out.nil();
    } else {
      out.raw(bytes, from, to);
    }
    out.put('}');
  }
}
