/** What tests of endpoints share: {@link io.millrace.control.testing.ManualEnv}. */
package io.millrace.control.testing;
