/** A user of the module, which the class path would not notice if it broke. */
module consumer {
  requires dev.repartee;
}
