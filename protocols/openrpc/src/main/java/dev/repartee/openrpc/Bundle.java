package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Copies the targets of references into other documents to the components of a document. Each is
 * copied once, with the parts that it refers to. Not thread-safe.
 */
final class Bundle {
  /** The maximum number of other documents. */
  private static final int MOST_DOCUMENTS = 1_000;

  /** The maximum size of all other documents in bytes, and of the copies of their parts. */
  private static final long MOST_BYTES = 256L << 20;

  private static final long MIB = MOST_BYTES >> 20;

  private final ReferenceLoader loader;
  private final Node root;
  private final Map<URI, References> documents = new HashMap<>();

  /** The references to the copies, by the URI of the target. */
  private final Map<URI, String> names = new HashMap<>();

  private final Map<String, Map<String, Json>> components = new TreeMap<>();
  private final Queue<Copy> waiting = new ArrayDeque<>();

  /** The names of the components by their kind. */
  private final Map<String, PartNames> partNames = new HashMap<>();

  private long bytes;
  private long copied;

  /** A part of another document that is not copied yet. */
  private record Copy(Node node, Part part, URI base, String component, String name) {}

  private Bundle(Node root, ReferenceLoader loader) {
    this.root = root;
    this.loader = loader;
  }

  /**
   * Returns the document without references to others.
   *
   * @param base the URI of the document
   */
  static Json of(Node root, URI base, ReferenceLoader loader) {
    Bundle bundle = new Bundle(root, loader);
    Json copy = Rewriting.of(
        root,
        Part.DOCUMENT,
        (node, reference, part) ->
            reference.startsWith("#") ? reference : bundle.moved(node, reference, part, base));
    for (Copy next = bundle.waiting.poll(); next != null; next = bundle.waiting.poll()) {
      bundle.copy(next);
    }
    if (bundle.components.isEmpty()) {
      return copy;
    }
    JsonObjectBuilder components = JsonObjectBuilder.of(copy.get("components"));
    bundle.components.forEach((kind, parts) -> {
      Json known =
          copy.get("components") == null ? null : copy.get("components").get(kind);
      JsonObjectBuilder all = JsonObjectBuilder.of(known);
      parts.forEach(all::put);
      components.put(kind, all.build());
    });
    return JsonObjectBuilder.of(copy).put("components", components.build()).build();
  }

  private void copy(Copy part) {
    Json copy = Rewriting.of(
        part.node, part.part, (node, reference, kind) -> moved(node, reference, kind, part.base));
    copied += copy.length(); // parts may be within others
    if (copied > MOST_BYTES) {
      throw root.fault("the parts of other documents are larger than " + MIB + " MiB");
    }
    components.computeIfAbsent(part.component, any -> new LinkedHashMap<>()).put(part.name, copy);
  }

  /** Returns the reference to the copy of a target in another document. */
  private String moved(Node from, String reference, Part part, URI base) {
    URI target;
    try {
      target = base.resolve(reference);
    } catch (IllegalArgumentException e) {
      throw from.fault("the reference '" + reference + "' is not a URI: " + e.getMessage());
    }
    String known = names.get(target);
    return known == null ? added(from, reference, part, target) : known;
  }

  private String added(Node from, String reference, Part part, URI target) {
    String fragment = target.getRawFragment() == null ? "" : target.getRawFragment();
    URI document = URI.create(target.toString().replaceFirst("#.*", ""));
    References references = documents.get(document);
    if (references == null) {
      references = load(from, reference, document);
      documents.put(document, references);
    }
    Node found = fragment.isEmpty() ? references.root() : references.find("#" + fragment);
    if (found == null) {
      throw from.fault("the reference '" + reference + "' has no target");
    }
    String kind = part.component() == null ? "x-methods" : part.component();
    String name = name(kind, fragment.isEmpty() ? document.getSchemeSpecificPart() : fragment);
    String moved = "#/components/" + kind + "/" + name;
    names.put(target, moved);
    waiting.add(new Copy(found, part, document, kind, name));
    return moved;
  }

  private References load(Node from, String reference, URI document) {
    byte[] text;
    try {
      if (documents.size() == MOST_DOCUMENTS) {
        throw new IOException("there are more than " + MOST_DOCUMENTS + " documents");
      }
      text = loader.load(document);
      bytes += text.length;
      if (bytes > MOST_BYTES) {
        throw new IOException("the documents are larger than " + MIB + " MiB");
      }
    } catch (IOException e) {
      throw from.fault("the reference '" + reference + "' cannot be read: " + e.getMessage());
    }
    try {
      return new References(new Node(Json.parse(text), "", false));
    } catch (JsonException e) {
      throw from.fault("the reference '" + reference + "' leads to a document that is not JSON: "
          + e.getMessage());
    }
  }

  /** Returns a unique name: the last step of the place, without the ending of a file. */
  private String name(String kind, String place) {
    String last = place.substring(place.lastIndexOf('/') + 1).replaceFirst("\\.[A-Za-z]+$", "");
    return partNames.computeIfAbsent(kind, this::known).unique(last.isEmpty() ? "part" : last);
  }

  /** Returns the names of the components of this kind: at first those that the document has. */
  private PartNames known(String kind) {
    Node known = new References(root).find("#/components/" + kind);
    return new PartNames(known == null ? Set.of() : known.members().keySet());
  }
}
