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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The codec of lazydap on one connection. Thread-safe. */
final class LazydapCodec implements Codec {
  private static final List<String> NAMES = List.of("version", "id", "payload");
  private static final int VERSION = 0;
  private static final int ID = 1;
  private static final int PAYLOAD = 2;

  private static final String BAD_REQUEST = "BadRequest";

  /** The number of digits of the largest unsigned integer of 64 bits. */
  private static final int DIGITS = 20;

  /** The requests without a body that are served in every version. */
  private static final Set<String> FROZEN = Set.of("Ping", "Shutdown");

  private static final StringCodes CODES = new StringCodes(
      Map.of(
          RpcError.PARSE_ERROR, BAD_REQUEST,
          RpcError.INVALID_REQUEST, BAD_REQUEST,
          RpcError.METHOD_NOT_FOUND, BAD_REQUEST,
          RpcError.INVALID_PARAMS, BAD_REQUEST,
          RpcError.TOO_LARGE, BAD_REQUEST,
          RpcError.DEADLINE_PASSED, "Timeout",
          RpcError.CANCELLED, "Cancelled"),
      Map.of(
          BAD_REQUEST,
          RpcError.INVALID_REQUEST,
          "DaemonInternalError",
          RpcError.INTERNAL_ERROR,
          "Timeout",
          RpcError.DEADLINE_PASSED,
          "Cancelled",
          RpcError.CANCELLED),
      "DaemonInternalError");

  /** The version that this side serves. */
  private final int own;

  /**
   * The version of the requests of this side: the version of the other side, after it was received.
   */
  private volatile long spoken;

  /** Whether this side has called. Otherwise it is the server, which accepts only requests. */
  private volatile boolean calls;

