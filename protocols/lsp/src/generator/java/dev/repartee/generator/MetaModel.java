package dev.repartee.generator;

import dev.repartee.json.Json;
import dev.repartee.json.UnknownMembers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The model of a protocol: the meta model of LSP, as far as the generator needs it. Other protocols
 * convert their models to this form.
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
record MetaModel(
    List<Message> requests,
    List<Message> notifications,
    List<Structure> structures,
    List<Enumeration> enumerations,
    List<Alias> typeAliases) {

  /** A request or a notification. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Message(
      String method,
      String typeName,
      String messageDirection,
      Optional<Type> params,
      Optional<Type> result,
      Optional<Type> partialResult,
      Optional<String> documentation) {
    /** Creates a message of a protocol whose partial results have no type. */
    Message(
        String method,
        String typeName,
        String messageDirection,
        Optional<Type> params,
        Optional<Type> result,
        Optional<String> documentation) {
      this(method, typeName, messageDirection, params, result, Optional.empty(), documentation);
    }

    /** Returns the name of the Java method, such as {@code hover}. */
    String java() {
      String name = name();
      return Types.java(Character.toLowerCase(name.charAt(0)) + name.substring(1));
    }

    /** Returns the name of the interface that serves the message. */
    String handler() {
      return name() + "Handler";
    }

    /**
     * Returns the name of the message: the name of its type, unless the method ends in the same
     * way.
     */
    String name() {
      return method.endsWith("Request")
          ? typeName
          : typeName.replaceAll("(Request|Notification)$", "");
    }

    boolean isFor(boolean server) {
      return messageDirection.equals("both")
          || messageDirection.equals(server ? "clientToServer" : "serverToClient");
    }
  }

  /** An object type. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Structure(
      String name,
      Optional<List<Type>> mixins,
      List<Property> properties,
      Optional<String> documentation,
      @dev.repartee.Param("extends") Optional<List<Type>> parents) {}

  /** A member of an object type. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Property(
      String name, Type type, Optional<Boolean> optional, Optional<String> documentation) {}

  /** An enumeration. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Enumeration(
      String name, Type type, List<Constant> values, Optional<String> documentation) {}

  /** A value of an enumeration. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Constant(String name, Json value, Optional<String> documentation) {}

  /** A name for a type. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Alias(String name, Type type, Optional<String> documentation) {}

  /** A type expression; {@code kind} determines which of the members it has. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record Type(
      String kind,
      Optional<String> name,
      Optional<List<Type>> items,
      Optional<Type> element,
      Optional<Json> value) {
    boolean isNull() {
      return kind.equals("base") && name.orElse("").equals("null");
    }

    /** Returns the type of the values of a map. */
    Type mapped() {
      return value.orElseThrow().as(Type.class);
    }
  }

  /** Returns the structures by name. */
  Map<String, Structure> structuresByName() {
    Map<String, Structure> byName = new java.util.LinkedHashMap<>();
    structures.forEach(each -> byName.put(each.name(), each));
    return byName;
  }
}
