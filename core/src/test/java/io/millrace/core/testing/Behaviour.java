package io.millrace.core.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names a behaviour of the engine that a test method verifies: {@code @Behaviour("D7: spares are
 * kept only while some slot is in use")}. The part before the colon is a section of {@code
 * docs/behaviours.md}, which is generated from these annotations. Tests of the same behaviour
 * repeat its sentence exactly.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
@Repeatable(Behaviours.class)
public @interface Behaviour {
  /** The section, a colon and one sentence in the present tense without a full stop. */
  String value();
}
