package dev.repartee.spring.test;

import org.springframework.stereotype.Component;

/** A component that serves nothing. */
@Component
class Warehouse {}
