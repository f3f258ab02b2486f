/**
 * Graphs and jars on this worker. {@link io.millrace.worker.blobcache.BlobCache} fetches each once,
 * checks its hash and keeps it as long as a job uses it; {@link
 * io.millrace.worker.blobcache.BlobCacheStore} holds the bytes, in files or in memory.
 */
package io.millrace.worker.blobcache;
