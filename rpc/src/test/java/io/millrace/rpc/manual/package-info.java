/** An {@link io.millrace.rpc.Env} that a test moves by hand: {@link ManualEnv}. */
package io.millrace.rpc.manual;
