package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Alias;
import dev.repartee.generator.MetaModel.Constant;
import dev.repartee.generator.MetaModel.Enumeration;
import dev.repartee.generator.MetaModel.Message;
import dev.repartee.generator.MetaModel.Property;
import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.MetaModel.Type;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the model of ACP (its first lines describe the form) as a meta model. */
final class AcpModel {
  private static final Property META = new Property(
      "_meta",
      named("reference", "LSPAny"),
      Optional.of(true),
      Optional.of("data of an extension."));

  private final List<Message> requests = new ArrayList<>();
  private final List<Message> notifications = new ArrayList<>();
  private final List<Structure> structures = new ArrayList<>();
  private final List<Enumeration> enumerations = new ArrayList<>();
  private final List<Alias> unions = new ArrayList<>();

  MetaModel read(List<String> lines) {
    List<Property> members = new ArrayList<>();
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.strip().split(" -- ", 2);
      if (parts.length < 2) {
        throw new IllegalArgumentException("no description: " + line);
      }
      List<String> words = List.of(parts[0].split(" "));
      if (line.startsWith(" ")) {
        members.add(members.size() - 1, member(words, parts[1]));
      } else {
        members = new ArrayList<>(List.of(META));
        definition(words, parts[1], members);
      }
    }
    return new MetaModel(requests, notifications, structures, enumerations, unions);
  }

  private void definition(List<String> words, String text, List<Property> members) {
    Optional<String> documentation = Optional.of(text);
    String name = words.get(1);
    switch (words.get(0)) {
      case "request" ->
        requests.add(message(words, "Request", Optional.of(words.get(5)), documentation));
      case "notification" ->
        notifications.add(message(words, "Notification", Optional.empty(), documentation));
      case "record" -> {
        if (words.size() > 2) {
          String[] constant = words.get(2).split("=");
          members.add(0, literal(constant[0], constant[1]));
        }
        structures.add(
            new Structure(name, Optional.empty(), members, documentation, Optional.empty()));
      }
      case "enum" ->
        enumerations.add(new Enumeration(
            name,
            named("base", "string"),
            words.stream()
                .skip(2)
                .map(each -> new Constant(each, Json.of(each), Optional.empty()))
                .toList(),
            documentation));
      case "union" ->
        unions.add(new Alias(name, or(words.stream().skip(2).map(this::type)), documentation));
      default -> throw new IllegalArgumentException("unknown kind of definition: " + words);
    }
  }

  private Message message(
      List<String> words, String end, Optional<String> result, Optional<String> documentation) {
    return new Message(
        words.get(2),
        words.get(3) + end,
        words.get(1).equals("agent") ? "clientToServer" : "serverToClient",
        Optional.of(type(words.get(4))),
        result.map(each -> each.endsWith("?")
            ? or(Stream.of(type(each.replace("?", "")), named("base", "null")))
            : type(each)),
        documentation);
  }

  private Property member(List<String> words, String text) {
    boolean optional = words.get(0).endsWith("?");
    return new Property(
        words.get(0).replace("?", ""),
        type(words.get(1)),
        Optional.of(optional),
        Optional.of(text + "."));
  }

  private static Property literal(String name, String value) {
    return new Property(
        name,
        new Type(
            "stringLiteral",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Json.of(value))),
        Optional.of(false),
        Optional.empty());
  }

  private Type type(String text) {
    if (text.contains("|")) {
      return or(Stream.of(text.split("\\|")).map(this::type));
    } else if (text.endsWith("[]")) {
      return new Type(
          "array",
          Optional.empty(),
          Optional.empty(),
          Optional.of(type(text.substring(0, text.length() - 2))),
          Optional.empty());
    } else if (text.startsWith("map<")) {
      Type value = type(text.substring(4, text.length() - 1));
      return new Type(
          "map", Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(Json.of(value)));
    }
    return switch (text) {
      case "string", "integer", "long", "boolean" -> named("base", text);
      case "number" -> named("base", "decimal");
      case "json" -> named("reference", "LSPAny");
      default -> named("reference", text);
    };
  }

  private static Type or(Stream<Type> items) {
    return new Type(
        "or", Optional.empty(), Optional.of(items.toList()), Optional.empty(), Optional.empty());
  }

  private static Type named(String kind, String name) {
    return new Type(kind, Optional.of(name), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
