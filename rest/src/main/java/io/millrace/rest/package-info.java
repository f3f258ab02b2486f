/**
 * The REST server of a JobManager. {@link io.millrace.rest.RestServer} is the entry. It receives
 * the leader retrieval, a {@link io.millrace.rest.BlobSink} for uploads and a {@link
 * io.millrace.rest.JarRunner} for programs, because this process loads no user classes. {@link
 * io.millrace.rest.HistoryFiles} writes the same answers about ended jobs to files, and {@link
 * io.millrace.rest.HistoryServer} serves them from there.
 *
 * <p>Access is decided by {@code ConnectionLimiter} (how many connections, and of which user),
 * {@code CrossSiteCheck} (no pages of other sites) and {@code RestAuthenticator} (the own user, the
 * token). The classes whose names end in {@code Operations} have tables of all paths; docs/rest.md
 * is generated from them. Paths, keys and JSON types are those of Flink's REST v1, each with and
 * without the prefix {@code /v1}; further paths for the client of Millrace are marked in the
 * tables. Requests stay on the event loop they came in on, calls to the cluster go through one
 * mailbox, and blocking work runs on io threads.
 *
 * <p>Collected records are the one answer that is not JSON: {@code GET
 * /jobs/:jobid/collected/:name} answers {@code application/octet-stream}, each batch as its length
 * (four bytes, big-endian) and its bytes. The header {@code Millrace-First} is the number of the
 * first batch in the page, {@code Millrace-Count} the number of batches, and {@code
 * Millrace-Complete} whether they are the last ones; a request for {@code next} = first + count
 * releases all batches before.
 */
package io.millrace.rest;
