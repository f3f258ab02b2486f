/**
 * Graphs and jars on this worker. {@link io.millrace.worker.blobcache.BlobCache} fetches each once,
 * verifies its hash and keeps it while a job uses it; {@link
 * io.millrace.worker.blobcache.BlobCacheStore} stores the bytes, in files or in memory.
 */
package io.millrace.worker.blobcache;
