/**
 * The one journal of decisions: what the control plane decided, when, for whom and because of what.
 * {@link io.millrace.rpc.journal.Journal} keeps a bounded number of events per job and for the
 * cluster and counts what it drops. An entry is an envelope around an event, which is a value: it
 * holds no sentence, no stack trace and no object dump. Which events there are is said by the
 * module with the messages.
 */
package io.millrace.rpc.journal;
