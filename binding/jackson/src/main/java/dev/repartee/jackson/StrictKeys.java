package dev.repartee.jackson;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;

/** Makes map keys as strict as values of the same types; Jackson accepts more for keys. */
final class StrictKeys extends KeyDeserializer {
  private static final Set<Class<?>> INTEGERS =
      Set.of(Integer.class, Long.class, Short.class, Byte.class, BigInteger.class);

  /** The longest text of a number, in characters. */
  private static final int LONGEST = 1_010;

  private final Class<?> type;
  private final KeyDeserializer deserializer;
  private final BiPredicate<String, Object> fits;

  private StrictKeys(
      Class<?> type, KeyDeserializer deserializer, BiPredicate<String, Object> fits) {
    this.type = type;
    this.deserializer = deserializer;
    this.fits = fits;
  }

  /** Returns the deserializer for keys of a type: the given one, or one that refuses some keys. */
  static KeyDeserializer of(Class<?> type, KeyDeserializer deserializer) {
    if (type == Class.class) {
      return new NoClasses();
    } else if (INTEGERS.contains(type)) {
      // Two texts for the same number would be the same key, and one value would replace the other.
      return new StrictKeys(type, deserializer, (text, key) -> text.equals(key.toString()));
    } else if (type == Double.class || type == Float.class || type == BigDecimal.class) {
      return new StrictKeys(type, deserializer, (text, key) -> isNumber(text, type));
    } else if (IsoTexts.token(type) == null) {
      return deserializer;
    }
    return new StrictKeys(type, deserializer, (text, key) -> IsoTexts.isOne(type, text));
  }

  private static boolean isNumber(String text, Class<?> type) {
    try {
      Json.parse(text).as(type);
      return true;
    } catch (JsonException e) {
      return false;
    }
  }

  @Override
  public @Nullable Object deserializeKey(String text, DeserializationContext context) {
    Object key = text.length() > LONGEST ? null : deserializer.deserializeKey(text, context);
    return key != null && fits.test(text, key)
        ? key
        : context.handleWeirdKey(type, text, "not in its form");
  }

  /** Refuses classes as keys: naming a class would be enough to load and initialize it. */
  private static final class NoClasses extends KeyDeserializer {
    @Override
    public Object deserializeKey(String text, DeserializationContext context) {
      return context.reportBadDefinition(Class.class, "a peer does not name classes");
    }
  }
}
