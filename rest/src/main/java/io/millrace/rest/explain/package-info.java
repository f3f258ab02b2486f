/**
 * Tells people about a job, from its state and the journal: why it is where it is, and how it got
 * there. {@link io.millrace.rest.explain.JobSnapshot} is the way in. Pure functions over values:
 * nothing here asks anybody or looks at a clock.
 */
package io.millrace.rest.explain;
