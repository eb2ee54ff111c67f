package dev.repartee.internal;

/** Escapes the tokens of JSON pointers (RFC 6901, section 3). */
public final class JsonPointer {
  private JsonPointer() {}

  /** Returns the name of a member as a token. */
  public static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  /** Returns the name of a member as a token of a pointer in the fragment of a URI (section 6). */
  public static String inFragment(String name) {
    return escaped(name).replace("%", "%25"); // readers accept other characters as they are
  }

  /** Returns the name of the member that a token stands for. */
  public static String unescaped(String token) {
    return token.replace("~1", "/").replace("~0", "~"); // in this order: ~01 stands for ~1
  }
}
