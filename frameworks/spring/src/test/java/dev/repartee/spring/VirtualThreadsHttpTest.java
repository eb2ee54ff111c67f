package dev.repartee.spring;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.test.context.TestPropertySource;

/** The same with the virtual threads of Tomcat. */
@EnabledForJreRange(min = JRE.JAVA_21)
@TestPropertySource(properties = Containers.VIRTUAL_THREADS)
class VirtualThreadsHttpTest extends SpringHttpTest {}
