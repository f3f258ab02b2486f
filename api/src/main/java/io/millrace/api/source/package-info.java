/**
 * Sources. A {@link io.millrace.api.source.Source} opens one {@link
 * io.millrace.api.source.SourceReader} in each parallel instance. Readers must not block, because
 * many tasks share few threads: a task polls its reader again if it returned MORE, or after it woke
 * the task.
 */
package io.millrace.api.source;
