package dev.repartee.json;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares that the JSON of a sealed interface is the JSON of one of its permitted types. These are
 * records, enums, or sealed interfaces with this annotation.
 *
 * <pre>{@code
 * @OneOf(member = "type")
 * sealed interface Shape permits Circle, Polygon {}
 *
 * record Circle(double radius) implements Shape {} // {"type":"circle","radius":2.5}
 *
 * @OneOf.Name("poly")
 * record Polygon(List<Point> points) implements Shape {} // {"type":"poly","points":[...]}
 * }</pre>
 *
 * <p><b>With a member</b>, its value names the permitted type, which has to be a record or a sealed
 * interface. The member belongs to the record: it is written first, and required, also where the
 * record is declared by itself. A permitted interface with the same member adds its types to those
 * of this one. With another member it has a name itself; its records have both members.
 *
 * <p><b>Without a member</b> the form of the value decides: the first permitted type, in the order
 * of declaration, of the same kind of JSON value. An object has to have all required members of a
 * record, and no members that the record does not have; if unknown members are {@linkplain
 * UnknownMembers#IGNORE ignored}, a record that knows all members still has precedence. A string has
 * to be one of the constants of an enum. Only the value itself is compared and not the values inside
 * of it. If only one permitted type has the kind of the value, that type reads it, and reports its
 * faults.
 *
 * <pre>{@code
 * @OneOf
 * sealed interface Block permits Tag, Number, ByHash {}
 *
 * enum Tag implements Block { @OneOf.Name("latest") LATEST, @OneOf.Name("safe") SAFE }
 *
 * @Inline
 * record Number(String hex) implements Block {} // "0x1b4"
 *
 * record ByHash(String blockHash) implements Block {} // {"blockHash":"0x..."}
 * }</pre>
 *
 * <p>To find the type, the members of an object are skipped once before the object is read: up to
 * the member, or all of them if the form decides. A sender should therefore write the member first.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OneOf {
  /** The name of the member that names the permitted type; if empty, the form of the value decides. */
  String member() default "";

  /**
   * The name in JSON of a type that a {@link OneOf} with a member permits, by default its simple
   * name with a small first word ({@code circle}, {@code httpCall} for {@code HTTPCall}); or of a
   * constant of an enum, by default the name of the constant. This module binds an enum with such a
   * name; any other enum is bound by this module only if no {@link Binder} knows it.
   */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.TYPE, ElementType.FIELD})
  @interface Name {
    /** The name, not empty. */
    String value();
  }
}
