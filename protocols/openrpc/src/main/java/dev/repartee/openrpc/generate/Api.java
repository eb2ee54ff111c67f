package dev.repartee.openrpc.generate;

import dev.repartee.openrpc.Info;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.ParamStructure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The methods and types of a document in a form that generators write down.
 *
 * @param operations the methods that the server serves
 * @param notifications the notifications that it sends to its clients
 * @param declarations the types: those of the document's components, then others in the order of
 *     their use
 */
record Api(
    Info info,
    String server,
    List<Operation> operations,
    List<Operation> notifications,
    List<Declaration> declarations) {
  /** Returns the title of the document; a word if it is empty. */
  String title() {
    return title(info);
  }

  static String title(Info info) {
    return info.title().isBlank() ? "API" : info.title();
  }

  /**
   * A method.
   *
   * @param parameters null if the document does not describe them
   * @param result the type of the result or of an item; null for a notification
   */
  record Operation(
      MethodDescriptor method,
      Doc doc,
      @Nullable List<Parameter> parameters,
      @Nullable Type result,
      Doc resultDoc) {
    String name() {
      return method.name();
    }

    /** Returns the text about a notification and its params, for a method with a handler of it. */
    Doc notificationDoc() {
      List<String> paragraphs = new ArrayList<>();
      paragraphs.add(doc.isEmpty() ? name() : doc.text());
      for (Parameter parameter : parameters == null ? List.<Parameter>of() : parameters) {
        if (!parameter.doc.isEmpty()) {
          paragraphs.add('`' + parameter.name + "`: " + parameter.doc.line());
        }
      }
      return Doc.of(doc.deprecated(), paragraphs.toArray(String[]::new));
    }

    /** Returns whether the service expects the arguments by name. */
    boolean isByName() {
      return method.paramStructure() == ParamStructure.BY_NAME;
    }
  }

  /**
   * A parameter.
   *
   * @param variadic whether each element of the list is a further positional param
   */
  record Parameter(String name, Type type, boolean required, boolean variadic, Doc doc) {
    /** Returns the index after the last required parameter. */
    static int requiredEnd(List<Parameter> parameters) {
      int end = parameters.size();
      while (end > 0 && !parameters.get(end - 1).required) {
        end--;
      }
      return end;
    }

    /** Returns whether this parameter of a list can be the rest parameter of a function. */
    boolean isRest(List<Parameter> parameters) {
      return variadic
          && this == parameters.get(parameters.size() - 1)
          && type instanceof Type.ListOf;
    }
  }
}
