package dev.repartee.envelopes;

import dev.repartee.json.Json;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The codec of mxr. Thread-safe. */
final class MxrCodec implements Codec {
  private static final List<String> NAMES = List.of("id", "payload");
  private static final int ID = 0;
  private static final int PAYLOAD = 1;

  private static final List<String> TAGS =
      List.of("type", "cmd", "event", "status", "data", "message");
  private static final int TYPE = 0;
  private static final int COMMAND = 1;
  private static final int EVENT = 2;
  private static final int STATUS = 3;
  private static final int DATA = 4;

  /** The number of digits of the largest unsigned integer of 64 bits. */
  private static final int DIGITS = 20;

  /** The length of an object without members. */
  private static final int EMPTY = 2;

  private static final StringCodes KINDS = new StringCodes(
      Map.of(
          RpcError.PARSE_ERROR, "invalid_request",
          RpcError.INVALID_REQUEST, "invalid_request",
          RpcError.INVALID_PARAMS, "invalid_request",
          RpcError.TOO_LARGE, "invalid_request",
          RpcError.METHOD_NOT_FOUND, "unsupported",
          RpcError.BUSY, "rate_limited"),
      Map.of(
          "invalid_request", RpcError.INVALID_REQUEST,
          "unsupported", RpcError.METHOD_NOT_FOUND,
          "rate_limited", RpcError.BUSY,
          "internal", RpcError.INTERNAL_ERROR),
      "internal");

  private final String source;

