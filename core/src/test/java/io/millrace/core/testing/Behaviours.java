package io.millrace.core.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The container of repeated {@link Behaviour} annotations; the compiler adds it. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface Behaviours {
  /** The behaviours in the order of the source. */
  Behaviour[] value();
}
