/** Durable runs of plans in a PostgreSQL database. */
@SuppressWarnings("requires-automatic") // the engine and the driver have no descriptors
module dev.repartee.agents.postgres {
  requires transitive dev.repartee.agents;
  requires static transitive org.jspecify;
  requires com.zaxxer.hikari;
  requires java.sql;
  requires org.postgresql.jdbc;
  requires transact;

  exports dev.repartee.agents.postgres;

  opens dev.repartee.agents.postgres to
      dev.repartee, // which binds the records
      transact; // which calls the workflow
}
