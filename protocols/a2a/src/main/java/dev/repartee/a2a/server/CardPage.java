package dev.repartee.a2a.server;

import dev.repartee.Call;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The document with the agent card (sections 8.2 and 8.6). */
final class CardPage {
  /** The path of the document. */
  static final String PATH = "/.well-known/agent-card.json";

  private static final byte[] NOTHING = {};

  private final Settings settings;
  private final String path;
  private final String madeAt =
      DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));

  /**
   * Creates the document.
   *
   * @param path the path of the endpoint
   */
  CardPage(Settings settings, String path) {
    this.settings = settings;
    this.path = path;
  }

  /**
   * Answers a request for the card. A client that states its version gets a card of this version.
   * Other clients get a card that is valid in both versions. If the card is signed, they get the
   * form of version 1.0, because the signature covers this form.
   */
  void serve(HttpRequest request, HttpReply reply) {
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      reply.answer(405, Map.of("allow", "GET, HEAD"), NOTHING);
      return;
    }
    AgentCard card = withInterfaces(settings.card(), request.channel(), request.header("host"));
    byte[] body = document(card, request.header(ProtocolVersion.HEADER)).toBytes();
    String tag = "\"" + HexFormat.of().formatHex(digest(body), 0, 16) + "\"";
    Map<String, String> headers = new HashMap<>();
    headers.put("content-type", "application/json");
    headers.put("cache-control", "max-age=" + settings.cardAge().toSeconds());
    headers.put("etag", tag);
    headers.put("last-modified", madeAt);
    headers.put("vary", "A2A-Version, Host");
    if (isKnown(request.header("if-none-match"), tag)) {
      reply.answer(304, headers, NOTHING);
    } else {
      reply.answer(200, headers, request.method().equals("HEAD") ? NOTHING : body);
    }
  }

  private static Json document(AgentCard card, @Nullable String asked) {
    ProtocolVersion version = asked == null ? null : ProtocolVersion.of(asked.strip());
    boolean hasOld = card.supportedInterfaces().stream()
        .anyMatch(each -> ProtocolVersion.of(each.protocolVersion()) == ProtocolVersion.V0_3);
    if (version == null && (!hasOld || !card.signatures().isEmpty())) {
      version = ProtocolVersion.V1_0;
    }
    return version == null ? A2aJson.cardOfBoth(card) : A2aJson.strict(version).card(card);
  }

  private static boolean isKnown(@Nullable String tags, String tag) {
    return tags != null
        && Arrays.stream(tags.split(","))
            .map(String::strip)
            .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
  }

  private static byte[] digest(byte[] body) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** Returns the card. Adds the addresses of this endpoint to a card without addresses. */
  AgentCard withInterfaces(AgentCard card, Call call) {
    return withInterfaces(card, call.channel(), call.header("host"));
  }

  private AgentCard withInterfaces(AgentCard card, ChannelInfo channel, @Nullable String host) {
    if (!card.supportedInterfaces().isEmpty()) {
      return card;
    }
    String url = settings.url() == null
        ? channel.transport() + "://" + (host == null ? "localhost" : host) + path
        : settings.url();
    return card.toBuilder()
        .interfaces(
            AgentInterface.jsonRpc(url, ProtocolVersion.V1_0.number()),
            AgentInterface.jsonRpc(url, ProtocolVersion.V0_3.number()))
        .build();
  }
}
