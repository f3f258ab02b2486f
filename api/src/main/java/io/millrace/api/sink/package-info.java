/** Sinks. A {@link io.millrace.api.sink.Sink} opens one writer in each parallel instance. */
package io.millrace.api.sink;
