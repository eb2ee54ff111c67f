package dev.repartee.envelopes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The codec of the Debug Adapter Protocol on one connection. Thread-safe. */
final class DapCodec implements Codec {
  /** The message of the answer to a request that was cancelled. */
  static final String CANCELLED = "cancelled";

  private static final List<String> NAMES =
      List.of("seq", "type", "command", "arguments", "event", "body", "request_seq", "success");
  private static final int SEQ = 0;
  private static final int TYPE = 1;
  private static final int COMMAND = 2;
  private static final int ARGUMENTS = 3;
  private static final int EVENT = 4;
  private static final int BODY = 5;
  private static final int REQUEST_SEQ = 6;
  private static final int SUCCESS = 7;

  private static final String WITH_ARGUMENTS = ",\"arguments\":";
  private static final String WITH_BODY = ",\"body\":";
  private static final String NO_RESULT = WITH_BODY + "null";

  /** The number of the last message of this side. */
  private final AtomicLong last = new AtomicLong();

  /** Whether the adapter at the other side has announced that it serves {@code cancel}. */
  private volatile boolean cancelTaken;

  @Override
  public LongSupplier numbering() {
    return last::incrementAndGet;
  }

  @Override
  public boolean isCancelTaken() {
    return cancelTaken;
  }

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    Members in = Members.of(frame, from, to, into, NAMES);
    String flaw = in.flaw() == null ? message(in, into) : in.flaw();
    if (flaw != null) {
      into.reason(flaw);
    }
  }

  /** Reads a message; returns its defect, or null. */
  private @Nullable String message(Members in, ParsedFrame into) {
    if (!in.is(TYPE, Json.Kind.STRING)) {
      return in.unfit(TYPE, "'request', 'response' or 'event'");
    }
    return switch (in.text(TYPE)) {
      case "request" -> request(in, into);
      case "response" -> response(in, into);
      case "event" -> method(in, into, EVENT, BODY, ParsedFrame.NOTIFICATION);
      default -> "the member 'type' is none of 'request', 'response' and 'event'";
    };
  }

  private static @Nullable String request(Members in, ParsedFrame into) {
    if (!in.isNumber(SEQ)) {
      return in.unfit(SEQ, "an integer from 1 on");
    }
    into.id(in.from(SEQ), in.to(SEQ));
    return method(in, into, COMMAND, ARGUMENTS, ParsedFrame.REQUEST);
  }

  private static @Nullable String method(
      Members in, ParsedFrame into, int name, int params, int kind) {
    if (!in.is(name, Json.Kind.STRING)) {
      return in.unfit(name, "a string");
    }
    into.method(in.from(name) + 1, in.to(name) - 1, in.isEscaped(name));
    if (in.hasValue(params)) {
      if (!in.is(params, Json.Kind.OBJECT)) {
        return in.unfit(params, "an object");
      }
      into.params(in.from(params), in.to(params));
    }
    into.become(kind);
    return null;
  }

  private @Nullable String response(Members in, ParsedFrame into) {
    into.become(ParsedFrame.RESPONSE);
    if (!in.isNumber(REQUEST_SEQ)) {
      into.flawed();
      return in.unfit(REQUEST_SEQ, "the seq of a request");
    }
    into.id(in.from(REQUEST_SEQ), in.to(REQUEST_SEQ));
    if (!in.is(SUCCESS, Json.Kind.BOOLEAN)) {
      into.flawed();
      return in.unfit(SUCCESS, "true or false");
    }
    if (in.isLiteral(SUCCESS, "false")) {
      into.error(in.start(), in.end()); // readError finds message and body there
    } else if (in.has(BODY)) {
      into.result(in.from(BODY), in.to(BODY));
      if (in.is(COMMAND, Json.Kind.STRING) && in.text(COMMAND).equals("initialize")) {
        cancelTaken = Json.TRUE.equals(in.json(BODY).get("supportsCancelRequest"));
      }
    }
    return null;
  }

  @Override
  public RpcError readError(Json response) {
    Json body = response.get("body");
    Json error = body == null ? null : body.get("error");
    String message = response.string("message");
    if (message == null) {
      message = error == null ? null : error.string("format");
    }
    String text = message == null ? "an error without a message" : message;
    Integer code = JsonRpc10Codec.integer(error == null ? null : error.get("id"));
    int known = text.equals(CANCELLED) ? RpcError.CANCELLED : RpcError.NO_CODE;
    Json data = body == null ? null : body.get("data");
    return new RpcError(code == null ? known : code, text, data == null ? body : data);
  }

  // ---------------------------------------------------------------- writing

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    out.ascii(
        id == NO_ID ? "{\"type\":\"event\",\"event\":" : "{\"type\":\"request\",\"command\":");
    out.string(method);
    if (structured) {
      out.ascii(id == NO_ID ? WITH_BODY : WITH_ARGUMENTS);
    }
  }

  @Override
  public void endParams(JsonWriter out, int from) {
    if (out.array()[from] == '{') {
      return;
    } else if (out.size() != from + 2) {
      throw new IllegalArgumentException("the Debug Adapter Protocol has params by name only, so"
          + " the params have to be an object, not an array");
    }
    // A call without arguments: the empty array and the name of its member are omitted.
    out.truncate(from - (endsWith(out, from, WITH_BODY) ? WITH_BODY : WITH_ARGUMENTS).length());
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    end(out, id == NO_ID ? last.incrementAndGet() : id);
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    beginAnswer(out, bytes, from, to, method, "true").ascii(WITH_BODY);
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    if (endsWith(out, out.size(), NO_RESULT)) {
      out.truncate(out.size() - NO_RESULT.length());
    }
    end(out, last.incrementAndGet());
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    beginAnswer(out, bytes, from, to, method == null ? "" : method, "false");
    out.ascii(",\"message\":").string(error.message()).ascii(WITH_BODY);
    Json data = error.data();
    if (data != null && data.get("error") != null) {
      out.json(data);
    } else {
      out.ascii("{\"error\":{\"id\":").number(error.code());
      out.ascii(",\"format\":").string(error.message()).put('}');
      if (data != null) {
        out.ascii(",\"data\":").json(data);
      }
      out.put('}');
    }
    end(out, last.incrementAndGet());
  }

  private static JsonWriter beginAnswer(
      JsonWriter out, byte[] bytes, int from, int to, String method, String success) {
    out.ascii("{\"type\":\"response\",\"request_seq\":");
    out.raw(bytes, from, to);
    return out.ascii(",\"success\":").ascii(success).ascii(",\"command\":").string(method);
  }

  /** Writes the number of the message last, to minimize the time until the message is sent. */
  private static void end(JsonWriter out, long seq) {
    out.ascii(",\"seq\":").number(seq).put('}');
  }

  private static boolean endsWith(JsonWriter out, int end, String text) {
    byte[] expected = text.getBytes(US_ASCII);
    int from = end - expected.length;
    return from >= 0 && Arrays.equals(out.array(), from, end, expected, 0, expected.length);
  }
}
