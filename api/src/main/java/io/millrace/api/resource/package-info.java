/**
 * Things a machine has besides cores and memory, such as GPUs. Functions see those of their slot as
 * {@link io.millrace.api.resource.ExternalResourceInfo}; who adds a kind of them writes an {@link
 * io.millrace.api.resource.ExternalResourceDriver}.
 */
package io.millrace.api.resource;
