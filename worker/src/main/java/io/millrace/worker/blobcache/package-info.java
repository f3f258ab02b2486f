/**
 * Graphs and jars on this worker. {@link io.millrace.worker.blobcache.BlobCache} fetches each once,
 * checks its hash and keeps it as long as a job uses it; {@link
 * io.millrace.worker.blobcache.BlobStore} is where the bytes are, files or memory.
 */
package io.millrace.worker.blobcache;
