package dev.repartee.conformance;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expected response in the notation of the corpus: {@code {"result":19,"id":1}}, {@code
 * {"error":-32700,"id":null}}, {@code {"error":[-32600,-32602]}}, {@code {"error":"any"}}, {@code
 * {"answer":"any","id":1}}. Without a member {@code id}, any id is right. {@code {"any":[1,null]}}
 * is one of several ids, and {@code {"literal":"1.0"}} is exactly this text, not another number of
 * the same value.
 */
record Answer(Json pattern) {
  /** Returns why a response deviates from this one, or null if it matches. */
  @Nullable String fault(Json response) {
    String fault = malformed(response);
    if (fault == null && pattern.get("answer") == null) {
      fault = pattern.get("result") == null ? error(response) : result(response);
    }
    return fault == null ? id(response) : fault;
  }

  private @Nullable String result(Json response) {
    Json expected = pattern.get("result");
    Json got = response.get("result");
    if (got == null) {
      return "an error instead of a result";
    }
    return expected == null || expected.isSameValue(got) ? null : "another result";
  }

  /** Returns the violation of JSON-RPC 2.0 section 5, or null. */
  private static @Nullable String malformed(Json response) {
    if (response.kind() != Json.Kind.OBJECT) {
      return "not an object";
    }
    Json version = response.get("jsonrpc");
    if (version == null || !version.toString().equals("\"2.0\"")) {
      return "its member jsonrpc is not \"2.0\"";
    }
    if (response.get("id") == null) {
      return "it has no id";
    }
    Json error = response.get("error");
    if ((response.get("result") == null) == (error == null)) {
      return error == null ? "it has neither result nor error" : "it has both result and error";
    }
    return error == null ? null : malformedError(error);
  }

  /** Returns the violation of JSON-RPC 2.0 section 5.1, or null. */
  private static @Nullable String malformedError(Json error) {
    Json code = error.get("code");
    String message = error.string("message");
    if (code == null || !code.toString().matches("-?\\d{1,18}")) {
      return "its error has no integer as its code";
    }
    return message == null ? "its error has no string as its message" : null;
  }

  private @Nullable String error(Json response) {
    Json error = response.get("error");
    if (error == null) {
      return "a result instead of an error";
    }
    Json expected = pattern.get("error");
    Json code = error.get("code");
    boolean right = expected == null
        || code == null
        || expected.kind() == Json.Kind.STRING
        || expected.equals(code)
        || expected.elements().contains(code);
    return right ? null : "the error code " + code;
  }

  private @Nullable String id(Json response) {
    Json expected = pattern.get("id");
    Json got = response.get("id");
    if (expected == null || got == null) {
      return null;
    }
    Json literal = expected.get("literal");
    Json any = expected.get("any");
    boolean right;
    if (literal != null) {
      right = literal.as(String.class).equals(got.toString());
    } else if (any != null) {
      right = any.elements().stream().anyMatch(id -> id.isSameValue(got));
    } else {
      right = expected.isSameValue(got);
    }
    return right ? null : "another id";
  }

  /**
   * Returns why the responses do not match the expected ones one to one, or null if they do.
   *
   * @param inOrder whether they must match in order
   */
  static @Nullable String fault(List<Answer> owed, List<Json> responses, boolean inOrder) {
    if (owed.size() != responses.size()) {
      String counted = responses.size() == 1 ? " response" : " responses";
      return responses.size() + counted + " instead of " + owed.size();
    }
    List<Json> left = new ArrayList<>(responses);
    for (Answer answer : owed) {
      Json found = null;
      String fault = null;
      for (Json response : inOrder ? left.subList(0, 1) : left) {
        String why = answer.fault(response);
        if (why == null) {
          found = response;
          break;
        }
        fault = fault == null ? why : fault;
      }
      if (found == null) {
        return owed.size() == 1 ? fault : "none is " + answer + (fault == null ? "" : "; " + fault);
      }
      left.remove(found);
    }
    return null;
  }

  @Override
  public String toString() {
    return pattern.toString();
  }
}
