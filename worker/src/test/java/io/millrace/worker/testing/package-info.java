/** A world by hand for the worker's tests: {@link io.millrace.worker.testing.ManualEnv}. */
package io.millrace.worker.testing;
