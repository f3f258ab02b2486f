package io.millrace.core.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Holds several behaviours of one test method; the compiler adds it. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface Behaviours {
  /** The behaviours in the order of the source. */
  Behaviour[] value();
}
