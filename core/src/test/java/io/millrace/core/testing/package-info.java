/** What tests of all modules use: {@link io.millrace.core.testing.Behaviour}. */
package io.millrace.core.testing;
