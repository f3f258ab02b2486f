/**
 * An {@link io.millrace.rpc.Env} with virtual time that a test advances: {@link
 * io.millrace.rpc.manual.ManualEnv}. Other modules' tests get it as this module's test jar.
 */
package io.millrace.rpc.manual;
