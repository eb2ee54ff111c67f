package dev.repartee.xmpp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The methods of a service as features of XMPP (XEP-0030): {@code dev.repartee:method:NAME}. The
 * presence of the service contains only their hash (XEP-0115); other entities use it to request the
 * list.
 *
 * @param features the features, sorted
 */
record Methods(List<String> features) {
  /** The start of the feature of a method. */
  static final String METHOD = "dev.repartee:method:";

  private static final String NODE = "dev.repartee";
  private static final String IDENTITY = "client/bot//Repartee<";

  /** The maximum number of methods in the list, and the maximum length of a name in characters. */
  private static final int MOST = 500;

  private static final int LONGEST = 100;

  private static final byte[] DISCOVER =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}".getBytes(UTF_8);

  /**
   * Returns the methods in {@code rpc.discover} of a service; none if it does not support that, or if
   * it authenticates its callers: the presence would show them to everybody.
   */
  static Methods of(FrameService service, int frameBytes) {
    List<String> features = new ArrayList<>(List.of(Xml.CAPS, Xml.DISCO, Xml.JSON, Xml.PING));
    if (!service.authenticates()) {
      names(document(service, frameBytes)).stream()
          .limit(MOST)
          .map(METHOD::concat)
          .forEach(features::add);
    }
    return new Methods(features.stream().sorted().toList());
  }

  /** Returns the answer of a service to {@code rpc.discover}; empty if there is none. */
  private static byte[] document(FrameService service, int frameBytes) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    FrameSink sink = new FrameSink() {
      @Override
      public OutboundFrame open() {
        return new OutboundFrame(frameBytes - 1);
      }

      @Override
      public void commit(OutboundFrame frame) {
        answer.complete(frame.toBytes());
      }
    };
    service.serve(DISCOVER, 0, DISCOVER.length, sink).whenDone(() -> answer.complete(new byte[0]));
    return answer.completeOnTimeout(new byte[0], 5, TimeUnit.SECONDS).join();
  }

  private static List<String> names(byte[] document) {
    List<String> names = new ArrayList<>();
    Json result = document.length == 0 ? null : Json.parse(document).get("result");
    Json methods = result == null ? null : result.get("methods");
    if (methods != null) {
      for (Json method : methods.elements()) {
        Json name = method.get("name");
        String text = name == null ? "" : name.as(String.class);
        if (text.length() <= LONGEST && text.matches("[^\\p{Cntrl}<]+")) {
          names.add(text);
        }
      }
    }
    return names;
  }

  /** Returns the element of a presence. */
  String caps() {
    return "<c xmlns='" + Xml.CAPS + "' hash='sha-1' node='" + NODE + "' ver='" + hash() + "'/>";
  }

  /** Returns the hash of the features (XEP-0115, section 5.1). */
  String hash() {
    try {
      String text = IDENTITY + String.join("<", features) + "<";
      return Base64.getEncoder()
          .encodeToString(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JVM has SHA-1", e);
    }
  }

  /**
   * Returns the answer to a question.
   *
   * @param node the node in the question; may be empty
   */
  String answer(String node) {
    StringBuilder xml = new StringBuilder("<query xmlns='").append(Xml.DISCO).append('\'');
    if (!node.isEmpty()) {
      xml.append(" node='").append(Xml.text(node)).append('\'');
    }
    xml.append("><identity category='client' type='bot' name='Repartee'/>");
    features.forEach(
        feature -> xml.append("<feature var='").append(Xml.text(feature)).append("'/>"));
    return xml.append("</query>").toString();
  }
}
