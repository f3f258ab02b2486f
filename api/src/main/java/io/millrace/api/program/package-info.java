/**
 * A program as a value: what the fluent API collected, before any decision about how to run it.
 * {@link io.millrace.api.program.Program} is what an executor gets; programs do not use this
 * package directly.
 */
package io.millrace.api.program;
