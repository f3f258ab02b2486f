/**
 * A program as a value: the transformations that the API collected, before any decision about how
 * to run them. An executor gets a {@link io.millrace.api.program.Program}. Programs do not use this
 * package directly.
 */
package io.millrace.api.program;
