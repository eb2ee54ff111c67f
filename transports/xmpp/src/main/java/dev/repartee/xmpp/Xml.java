package dev.repartee.xmpp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** Writes stanzas and their parts as text. */
final class Xml {
  /** The namespace of JSON containers (XEP-0335). */
  static final String JSON = "urn:xmpp:json:0";

  /** The namespace of this module, for additions to containers. */
  static final String RPC = "dev.repartee:rpc";

  static final String PING = "urn:xmpp:ping";
  static final String ROSTER = "jabber:iq:roster";
  static final String DISCO = "http://jabber.org/protocol/disco#info";
  static final String CAPS = "http://jabber.org/protocol/caps";
  static final String STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas";

  private Xml() {}

  /**
   * Returns a stanza.
   *
   * @param type its type; null for none
   * @param to its recipient; null for the server of the account
   * @param id its id; null for none
   * @param content its children
   */
  static String stanza(
      String name,
      @Nullable String type,
      @Nullable Object to,
      @Nullable String id,
      String content) {
    StringBuilder xml = new StringBuilder(content.length() + 160).append('<').append(name);
    attribute(xml, "type", type);
    attribute(xml, "to", to);
    attribute(xml, "id", id);
    return (content.isEmpty()
            ? xml.append("/>")
            : xml.append('>').append(content).append("</").append(name).append('>'))
        .toString();
  }

  private static void attribute(StringBuilder xml, String name, @Nullable Object value) {
    if (value != null) {
      xml.append(' ').append(name).append("='");
      StringBuilder text = new StringBuilder();
      escape(text, value.toString());
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c < ' ') {
          xml.append("&#").append((int) c).append(';'); // otherwise a reader replaces it by a blank
        } else {
          xml.append(c);
        }
      }
      xml.append('\'');
    }
  }

  /**
   * Returns a container of JSON.
   *
   * @param more attributes of {@link #RPC}, by name and value
   * @return null if XML cannot carry the text: it is not UTF-8, or has a control character, which
   *     is not valid in JSON
   */
  static @Nullable String json(byte[] frame, String... more) {
    String text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(frame)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
    StringBuilder xml = new StringBuilder(text.length() + 160);
    xml.append("<json xmlns='").append(JSON).append('\'');
    if (more.length > 0) {
      xml.append(" xmlns:r='").append(RPC).append('\'');
      for (int i = 0; i < more.length; i += 2) {
        attribute(xml, "r:" + more[i], more[i + 1]);
      }
    }
    xml.append('>');
    return escape(xml, text) ? xml.append("</json>").toString() : null;
  }

  /** Appends a text; returns false if it has a character that XML does not allow. */
  private static boolean escape(StringBuilder xml, String text) {
    boolean valid = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> xml.append("&lt;");
        case '>' -> xml.append("&gt;");
        case '&' -> xml.append("&amp;");
        case '\'' -> xml.append("&apos;");
        case '\uFFFE', '\uFFFF' -> xml.append(String.format("\\u%04x", (int) c)); // as JSON does
        default -> {
          if (c < ' ' && c != '\n' && c != '\t' && c != '\r') {
            valid = false;
          } else {
            xml.append(c);
          }
        }
      }
    }
    return valid;
  }

  /** Returns text for a stanza, without the characters that XML does not allow. */
  static String text(String text) {
    StringBuilder xml = new StringBuilder();
    escape(xml, text);
    return xml.toString();
  }

  /** Returns the error answer to an IQ. */
  static String error(@Nullable Object to, String id, String type, String condition, String text) {
    return stanza(
        "iq",
        "error",
        to,
        id,
        "<error type='" + type + "'><" + condition + " xmlns='" + STANZAS + "'/>"
            + (text.isEmpty() ? "" : "<text xmlns='" + STANZAS + "'>" + text(text) + "</text>")
            + "</error>");
  }

  /** Returns the answer to an IQ that this side does not support. */
  static String unavailable(Element iq) {
    String from = iq.attributes().get("from");
    return error(from, iq.attribute("id"), "cancel", "service-unavailable", "");
  }

  /** Returns the number of bytes of a text in UTF-8. */
  static int length(String text) {
    int length = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        length += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
      }
    }
    return length;
  }
}
