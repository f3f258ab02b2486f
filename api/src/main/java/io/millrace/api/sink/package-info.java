/** Where records go. A {@link io.millrace.api.sink.Sink} opens one writer a parallel instance. */
package io.millrace.api.sink;