  LazydapCodec(int version) {
    this.own = version;
    this.spoken = version;
  }

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    Members in = Members.of(frame, from, to, into, NAMES);
    String flaw = in.flaw() == null ? message(in, frame, into) : in.flaw();
    if (flaw != null) {
      into.reason(flaw);
    }
  }

  /** Reads a message; returns its defect, or null. */
  private @Nullable String message(Members in, byte[] b, ParsedFrame into) {
    if (!in.isNumber(VERSION)) {
      return in.unfit(VERSION, "an integer");
    } else if (!in.isNumber(ID, DIGITS)) {
      return in.unfit(ID, "an integer from 0 on");
    }
    Variant payload = in.has(PAYLOAD) ? Variant.of(b, in.from(PAYLOAD), in.to(PAYLOAD)) : null;
    if (payload == null || !payload.hasBody()) {
      return "the member 'payload' has to be an object with one member, the kind of the message";
    }
    String kind = payload.name(b);
    return switch (kind) {
      case "Request" -> request(in, b, payload, into);
      case "Response" -> calls ? answer(in, b, payload, into) : refuse(in, kind, into);
      case "Event" ->
        calls || in.isLiteral(ID, "0") ? event(b, payload, into) : refuse(in, kind, into);
      case "Error" -> error(in, payload, into);
      default -> "the payload is none of Request, Response, Event and Error";
    };
  }

  private @Nullable String request(Members in, byte[] b, Variant payload, ParsedFrame into) {
    String flaw = method(b, payload, into, ParsedFrame.REQUEST);
    if (flaw == null) {
      into.id(in.from(ID), in.to(ID));
      Variant request = Variant.of(b, payload.from(), payload.to());
      boolean frozen = request != null && !request.hasBody() && FROZEN.contains(request.name(b));
      if (!frozen && !in.isLiteral(VERSION, String.valueOf(own))) {
        into.refuse(otherVersion(in.json(VERSION)));
      }
    }
    return flaw;
  }

  private RpcError otherVersion(Json version) {
    Map<String, Json> details = new LinkedHashMap<>();
    details.put("daemon_version", Json.of(own));
    details.put("client_version", version);
    return coded(
        RpcError.NO_CODE,
        "this side speaks version " + own + " and the request is of version " + version,
        "VersionMismatch",
        details);
  }

  /** Refuses a message that only a server sends. */
  private static @Nullable String refuse(Members in, String kind, ParsedFrame into) {
    into.id(in.from(ID), in.to(ID));
    into.refuse(coded(
        RpcError.INVALID_REQUEST,
        "expected a request, but the payload is " + kind,
        BAD_REQUEST,
        Map.of()));
    return null;
  }

  private static RpcError coded(
      int number, String message, String code, Map<String, Json> details) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("code", code);
    data.put("details", details);
    return new RpcError(number, message, Json.of(data));
  }

  private static @Nullable String event(byte[] b, Variant payload, ParsedFrame into) {
    return method(b, payload, into, ParsedFrame.NOTIFICATION);
  }

  private @Nullable String answer(Members in, byte[] b, Variant payload, ParsedFrame into) {
    become(in, into);
    into.result(payload.from(), payload.to());
    learnVersion(b, Variant.of(b, payload.from(), payload.to()));
    return null;
  }

  /**
   * Reads an error. A server does not answer a received error, unlike other messages that only a
   * server sends: otherwise two servers could answer each other forever.
   */
  private static @Nullable String error(Members in, Variant payload, ParsedFrame into) {
    become(in, into);
    into.error(payload.from(), payload.to());
    return null;
  }

  private static void become(Members in, ParsedFrame into) {
    into.become(ParsedFrame.RESPONSE);
    if (!in.isLiteral(ID, "0")) {
      into.id(in.from(ID), in.to(ID));
    }
  }

  /** Reads the version of the daemon from its answer to a Ping. */
  private void learnVersion(byte[] b, @Nullable Variant result) {
    if (result != null && result.hasBody() && result.name(b).equals("Pong")) {
      Members pong = Members.in(
          b, result.from(), result.to(), new JsonScanner(Limits.DEPTH), List.of("version"));
      if (pong.isNumber(0)) {
        spoken = pong.json(0).as(long.class);
      }
    }
  }

  /** Reads the method and the params of a request or event; returns the defect, or null. */
  private static @Nullable String method(byte[] b, Variant payload, ParsedFrame into, int kind) {
    Variant method = Variant.of(b, payload.from(), payload.to());
    if (method == null) {
      return "the payload has to contain a name, or an object with one member";
    }
    if (method.hasBody()) {
      if (b[method.from()] != '{' && b[method.from()] != '[') {
        return "the body in the payload is " + Json.Kind.of(b[method.from()]).phrase()
            + ", but has to be an object or an array";
      }
      into.params(method.from(), method.to());
    }
    into.method(method.nameFrom(), method.nameTo(), method.escaped());
    into.become(kind);
    return null;
  }

  @Override
  public RpcError readError(Json error) {
    String message = error.string("message");
    String code = error.string("code");
    Map<String, Json> data = new LinkedHashMap<>(error.members());
    if (message != null) {
      data.remove("message");
    }
    return new RpcError(
        CODES.number(code == null ? "" : code, error.get("details")),
        message == null ? "an error without a message" : message,
        Json.of(data));
  }

  // ---------------------------------------------------------------- writing

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    if (id != NO_ID) {
      calls = true;
    }
    begin(out, id == NO_ID ? own : spoken).number(id);
    out.ascii(id == NO_ID ? ",\"payload\":{\"Event\":" : ",\"payload\":{\"Request\":");
    if (structured) {
      out.put('{').string(method).put(':');
    } else {
      out.string(method);
    }
  }

  private static JsonWriter begin(JsonWriter out, long version) {
    return out.ascii("{\"version\":").number(version).ascii(",\"id\":");
  }

  /** Writes a call without params, which is an empty array so far, as the bare name. */
  @Override
  public void endParams(JsonWriter out, int from) {
    byte[] b = out.array();
    if (b[from] == '[' && JsonScanner.first(b, from, out.size(), ']') < 0) {
      int name = from - 3; // the closing quote and the colon follow
      while (b[name] != '"' || b[name - 1] == '\\') {
        name--;
      }
      System.arraycopy(b, name, b, name - 1, from - 1 - name); // over the opening brace
      out.truncate(from - 2);
    }
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    out.ascii(out.array()[out.size() - 1] == '"' ? "}}" : "}}}");
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    beginAnswer(out, bytes, from, to).ascii("Response\":");
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    out.ascii("}}");
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    beginAnswer(out, bytes, from, to).ascii("Error\":{\"code\":");
    String given = error.data() == null ? null : error.data().string("code");
    out.string(given == null ? CODES.of(error.code()) : given);
    out.ascii(",\"message\":").string(error.message());
    out.ascii(",\"details\":").json(given == null ? details(error) : givenDetails(error, given));
    out.ascii("}}}");
  }

  private JsonWriter beginAnswer(JsonWriter out, byte[] bytes, int from, int to) {
    begin(out, own);
    if (from == to) {
      out.number(0);
    } else {
      out.raw(bytes, from, to);
    }
    return out.ascii(",\"payload\":{\"");
  }

  private static Json details(RpcError error) {
    Json data = error.data();
    if (error.code() == RpcError.TOO_LARGE && data != null && data.get("max") != null) {
      return Json.of(Map.of("max_frame_bytes", data.get("max")));
    }
    return Json.of(CODES.details(error));
  }

  private static Json givenDetails(RpcError error, String code) {
    Json data = error.data();
    Json given = data == null ? null : data.get("details");
    Json details = given == null ? Json.EMPTY_OBJECT : given;
    if (details.kind() != Json.Kind.OBJECT || CODES.number(code, details) == error.code()) {
      return details;
    }
    Map<String, Json> all = new LinkedHashMap<>(details.members());
    all.put(StringCodes.NUMBER, Json.of(error.code()));
    return Json.of(all);
  }
}
