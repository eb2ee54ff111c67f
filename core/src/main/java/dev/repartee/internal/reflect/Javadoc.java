package dev.repartee.internal.reflect;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The texts of the Javadoc of a class, which the annotation processor of the module javadoc has
 * written beside the class file: {@code META-INF/repartee/javadoc/BINARY-NAME.properties}, in UTF-8.
 * A class without this file has no texts. The keys:
 *
 * <ul>
 *   <li>{@code description}: the text of the type
 *   <li>{@code component#NAME}: the text of a component of a record
 *   <li>{@code METHOD}: the text of a method, where METHOD is {@code find(int,java.lang.String[])},
 *       with the binary names of the erased types
 *   <li>{@code METHOD#summary}: its first sentence, if the text has more
 *   <li>{@code METHOD#0}: the text of its first parameter; and so on
 *   <li>{@code METHOD#return}: the text of its result
 * </ul>
 */
public final class Javadoc {
  private static final ClassValue<Javadoc> KNOWN = new ClassValue<>() {
    @Override
    protected Javadoc computeValue(Class<?> type) {
      return new Javadoc(type);
    }
  };

  private final Properties texts = new Properties();

  private Javadoc(Class<?> type) {
    String file = "/META-INF/repartee/javadoc/" + type.getName() + ".properties";
    try (InputStream in = type.getResourceAsStream(file)) {
      if (in != null) {
        texts.load(new InputStreamReader(in, UTF_8));
      }
    } catch (IOException | IllegalArgumentException e) {
      texts.clear(); // a file in another form has no texts
    }
  }

  /** Returns the texts of a class. They are read once. */
  public static Javadoc of(Class<?> type) {
    return KNOWN.get(type);
  }

  /** Returns the text of the type, or an empty text. */
  public String description() {
    return text("description");
  }

  /** Returns the text of a component of the record, or an empty text. */
  public String component(String name) {
    return text("component#" + name);
  }

  /**
   * Returns a text of a method that the class declares, or an empty text.
   *
   * @param part the end of the key: empty for the description, or {@code #summary} and so on
   */
  public String method(Method method, String part) {
    return texts.isEmpty() ? "" : text(key(method) + part);
  }

  private static String key(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getTypeName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  private String text(String key) {
    return texts.getProperty(key, "");
  }
}
