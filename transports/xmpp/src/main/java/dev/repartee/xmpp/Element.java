package dev.repartee.xmpp;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jivesoftware.smack.xml.SmackXmlParser;
import org.jivesoftware.smack.xml.XmlPullParser;
import org.jivesoftware.smack.xml.XmlPullParserException;
import org.jspecify.annotations.Nullable;

/**
 * An element of a received stanza. This module reads it with its own parser, because the parsers of
 * Smack are shared by all its users in the process.
 *
 * @param attributes the attributes by name; attributes of a namespace by {@code {NAMESPACE}NAME}
 * @param text the text between the tags, without the text of the children
 */
record Element(
    String name,
    String namespace,
    Map<String, String> attributes,
    List<Element> children,
    String text) {
  /** The depth at which elements are dropped; this module needs only smaller depths. */
  private static final int DEPTH = 8;

  /** The number of characters that are counted for an element in addition to its texts. */
  private static final int OVERHEAD = 256;

  /**
   * Reads an element with a new parser, since a parser keeps each name that it has read.
   *
   * @param stream the start tag of the stream; it declares namespaces that the element may use
   * @param text the text of the element
   * @param most the number of characters after which children and texts are dropped
   */
  static Element read(String stream, String text, int most) throws IOException {
    try {
      XmlPullParser parser = SmackXmlParser.newXmlParser(new StringReader(stream + text));
      parser.next();
      parser.next();
      return new Reading(parser, most).element(0);
    } catch (XmlPullParserException e) {
      throw new IOException("the server has sent XML that cannot be read", e);
    }
  }

  private static final class Reading {
    private final XmlPullParser parser;
    private long left;

    Reading(XmlPullParser parser, int most) {
      this.parser = parser;
      this.left = most;
    }

    Element element(int depth) throws XmlPullParserException, IOException {
      String name = parser.getName();
      String namespace = parser.getNamespace();
      Map<String, String> attributes = new HashMap<>();
      left -= OVERHEAD + name.length();
      for (int i = 0; i < parser.getAttributeCount() && left > 0; i++) {
        String of = parser.getAttributeNamespace(i);
        String key =
            (of == null || of.isEmpty() ? "" : "{" + of + "}") + parser.getAttributeName(i);
        String value = parser.getAttributeValue(i);
        left -= OVERHEAD + key.length() + value.length();
        attributes.put(key, value);
      }
      List<Element> children = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      while (true) {
        switch (parser.next()) {
          case START_ELEMENT -> {
            if (left > 0 && depth < DEPTH) {
              children.add(element(depth + 1));
            } else {
              skip();
            }
          }
          case TEXT_CHARACTERS -> {
            String next = parser.getText();
            left -= next.length();
            if (left > 0) {
              text.append(next);
            }
          }
          case END_ELEMENT -> {
            return new Element(
                name, namespace == null ? "" : namespace, attributes, children, text.toString());
          }
          case END_DOCUMENT -> throw new IOException("the stream has ended within a stanza");
          case ENTITY_REFERENCE -> throw new IOException("the stream has a reference to an entity");
          default -> {} // comments are not allowed, and are ignored
        }
      }
    }

    private void skip() throws XmlPullParserException, IOException {
      for (int depth = 1; depth > 0; ) {
        switch (parser.next()) {
          case START_ELEMENT -> depth++;
          case END_ELEMENT -> depth--;
          case END_DOCUMENT -> throw new IOException("the stream has ended within a stanza");
          default -> {}
        }
      }
    }
  }

  /** Returns the value of an attribute; empty if it is missing. */
  String attribute(String key) {
    return attributes.getOrDefault(key, "");
  }

  /** Returns the first child of a name and a namespace; null if there is none. */
  @Nullable Element child(String name, String namespace) {
    for (Element child : children) {
      if (child.name.equals(name) && child.namespace.equals(namespace)) {
        return child;
      }
    }
    return null;
  }

  /** Returns an estimate of the memory that the element uses, in bytes. */
  long size() {
    long size = OVERHEAD + 2L * text.length();
    for (Map.Entry<String, String> each : attributes.entrySet()) {
      size += OVERHEAD + 2L * (each.getKey().length() + each.getValue().length());
    }
    for (Element child : children) {
      size += child.size();
    }
    return size;
  }
}
