/**
 * The REST server of a JobManager. {@link io.millrace.rest.RestServer} is the way in; it is given
 * what it may touch: leaders to ask, a {@link io.millrace.rest.BlobSink} for uploads and a {@link
 * io.millrace.rest.JarRunner} for programs, because no user class is loaded in this process. {@link
 * io.millrace.rest.HistoryFiles} writes the same answers about ended jobs to files, and {@link
 * io.millrace.rest.HistoryServer} gives them from there.
 *
 * <p>Whom it lets in is decided in {@code ConnectionLimiter} (how many, and whose they are), {@code
 * Guard} (no pages of others) and {@code RestAuthenticator} (the own user, the token). {@code
 * Operations} is the table of all paths; docs/rest.md is printed from it. Paths, keys and JSON
 * types are those of Flink's REST v1, each with and without the prefix {@code /v1}; what our own
 * client needs besides is marked there as ours. Requests live on the event loop they came in on,
 * questions to the cluster go through one mailbox, and blocking work runs on io threads.
 *
 * <p>Collected records are the one answer that is not JSON: {@code GET
 * /jobs/:jobid/collected/:name} answers {@code application/octet-stream}, each batch as its length
 * (four bytes, big-endian) and its bytes. The header {@code Millrace-First} is the number of the
 * first batch in the page, {@code Millrace-Count} how many there are, and {@code Millrace-Complete}
 * whether nothing comes after them; the next page is asked for with {@code next} = first + count,
 * which lets go of all before.
 */
package io.millrace.rest;
