/**
 * Where records come from. A {@link io.millrace.api.source.Source} opens one {@link
 * io.millrace.api.source.SourceReader} in each parallel instance. Readers do not block: the engine
 * runs many tasks on few threads and asks a reader again when it said there is more or when it woke
 * the task.
 */
package io.millrace.api.source;