  MxrCodec(String source) {
    this.source = source;
  }

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    Members in = Members.of(frame, from, to, into, NAMES);
    String flaw = in.flaw();
    if (flaw == null) {
      flaw = !in.isNumber(ID, DIGITS)
          ? in.unfit(ID, "an integer from 0 on")
          : in.is(PAYLOAD, Json.Kind.OBJECT)
              ? payload(in, frame, into)
              : in.unfit(PAYLOAD, "an object");
    }
    if (flaw != null) {
      into.reason(flaw);
    }
  }

  /** Reads the payload; returns the defect of the message, or null. */
  private static @Nullable String payload(Members in, byte[] frame, ParsedFrame into) {
    Members payload = in.inside(PAYLOAD, TAGS);
    if (payload.flaw() != null) {
      return payload.flaw();
    } else if (!payload.is(TYPE, Json.Kind.STRING)) {
      return payload.unfit(TYPE, "'Request', 'Response' or 'Event'");
    }
    return switch (payload.text(TYPE)) {
      case "Request" -> method(in, payload, COMMAND, frame, into, ParsedFrame.REQUEST);
      case "Event" -> method(in, payload, EVENT, frame, into, ParsedFrame.NOTIFICATION);
      case "Response" -> answer(in, payload, into);
      default -> "the member 'type' is none of 'Request', 'Response' and 'Event'";
    };
  }

  /**
   * Reads a request or event. Its params are all members of the payload except the tags. They
   * become a separate object, in one copy of the parts of the message: id, method and params.
   */
  private static @Nullable String method(
      Members in, Members payload, int name, byte[] frame, ParsedFrame into, int kind) {
    if (!payload.is(name, Json.Kind.STRING)) {
      return payload.unfit(name, "a string");
    }
    JsonWriter out = new JsonWriter(in.end() - in.start());
    int id = out.raw(frame, in.from(ID), in.to(ID)).size();
    int method = out.raw(frame, payload.from(name) + 1, payload.to(name) - 1).size();
    payload.writeWithout(out, TYPE, name);
    into.reset(out.array(), false);
    into.add(kind);
    into.method(id, method, payload.isEscaped(name));
    if (kind == ParsedFrame.REQUEST) {
      into.id(0, id);
    }
    if (out.size() > method + EMPTY) {
      into.params(method, out.size());
    }
    return null;
  }

  private static @Nullable String answer(Members in, Members payload, ParsedFrame into) {
    into.become(ParsedFrame.RESPONSE);
    if (!in.isLiteral(ID, "0")) {
      into.id(in.from(ID), in.to(ID));
    }
    String status = payload.is(STATUS, Json.Kind.STRING) ? payload.text(STATUS) : "";
    if (status.equals("Error")) {
      into.error(payload.start(), payload.end());
    } else if (status.equals("Ok") && payload.has(DATA)) {
      into.result(payload.from(DATA), payload.to(DATA));
    } else {
      into.flawed();
      return status.equals("Ok")
          ? payload.unfit(DATA, "present in a response without an error")
          : "the member 'status' is neither 'Ok' nor 'Error'";
    }
    return null;
  }

  @Override
  public RpcError readError(Json payload) {
    Map<String, Json> data = new LinkedHashMap<>(payload.members());
    data.remove("type");
    data.remove("status");
    String message = payload.string("message");
    if (message != null) {
      data.remove("message");
    }
    String kind = payload.string("kind");
    return new RpcError(
        KINDS.number(kind == null ? "internal" : kind, payload.get("details")),
        message == null ? "an error without a message" : message,
        Json.of(data));
  }

  // ---------------------------------------------------------------- writing

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    out.ascii("{\"id\":").number(id).ascii(",\"source\":").string(source);
    out.ascii(
        id == NO_ID
            ? ",\"payload\":{\"type\":\"Event\",\"event\":"
            : ",\"payload\":{\"type\":\"Request\",\"cmd\":");
    out.string(method);
  }

  /** Moves the members of the params into the payload. */
  @Override
  public void endParams(JsonWriter out, int from) {
    byte[] b = out.array();
    boolean named = b[from] == '{';
    if (JsonScanner.first(b, from, out.size(), named ? '}' : ']') < 0) {
      out.truncate(from);
      return;
    } else if (!named) {
      throw new IllegalArgumentException(
          "mxr has params by name only, so the params have to be an" + " object, not an array");
    }
    Members params = Members.in(b, from, out.size(), new JsonScanner(Limits.DEPTH), TAGS);
    for (int tag : new int[] {TYPE, COMMAND, EVENT}) {
      if (params.has(tag)) {
        throw new IllegalArgumentException("the param '" + TAGS.get(tag)
            + "' has the name of a member that mxr messages have themselves; leave it out");
      }
    }
    b[from] = ',';
    out.truncate(out.size() - 1);
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    out.ascii("}}");
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    beginAnswer(out, bytes, from, to).ascii("\"Ok\",\"data\":");
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    out.ascii("}}");
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    beginAnswer(out, bytes, from, to).ascii("\"Error\",\"message\":").string(error.message());
    members(error).forEach((name, value) -> out.put(',').string(name).put(':').json(value));
    out.ascii("}}");
  }

  private static JsonWriter beginAnswer(JsonWriter out, byte[] bytes, int from, int to) {
    out.ascii("{\"id\":");
    if (from == to) {
      out.number(0);
    } else {
      out.raw(bytes, from, to);
    }
    return out.ascii(",\"source\":\"daemon\",\"payload\":{\"type\":\"Response\",\"status\":");
  }

  private static Map<String, Json> members(RpcError error) {
    Json data = error.data();
    String given = data == null ? null : data.string("kind");
    Map<String, Json> members = new LinkedHashMap<>();
    if (data != null && given != null) {
      members.putAll(data.members());
      members.keySet().removeAll(List.of("type", "status", "message"));
      if (KINDS.number(given, data.get("details")) != error.code()) {
        members.merge("details", details(error.code()), MxrCodec::merged);
      }
      return members;
    }
    String kind = KINDS.of(error.code());
    members.put("kind", Json.of(kind));
    members.put("code", Json.of(kind));
    members.put("retryable", Json.of(error.code() == RpcError.BUSY));
    Map<String, Json> details = KINDS.details(error);
    if (!details.isEmpty()) {
      members.put("details", Json.of(details));
    }
    return members;
  }

  private static Json details(int number) {
    return Json.of(Map.of(StringCodes.NUMBER, number));
  }

  private static Json merged(Json given, Json more) {
    if (given.kind() != Json.Kind.OBJECT) {
      return given;
    }
    Map<String, Json> all = new LinkedHashMap<>(given.members());
    all.putAll(more.members());
    return Json.of(all);
  }
}
