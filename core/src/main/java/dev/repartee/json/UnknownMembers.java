package dev.repartee.json;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The treatment of object members that the Java type does not have. */
public enum UnknownMembers {
  /** They are skipped: a peer may add members without breaking its clients. */
  IGNORE,

  /** They are refused by name, with the names that are known: a misspelled member is noticed. */
  REFUSE;

  /**
   * Sets the treatment for one record; it takes precedence over the setting of an endpoint or
   * service.
   */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  public @interface Policy {
    /** The treatment of unknown members in values of this record. */
    UnknownMembers value();
  }
}
