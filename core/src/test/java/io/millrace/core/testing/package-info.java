/** Annotations for the tests of all modules: {@link io.millrace.core.testing.Behaviour}. */
package io.millrace.core.testing;
