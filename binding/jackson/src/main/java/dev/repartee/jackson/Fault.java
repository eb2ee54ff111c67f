package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.repartee.json.JsonException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.PropertyBindingException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns an exception of Jackson into one that describes the fault and its place to the peer, in the
 * words that core uses. Jackson's own messages are for the programmer. They name classes; therefore
 * they are never sent.
 */
final class Fault {
  /** The description if nothing more specific is certain. */
  static final String UNFIT = "the value does not fit";

  /** The longest text of the peer that a message quotes, in characters. */
  private static final int LONGEST_QUOTE = 60;

  /** Matches descriptions of numbers by {@link Expected}. */
  private static final Pattern NUMBERS = Pattern.compile("an? (integer|number)\\b.*");

  /** Matches descriptions of strings by {@link Expected}. */
  private static final Pattern STRINGS =
      Pattern.compile("one of .*|a (string|UUID|URI|time|date|duration|period)\\b.*");

  private final Expected expected;

  Fault(JsonMapper mapper) {
    this.expected = new Expected(mapper);
  }

  JsonException of(JacksonException e) {
    List<JacksonException.Reference> path = e.getPath();
    String what = cause(e);
    if (what == null) {
      String last = path.isEmpty() ? null : path.get(path.size() - 1).getPropertyName();
      what = last == null ? null : member(e, last);
      if (what != null) {
        path = path.subList(0, path.size() - 1); // the fault is in the object that has the member
      }
    }
    return new JsonException(place(path) + (what == null ? value(e) : what), e);
  }

  /**
   * Returns the message for a type that Jackson cannot read or write, for this side's own user:
   * with the place and, if the type is to blame, the reason.
   *
   * @param verb "read" or "write"
   */
  static String undefined(String verb, JavaType type, JacksonException e) {
    String where = "Jackson cannot " + verb + " " + type.toCanonical() + ": " + place(e.getPath());
    if (!(e instanceof InvalidDefinitionException undefined)) {
      return where + UNFIT;
    }
    boolean empty = message(e).startsWith("No serializer found") && undefined.getType() != null;
    return where + (empty ? noMembers(undefined.getType().toCanonical()) : message(e));
  }

  /** Returns the message for a class with values that are no data. */
  static String noMembers(String type) {
    return type + " has no JSON form; give a Binder for it, or leave it out";
  }

  private static String place(List<JacksonException.Reference> path) {
    return path.stream()
        .map(part -> part.getPropertyName() == null
            ? "element " + part.getIndex() + ": "
            : "member " + quote(part.getPropertyName()) + ": ")
        .collect(Collectors.joining());
  }

  /**
   * Returns the message of the first {@link JsonException} among the causes. Core or a user's
   * deserializer has written it for the peer. Null if there is none.
   */
  private static @Nullable String cause(Throwable e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof JsonException said) {
        return said.getMessage();
      }
    }
    return null;
  }

  /** Returns the description of an unknown or missing member, or null for any other fault. */
  private static @Nullable String member(JacksonException e, String name) {
    if (e instanceof PropertyBindingException unknown) {
      List<Object> known = unknown.getKnownPropertyIds() == null
          ? List.of()
          : List.copyOf(unknown.getKnownPropertyIds());
      return "unknown member "
          + quote(name)
          + (known.isEmpty()
              ? "; none is known"
              : "; known are "
                  + known.stream().map(Object::toString).collect(Collectors.joining(", ")));
    }
    String message = message(e);
    return message.startsWith("Missing ") && message.contains("creator property")
        ? "missing: " + name
        : null;
  }

  /** Returns the description of a fault in the value. */
  private String value(JacksonException e) {
    if (e instanceof InvalidTypeIdException kind) {
      return kind(kind);
    } else if (e instanceof MismatchedInputException unfit) {
      return expected(unfit.getTargetType(), got(unfit.getCurrentToken()));
    } else if (e instanceof InputCoercionException number) {
      return expected(number.getTargetType(), "a number");
    } else if (e instanceof StreamConstraintsException) {
      return "the value nests too deep or holds a text or number that is too long";
    } else if (message(e).startsWith("Duplicate Object property")
        && e.processor() instanceof JsonParser parser) {
      return "member " + quote(parser.currentName()) + " occurs twice";
    }
    return UNFIT;
  }

  /**
   * Returns Jackson's message, or an empty one if a deserializer of the user threw without a
   * message.
   */
  private static String message(JacksonException e) {
    String message = e.getOriginalMessage();
    return message == null ? "" : message;
  }

  private String expected(@Nullable Class<?> target, @Nullable String got) {
    String words = target == null ? null : expected.by(target);
    return words == null || got == null || words.equals(got)
        ? UNFIT
        : "expected " + words + ", got " + found(words, got);
  }

  /**
   * Returns the words for the value that was found; "another" if the expected value is of the same
   * JSON type.
   */
  private static String found(String words, String got) {
    boolean other = got.equals("a number") && NUMBERS.matcher(words).matches()
        || got.equals("a string") && STRINGS.matcher(words).matches();
    return other ? got.replaceFirst("a", "another") : got;
  }

  private static @Nullable String got(@Nullable JsonToken token) {
    return token == null
        ? null
        : switch (token) {
          case START_OBJECT -> "an object";
          case START_ARRAY -> "an array";
          case VALUE_STRING -> "a string";
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
          case VALUE_TRUE, VALUE_FALSE -> "a boolean";
          case VALUE_NULL -> "null";
          case PROPERTY_NAME -> "another name";
          default -> null;
        };
  }

  private String kind(InvalidTypeIdException e) {
    Class<?> base = e.getBaseType() == null ? null : e.getBaseType().getRawClass();
    JsonTypeInfo info = base == null ? null : base.getAnnotation(JsonTypeInfo.class);
    String got = got(e.getCurrentToken());
    if (info == null
        || info.include() != JsonTypeInfo.As.PROPERTY
        || info.use() == JsonTypeInfo.Id.DEDUCTION) {
      return UNFIT;
    }
    String name = info.property().isEmpty() ? info.use().getDefaultPropertyName() : info.property();
    if (e.getTypeId() != null) {
      return "member " + quote(name) + ": unknown kind" + known(base);
    }
    return got == null || got.equals("an object")
        ? "missing: " + name
        : "expected an object, got " + got;
  }

  /**
   * Returns the end of a message that lists the known names, or an empty text unless annotations
   * name all subtypes.
   */
  private static String known(@Nullable Class<?> base) {
    JsonSubTypes kinds = base == null ? null : base.getAnnotation(JsonSubTypes.class);
    List<String> names =
        kinds == null ? List.of() : Stream.of(kinds.value()).map(Fault::name).toList();
    return names.isEmpty() || names.contains("") ? "" : "; known are " + String.join(", ", names);
  }

  private static String name(JsonSubTypes.Type kind) {
    JsonTypeName name = kind.value().getAnnotation(JsonTypeName.class);
    return kind.name().isEmpty() && name != null ? name.value() : kind.name();
  }

  private static String quote(@Nullable String text) {
    String shown = String.valueOf(text);
    return shown.length() <= LONGEST_QUOTE
        ? "'" + shown + "'"
        : "'" + shown.substring(0, LONGEST_QUOTE) + "...'";
  }
}
