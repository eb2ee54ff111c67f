package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Constant;
import dev.repartee.generator.MetaModel.Enumeration;
import dev.repartee.generator.MetaModel.Message;
import dev.repartee.generator.MetaModel.Property;
import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.MetaModel.Type;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings the schema of DAP into the form of the meta model of LSP.
 *
 * <p>An object type inside of another definition gets a name. The body of a response or event gets
 * the name of its message, and a list of strings the names of its owner and member.
 */
final class DapSchema {
  private static final String REFERENCE = "#/definitions/";
  private static final Type ANY = reference("LSPAny");
  private static final Type NULL = base("null");

  /** Any members besides those of the protocol: the settings of a debugger. */
  private static final Type CONFIGURATION = reference("Configuration");

  private static final Set<String> CONFIGURATIONS =
      Set.of("LaunchRequestArguments", "AttachRequestArguments");

  /** The envelope, which belongs to the codec. */
  private static final Set<String> ENVELOPE =
      Set.of("ProtocolMessage", "Request", "Event", "Response", "ErrorResponse", "CancelArguments");

  /** The commands that an adapter sends. */
  private static final Set<String> REVERSE = Set.of("runInTerminal", "startDebugging");

  private final Map<String, Json> definitions;
  private final List<Message> requests = new ArrayList<>();
  private final List<Message> events = new ArrayList<>();
  private final List<Structure> structures = new ArrayList<>();
  private final List<Enumeration> enumerations = new ArrayList<>();

  DapSchema(Json schema) {
    definitions = need(schema, "definitions").members();
  }

  MetaModel model() {
    definitions.forEach((name, definition) -> {
      if (!ENVELOPE.contains(name) && !CONFIGURATIONS.contains(name)) {
        definition(name, definition);
      }
    });
    return new MetaModel(requests, events, structures, enumerations, List.of());
  }

  private void definition(String name, Json definition) {
    Json own = own(definition);
    String parent = parent(definition);
    switch (parent) {
      case "Request" -> request(name, own);
      case "Event" -> event(name, own);
      case "Response" -> {
        // its request reads it
      }
      default -> {
        if (isText(definition)) {
          enumeration(name, definition);
        } else {
          structure(name, parent, own, description(definition));
        }
      }
    }
  }

  /** Returns the name of the type that a definition extends; empty if there is none. */
  private static String parent(Json definition) {
    Json all = definition.get("allOf");
    return all == null ? "" : target(all.at(0));
  }

  /** Returns a definition without the type that it extends. */
  private static Json own(Json definition) {
    Json all = definition.get("allOf");
    return all == null ? definition : all.at(1);
  }

  private void request(String name, Json own) {
    String command = constant(own, "command");
    Json arguments = need(own, "properties").get("arguments");
    String stem = name.substring(0, name.length() - "Request".length());
    Json response = own(definitions.get(stem + "Response"));
    requests.add(new Message(
        command,
        name,
        REVERSE.contains(command) ? "serverToClient" : "clientToServer",
        Optional.ofNullable(arguments).map(each -> type(each, name, "arguments")),
        Optional.of(result(stem + "Response", response)),
        description(own)));
  }

  private Type result(String name, Json response) {
    Json properties = response.get("properties");
    Json body = properties == null ? null : properties.get("body");
    if (body == null) {
      return NULL;
    }
    Type type = body(name, body, description(response));
    return required(response).contains("body") ? type : or(List.of(type, NULL));
  }

  private void event(String name, Json own) {
    Json body = need(own, "properties").get("body");
    events.add(new Message(
        constant(own, "event"),
        name.replaceAll("Event$", "Notification"),
        "serverToClient",
        Optional.ofNullable(body).map(each -> body(name, each, description(own))),
        Optional.empty(),
        description(own)));
  }

  private Type body(String name, Json body, Optional<String> description) {
    if (body.get("$ref") == null) {
      structure(name, "", body, description);
      return reference(name);
    }
    return reference(target(body));
  }

