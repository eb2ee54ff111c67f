package kotlin;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of Kotlin's library with this name: every class of Kotlin has it. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Metadata {}
