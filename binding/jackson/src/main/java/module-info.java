/** Binds the types that core does not bind itself, with Jackson 3. */
module dev.repartee.jackson {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires transitive tools.jackson.databind;

  exports dev.repartee.jackson;

  provides dev.repartee.json.Binder with
      dev.repartee.jackson.JacksonBinder;
}