  private void structure(
      String name, String parent, Json definition, Optional<String> description) {
    List<String> required = required(definition);
    List<Property> properties = new ArrayList<>();
    Json members = definition.get("properties");
    if (members != null) {
      members
          .members()
          .forEach((member, value) -> properties.add(new Property(
              member,
              type(value, name, member),
              Optional.of(!required.contains(member)),
              description(value))));
    }
    structures.add(new Structure(
        name,
        Optional.empty(),
        properties,
        description(definition).or(() -> description),
        parent.isEmpty() ? Optional.empty() : Optional.of(List.of(reference(parent)))));
  }

  // ---------------------------------------------------------------- types

  private Type type(Json schema, String owner, String member) {
    if (schema.get("$ref") != null) {
      String target = target(schema);
      return CONFIGURATIONS.contains(target) ? CONFIGURATION : reference(target);
    } else if (schema.get("oneOf") != null) {
      return CONFIGURATION; // the only one is that of restart: arguments of launch or of attach
    }
    Json type = need(schema, "type");
    if (type.kind() == Json.Kind.ARRAY) {
      List<Json> kinds = type.elements();
      return kinds.size() > 2
          ? ANY
          : or(kinds.stream()
              .map(each -> base(each.as(String.class).replace("number", "decimal")))
              .toList());
    }
    return switch (type.as(String.class)) {
      case "string" -> isText(schema) ? inner(schema, owner, member) : base("string");
      case "integer" -> base(Json.of("int32").equals(schema.get("format")) ? "integer" : "long");
      case "number" -> base("decimal");
      case "boolean" -> base("boolean");
      case "array" ->
        new Type(
            "array",
            Optional.empty(),
            Optional.empty(),
            Optional.of(type(need(schema, "items"), owner, member.replaceAll("s$", ""))),
            Optional.empty());
      case "object" -> object(schema, owner, member);
      default -> throw new IllegalArgumentException(owner + "." + member + ": " + schema);
    };
  }

  private Type object(Json schema, String owner, String member) {
    Json values = need(schema, "additionalProperties");
    if (values.kind() == Json.Kind.BOOLEAN) {
      return CONFIGURATION;
    }
    return new Type(
        "map",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(Json.of(type(values, owner, member))));
  }

  /** Adds an enumeration for the values of a member. */
  private Type inner(Json schema, String owner, String member) {
    String name = owner.replaceAll("(Request)?Arguments$", "")
        + Character.toUpperCase(member.charAt(0))
        + member.substring(1);
    enumeration(name, schema);
    return reference(name);
  }

  private void enumeration(String name, Json schema) {
    List<Json> values = values(schema).elements();
    Json descriptions = schema.get("enumDescriptions");
    List<Constant> constants = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      constants.add(new Constant(
          values.get(i).as(String.class),
          values.get(i),
          descriptions == null
              ? Optional.empty()
              : Optional.of(descriptions.at(i).as(String.class))));
    }
    enumerations.add(new Enumeration(name, base("string"), constants, description(schema)));
  }

  private static boolean isText(Json schema) {
    return Json.of("string").equals(schema.get("type"))
        && (schema.get("enum") != null || schema.get("_enum") != null);
  }

  private static Json values(Json schema) {
    Json closed = schema.get("enum");
    return closed == null ? need(schema, "_enum") : closed;
  }

  private static String constant(Json definition, String member) {
    return values(need(need(definition, "properties"), member)).at(0).as(String.class);
  }

  private static List<String> required(Json definition) {
    Json required = definition.get("required");
    return required == null
        ? List.of()
        : required.elements().stream().map(each -> each.as(String.class)).toList();
  }

  private static String target(Json reference) {
    return need(reference, "$ref").as(String.class).substring(REFERENCE.length());
  }

  private static Optional<String> description(Json schema) {
    return Optional.ofNullable(schema.get("description")).map(each -> each.as(String.class));
  }

  private static Json need(Json object, String member) {
    Json value = object.get(member);
    if (value == null) {
      throw new IllegalArgumentException("no member '" + member + "' in " + object);
    }
    return value;
  }

  private static Type base(String name) {
    return named("base", name);
  }

  private static Type reference(String name) {
    return named("reference", name);
  }

  private static Type named(String kind, String name) {
    return new Type(kind, Optional.of(name), Optional.empty(), Optional.empty(), Optional.empty());
  }

  private static Type or(List<Type> items) {
    return new Type("or", Optional.empty(), Optional.of(items), Optional.empty(), Optional.empty());
  }
}
