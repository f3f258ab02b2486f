/**
 * An {@link io.millrace.rpc.Env} that a test moves by hand: {@link
 * io.millrace.rpc.manual.ManualEnv}. Other modules' tests get it as this module's test jar.
 */
package io.millrace.rpc.manual;
