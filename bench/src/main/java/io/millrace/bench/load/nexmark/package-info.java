/**
 * The input and the results of the Nexmark benchmark, the same for all engines: {@link
 * io.millrace.bench.load.nexmark.NexmarkGenerator} makes persons, auctions and bids. The package
 * depends on no engine.
 */
package io.millrace.bench.load.nexmark;
