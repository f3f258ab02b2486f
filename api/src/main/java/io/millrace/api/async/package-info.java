/**
 * Requests to other systems whose answers come later. {@link io.millrace.api.AsyncDataStream} is
 * the entry.
 */
package io.millrace.api.async;
