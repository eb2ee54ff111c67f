/** Checks the arguments and results of calls with Jakarta Validation. */
module dev.repartee.validation {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires transitive jakarta.validation;

  exports dev.repartee.validation;
}
