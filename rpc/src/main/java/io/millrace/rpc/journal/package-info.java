/**
 * The one journal of decisions: what the control plane decided, when, for whom and because of what.
 * {@link io.millrace.rpc.journal.Journal} keeps a bounded number of events per job and for the
 * cluster and counts what it drops. Events hold readable sentences, no stack traces and no object
 * dumps, because people read them and simulations compare them.
 */
package io.millrace.rpc.journal;
